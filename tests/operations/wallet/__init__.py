"""The wallet button from its session to its authorization."""
