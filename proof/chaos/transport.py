"""The way from a worker to the gateway: it writes down what is sent, and can be cut or be the worker's death.

What was sent is kept outside the plugin's database, so that "sent once" does not rest on the plugin's word.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypedDict, Unpack

from proof.chaos.plan import DIES_AFTER, DIES_BEFORE, UNREACHABLE
from wallet_gateway.client.errors import NotSent
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import Transport
from wallet_gateway.protocol.endpoints import AUTHORIZATION, CHECKOUT, FOLLOW_UP

_MOVES_MONEY: Final = {endpoint.path for endpoint in (CHECKOUT, FOLLOW_UP, AUTHORIZATION)}


class _Given(TypedDict):
    """The rest of what a transport is given with a request."""

    query: Mapping[str, str] | None
    body: bytes | None
    headers: Mapping[str, str] | None
    fresh: bool
    not_after: float | None


class SendingLog:
    """The references that left the shop, one line each; a line with a minus takes one back: no byte left."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.touch()

    def add(self, reference: str, *, is_unsent: bool = False) -> None:
        """Write one line in one piece, also while another process writes."""
        file = os.open(self._file, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, f"{'-' if is_unsent else '+'}{reference}\n".encode())
        finally:
            os.close(file)

    def sent(self) -> Counter[str]:
        """Return how often each reference was sent."""
        counted: Counter[str] = Counter()
        for line in self._file.read_text().splitlines():
            counted[line[1:]] += -1 if line[0] == "-" else 1
        return counted

    def forget(self) -> None:
        """Begin again, for another run."""
        self._file.write_text("")


class ChaosTransport:
    """Hands requests on to a transport; the next one that moves money may meet a death or a closed port."""

    def __init__(
        self, inner: Transport, *, deaf: Transport, log: SendingLog, die: Callable[[], None]
    ) -> None:
        self._inner, self._deaf, self._log, self._die = inner, deaf, log, die
        self.fault = ""

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        fresh: bool = False,
        not_after: float | None = None,
    ) -> RawAnswer:
        """Send one request once, or not at all."""
        given = _Given(query=query, body=body, headers=headers, fresh=fresh, not_after=not_after)
        reference = _reference(body) if path in _MOVES_MONEY else ""
        if self.fault == UNREACHABLE and (reference or method == "GET"):
            return self._deaf.send(method, path, **given)
        if not reference:
            return self._inner.send(method, path, **given)
        if self.fault == DIES_BEFORE:
            self._die()
        answer = self._send_noted(reference, method, path, **given)
        if self.fault == DIES_AFTER:
            self._die()
        return answer

    def _send_noted(self, reference: str, method: str, path: str, **given: Unpack[_Given]) -> RawAnswer:
        self._log.add(reference)
        try:
            return self._inner.send(method, path, **given)
        except NotSent:
            self._log.add(reference, is_unsent=True)
            raise


def _reference(body: bytes | None) -> str:
    with suppress(ValueError, AttributeError):
        return str(json.loads(body or b"{}").get("clientSystemTransactionId", ""))
    return ""
