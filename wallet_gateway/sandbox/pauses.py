"""Waiting in real time, so that it ends at once when the server does."""

from __future__ import annotations

import threading

_ending = threading.Event()


def pause(seconds: float) -> None:
    """Wait that long, or until the server ends."""
    _ending.wait(seconds)


def end_all_pauses() -> None:
    """Let everybody who waits go on: the server is ending."""
    _ending.set()
