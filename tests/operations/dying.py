"""Transports that stand for a process in trouble: it dies, or others go on, while a request is out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.transport import Transport
from wallet_gateway.operations.context import GatewayContext


class Killed(BaseException):
    """The process is gone: no handler of the code under test sees it."""


def _nothing() -> None:
    return None


class Interrupted:
    """Hands requests on to a transport, and calls back before and after; status queries pass untouched."""

    def __init__(
        self, inner: Transport, *, before: Callable[[], None] = _nothing, after: Callable[[], None] = _nothing
    ) -> None:
        self._inner, self._before, self._after = inner, before, after

    def send(self, method: str, path: str, **given: Any) -> RawAnswer:
        if method == "GET":
            return self._inner.send(method, path, **given)
        self._before()
        answer = self._inner.send(method, path, **given)
        self._after()
        return answer


def interrupted(
    context: GatewayContext,
    *,
    before: Callable[[], None] = _nothing,
    after: Callable[[], None] = _nothing,
) -> GatewayContext:
    """Return the context with something happening right before a request leaves, or after its answer."""
    transport = Interrupted(context.gateway._transport, before=before, after=after)
    return replace(context, gateway=Gateway(account=context.gateway.account, transport=transport))


def kill() -> None:
    """End the process."""
    raise Killed


class Scripted:
    """A transport that answers every request with the same words, and remembers what it was asked."""

    def __init__(self, body: bytes | Callable[[bytes], bytes], *, status: int = 200) -> None:
        self._body, self._status = body, status
        self.requests: list[tuple[str, bytes]] = []

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **_: Any,
    ) -> RawAnswer:
        self.requests.append((method, body or b""))
        said = self._body(body or b"") if callable(self._body) else self._body
        return RawAnswer(status=self._status, headers={}, body=said, elapsed=0.01)


def scripted(
    context: GatewayContext, body: bytes | Callable[[bytes], bytes], *, status: int = 200
) -> GatewayContext:
    """Return the context with a gateway that says one thing only."""
    transport = Scripted(body, status=status)
    return replace(context, gateway=Gateway(account=context.gateway.account, transport=transport))


class Filing(Scripted):
    """A transport that answers a status query by the reference it asks about; nothing is known of others."""

    def __init__(self, records: Mapping[str, bytes]) -> None:
        super().__init__(b"[]")
        self._records = records

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **_: Any,
    ) -> RawAnswer:
        reference = (query or {}).get("clientSystemTransactionId", "")
        self.requests.append((reference, body or b""))
        return RawAnswer(status=200, headers={}, body=self._records.get(reference, b"[]"), elapsed=0.01)


def filing(context: GatewayContext, records: Mapping[str, bytes]) -> GatewayContext:
    """Return the context with a gateway that files these records under these references."""
    return replace(context, gateway=Gateway(account=context.gateway.account, transport=Filing(records)))


def in_the_name_of(merchant_id: str, context: GatewayContext) -> GatewayContext:
    """Return the context as it is once the settings name another account, under which nothing is known."""
    account = replace(context.gateway.account, merchant_id=merchant_id)
    return replace(context, gateway=Gateway(account=account, transport=Filing({})))
