"""One exchange with a merchant: what was received, what it asks for, and its answer if nothing fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wallet_gateway.sandbox.cancellable_sleep import pause
from wallet_gateway.sandbox.engine.calls import Twist
from wallet_gateway.sandbox.engine.special_amounts import SpecialAmount, special_amount
from wallet_gateway.sandbox.formatting import to_bytes
from wallet_gateway.sandbox.handlers import process
from wallet_gateway.sandbox.request_parser import Asked, Received, allowed_methods
from wallet_gateway.sandbox.server.delivery import DRIP_SECONDS, Manner
from wallet_gateway.sandbox.state import Conditions

SLOW_SECONDS: Final = 5.0
"""How long the answer to the slow amount takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What leaves the gateway: an HTTP answer, whole or to be broken on its way."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    manner: Manner = Manner.WHOLE
    drip_seconds: float = DRIP_SECONDS


DROPPED: Final = Reply(manner=Manner.DROPPED)
"""No answer at all: the connection is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request on its way to an answer."""

    received: Received
    asked: Asked
    conditions: Conditions

    def reply(self, twist: Twist = Twist.NONE) -> Reply:
        """Process the request and write the answer."""
        status, value = self.process(twist)
        if status == 200 and self._is_slow():
            pause(SLOW_SECONDS)
        return self.write(value, status=status)

    def process(self, twist: Twist = Twist.NONE) -> tuple[int, Any]:
        """Process the request and give the HTTP status and the answer in canonical wire form."""
        return process(self.asked, self.conditions, base_url=self.received.base_url, twist=twist)

    def write(self, value: object, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """Write an answer as the behaviour in force has it."""
        if status == 405:
            headers = (*headers, ("Allow", ", ".join(allowed_methods(self.received.path))))
        return Reply(status=status, body=to_bytes(value, self.conditions.behaviour), headers=headers)

    def _is_slow(self) -> bool:
        money = getattr(self.asked.message, "money", None)
        return money is not None and special_amount(money) is SpecialAmount.SLOW
