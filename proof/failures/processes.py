"""Processes forked from one that is warm: Django is loaded, and no connection is open."""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from django.apps import apps

FORK = multiprocessing.get_context("fork")
_LONGEST = 600.0
"""Seconds after which a child is ended and counts as hung: many times what a busy machine needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended: killed, with a result, or with the text of an exception."""

    killed: bool
    result: Any = None
    error: str = ""


class Child:
    """One process, which has the other end of `pipe`."""

    def __init__(self, work: Callable[[Connection], object]) -> None:
        if apps.ready:
            from django.db import connections

            from wallet_gateway import gateways

            connections.close_all()
            gateways.forget_gateways()
        self.pipe, theirs = FORK.Pipe()
        self._process = FORK.Process(target=work, args=(theirs,))
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.join()

    def ending(self, longest: float | None = _LONGEST) -> Ending:
        """Wait for the result of `begin`'s work; raises ChildProcessError where the process has crashed."""
        try:
            if not self.pipe.poll(longest):
                self.kill()
            result, error = self.pipe.recv()
        except EOFError:
            self._process.join()
            if self._process.exitcode != -signal.SIGKILL:
                raise ChildProcessError(f"a child ended with {self._process.exitcode}") from None
            return Ending(killed=True)
        except BaseException:
            # This process is told to end: its child ends what it has started itself.
            self._process.terminate()
            raise
        finally:
            self._process.join()
            self.pipe.close()
        return Ending(killed=False, result=result, error=error)


def begin(work: Callable[[], Any]) -> Child:
    """Begin work in a process of its own; its `ending` has what the work returns."""

    def run(pipe: Connection) -> None:
        outcome: tuple[Any, str] = (None, "")
        try:
            outcome = (work(), "")
        except BaseException:  # noqa: BLE001 - the parent gets every exception
            outcome = (None, traceback.format_exc())
        pipe.send(outcome)

    return Child(run)


def in_child(
    work: Callable[[], Any], *, kill_after: float | None = None, longest: float | None = _LONGEST
) -> Ending:
    """Do work in a process of its own; kill it after some seconds where they are given."""
    child = begin(work)
    if kill_after is not None:
        time.sleep(kill_after)
        child.kill()
    return child.ending(longest)
