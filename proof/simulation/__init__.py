"""Deterministic simulation: a shop and its gateway in one process, with virtual time, network and crashes.

A history is drawn from a seed: the same seed gives the same statements in the same order. `__main__` runs
many of them, `history` runs one, and `shrink` makes one that fails as short as it goes.
"""
