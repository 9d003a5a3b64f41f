"""Bridges to other packages, each of a few lines and imported by nobody but the shop that wants it."""
