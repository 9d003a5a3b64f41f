"""A gateway at a transport of the test's own: it remembers what it was given, and says what it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.client.calls import ACCOUNT
from wallet_gateway.client.errors import GatewayError
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.gateway import Gateway


@dataclass
class Wire:
    """A transport that remembers what it was given and says what it is told."""

    says: RawAnswer | GatewayError
    given: list[dict[str, object]] = field(default_factory=list)

    def send(self, method: str, path: str, **given: Any) -> RawAnswer:
        self.given.append({"method": method, "path": path, **given})
        if isinstance(self.says, GatewayError):
            raise self.says
        return self.says


def wire(body: bytes, *, status: int = 200, **headers: str) -> Wire:
    return Wire(RawAnswer(status=status, headers=headers, body=body, elapsed=0.25))


def gateway(transport: Wire) -> Gateway:
    return Gateway(account=ACCOUNT, transport=transport)
