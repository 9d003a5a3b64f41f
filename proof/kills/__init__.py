"""Processes that are ended by SIGKILL at every step of every operation, and what comes of it."""
