"""Histories of a shop and its gateway in one process, with virtual time, network and crashes.

A history is drawn from a seed: the same seed gives the same statements in the same order. `search` runs
many of them, `run` runs one, `judge` says what must be true of it, and `shrink` makes one that fails as short
as it goes. The gateway is the real sandbox or one with other habits; all else is the same for both.
"""
