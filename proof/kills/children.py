"""Processes forked from one that is warm: Django is loaded, and no connection is open."""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connections

from wallet_gateway import gateways

_LONGEST = 600.0
"""Seconds after which a child is ended and counts as hung: many times what a busy machine needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended: killed, with a result, or with an exception's text."""

    killed: bool
    result: Any = None
    error: str = ""


def in_child(work: Callable[[], Any], *, kill_after: float | None = None) -> Ending:
    """Run `work` in a process of its own; kill it after some seconds where they are given."""
    connections.close_all()
    gateways.forget_gateways()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run(work, writing)
    os.close(writing)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    said = _read_all(reading, child)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            raise ChildProcessError(f"a child ended by signal {os.WTERMSIG(status)}")
        return Ending(killed=True)
    result, error = pickle.loads(said)
    return Ending(killed=False, result=result, error=error)


def _run(work: Callable[[], Any], writing: int) -> None:
    """Do the work and leave, without what the parent does at its end."""
    outcome: tuple[Any, str] = (None, "")
    try:
        outcome = (work(), "")
    except BaseException:  # noqa: BLE001 - the parent gets every exception
        outcome = (None, traceback.format_exc())
    finally:
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(pickle.dumps(outcome))
        finally:
            os._exit(0)


def _read_all(reading: int, child: int) -> bytes:
    """Read what a child says; one that is silent for too long is ended, which its reader will notice."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, _LONGEST)
    try:
        with os.fdopen(reading, "rb") as pipe:
            return pipe.read()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
