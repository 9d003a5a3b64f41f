"""Waiting in real time, in a way that can be called off: by a reset of the sandbox, and by its end."""

from __future__ import annotations

import threading


class PauseCalledOff(Exception):
    """Nobody is to go on waiting, nor to do what was waited for."""


_called_off = threading.Event()


def pause(seconds: float) -> None:
    """Wait that long; raises ``PauseCalledOff``."""
    if _called_off.wait(seconds):
        raise PauseCalledOff


def call_off_all_pauses() -> None:
    """Have everybody who waits now stop it; who waits later is not concerned."""
    global _called_off
    waited_for, _called_off = _called_off, threading.Event()
    waited_for.set()
