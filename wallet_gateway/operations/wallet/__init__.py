"""The wallet button: session, price, result, card and authorization."""
