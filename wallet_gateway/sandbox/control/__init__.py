"""The control interface under ``/_sandbox/``, for tests and scripts.

Here: one function per call, the merchants a sandbox starts with, and reset. Not here: who may call
(``access``), and what a call changes, which belongs to ``payments``, ``wallet``, ``api`` and ``state``.
"""
