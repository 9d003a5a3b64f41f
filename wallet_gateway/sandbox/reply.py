"""What leaves the gateway: an answer, and how it leaves the socket."""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.sandbox.server.delivery import DRIP_SECONDS, Manner


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer, whole or to be broken on its way."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    manner: Manner = Manner.WHOLE
    drip_seconds: float = DRIP_SECONDS


DROPPED = Reply(manner=Manner.DROPPED)
"""No answer at all: the connection is closed."""
