"""A gateway at a transport of the test's own: it remembers what it was given, and says what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.client.calls import ACCOUNT
from wallet_gateway.client.errors import GatewayError
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.gateway import Gateway


@dataclass
class Wire:
    """A transport that remembers what it was given and says what it is told."""

    says: RawAnswer | GatewayError
    given: list[dict[str, object]] = field(default_factory=list)

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
        sent = {"method": method, "path": path, "query": query, "body": body, "headers": headers}
        self.given.append({**sent, "fresh": fresh, "not_after": not_after})
        if isinstance(self.says, GatewayError):
            raise self.says
        return self.says


def wire(body: bytes, *, status: int = 200, **headers: str) -> Wire:
    return Wire(RawAnswer(status=status, headers=headers, body=body, elapsed=0.25))


def gateway(transport: Wire) -> Gateway:
    return Gateway(account=ACCOUNT, transport=transport)
