"""The books: the only package that writes states and totals, and the events that the shop gets."""
