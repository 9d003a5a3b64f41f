"""The wallet button over JSON."""
