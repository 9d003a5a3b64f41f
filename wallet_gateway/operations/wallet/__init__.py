"""The wallet button: its session, price, result, card and authorization."""
