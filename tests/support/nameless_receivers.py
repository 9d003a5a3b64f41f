"""Receivers that raise and have no name: Django's own log of a failure reads the name of a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from django.dispatch import Signal

SECRET = "ada@example.com"
"""What such a receiver holds, and its repr shows."""

Nameless = Callable[..., object]


class Printer:
    """A receiver of a shop that is an instance, as those are that need settings."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __repr__(self) -> str:
        return f"<Printer for {self._address}>"

    def __call__(self, **_: object) -> None:
        raise ConnectionError("the printer is off")


def _print(_address: str, **_: object) -> None:
    raise ConnectionError("the printer is off")


def _make(kind: str) -> Nameless:
    receiver = partial(_print, SECRET) if kind == "partial" else Printer(SECRET)
    assert not hasattr(receiver, "__qualname__")
    return receiver


@pytest.fixture(params=["partial", "instance"])
def nameless(request: pytest.FixtureRequest) -> Nameless:
    """A receiver without a name that raises."""
    return _make(request.param)


@contextmanager
def between_two(signal: Signal, receiver: Nameless) -> Iterator[list[str]]:
    """Connect a receiver between two others; give the list of what these heard."""
    heard: list[str] = []

    def first(**_: object) -> None:
        heard.append("first")

    def last(**_: object) -> None:
        heard.append("last")

    for one in (first, receiver, last):
        signal.connect(one)
    try:
        yield heard
    finally:
        for one in (first, receiver, last):
            signal.disconnect(one)
