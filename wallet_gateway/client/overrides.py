"""Call the methods that a shop's subclass of the client overrides: their failures become this package's.

An exception there is a fault of the shop's code. Before the request has left it means that nothing was sent,
afterwards that the answer cannot be read; it never ends an operation half-way.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from wallet_gateway.client.errors import GatewayError
from wallet_gateway.client.exception_map import describe, map_exception
from wallet_gateway.protocol.errors import UnreadableBody

V = TypeVar("V")


class _Caught:
    """Keeps an exception, so that what is raised for it is not chained to it: it may hold a body."""

    error: Exception | None = None

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


def before_sending(adapt: Callable[[], V]) -> V:
    """Return what an override made of a request; raises NotSent, or the GatewayError that it raised."""
    caught = _Caught()
    with caught:
        return adapt()
    if isinstance(caught.error, GatewayError):
        raise caught.error
    assert caught.error is not None  # noqa: S101  else it has returned
    raise map_exception(caught.error, sent=False, doing="adapting the request")


def after_sending(adapt: Callable[[], V]) -> V | UnreadableBody:
    """Return what an override made of an answer, or that it cannot be read."""
    caught = _Caught()
    with caught:
        return adapt()
    assert caught.error is not None  # noqa: S101  else it has returned
    return UnreadableBody(f"adapting the answer: {describe(caught.error)}")
