"""The tag of `{% load wallet_oscar %}`."""
