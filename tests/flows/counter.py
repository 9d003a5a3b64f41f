"""Count the files, functions and calls of the package that a piece of work enters, by Python's profile hook.

A move is a call from one file of the package into another; frames of Django and of the standard library in
between are not counted. The sandbox, the test kit and code that runs while a module is imported are left out.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

import wallet_gateway

PACKAGE = str(Path(wallet_gateway.__file__).parent) + "/"
LEFT_OUT = ("sandbox/", "testing/", "contrib/")
"""Other parties; the receivers of a bridge are called where a test before has loaded it."""


@dataclass(slots=True)
class Flow:
    """What one use case entered."""

    files: Counter[str] = field(default_factory=Counter)
    functions: set[CodeType] = field(default_factory=set)
    calls: int = 0
    moves: int = 0

    def __str__(self) -> str:
        entered = f"{len(self.files)} files, {len(self.functions)} functions"
        return f"{entered}, {self.calls} calls, {self.moves} moves"


def file_of(frame: FrameType) -> str | None:
    """Return the file of the package that a frame runs, relative to the package; None for any other code."""
    code = frame.f_code
    if not code.co_filename.startswith(PACKAGE) or code.co_name == "<module>":
        return None
    name = code.co_filename.removeprefix(PACKAGE)
    return None if name.startswith(LEFT_OUT) else name


def _caller_of(frame: FrameType) -> str | None:
    outer = frame.f_back
    while outer is not None:
        if (name := file_of(outer)) is not None:
            return name
        outer = outer.f_back
    return None


@contextmanager
def counted() -> Iterator[Flow]:
    """Count what is entered within the block, by this thread and by those that it starts."""
    flow = Flow()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (name := file_of(frame)) is None:
            return
        flow.calls += 1
        flow.files[name] += 1
        flow.functions.add(frame.f_code)
        flow.moves += _caller_of(frame) not in {None, name}

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield flow
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
