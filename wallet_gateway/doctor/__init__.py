"""Looks a shop's payments over and says in plain words what is wrong. Sends one harmless query only."""
