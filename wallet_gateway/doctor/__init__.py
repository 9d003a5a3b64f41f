"""Checks of a shop's payments with plain results. Sends only one harmless query to each gateway."""
