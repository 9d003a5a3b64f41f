"""Receivers that are connected for the time of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.dispatch import Signal

from tests.operations.settlement.receivers import Receiver

Listen = Callable[..., Receiver]


@pytest.fixture
def listen() -> Iterator[Listen]:
    connected: list[tuple[Signal, Receiver]] = []

    def connect(signal: Signal, failures: int = 0) -> Receiver:
        receiver = Receiver(failures)
        signal.connect(receiver)
        connected.append((signal, receiver))
        return receiver

    yield connect
    for signal, receiver in connected:
        signal.disconnect(receiver)
