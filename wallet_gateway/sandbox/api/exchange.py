"""One request with its answer when no fault intervenes, and how an answer is formatted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.api.handlers import process
from wallet_gateway.sandbox.api.request_parser import ParsedRequest, RawRequest, allowed_methods
from wallet_gateway.sandbox.models import LetterCase
from wallet_gateway.sandbox.payments.provider_decision import SpecialAmount, special_amount
from wallet_gateway.sandbox.server.delivery import DRIP_SECONDS, DeliveryMode, cancellable_sleep
from wallet_gateway.sandbox.state import Behaviour, Conditions, FaultMode

SLOW_SECONDS: Final = 5.0
"""Delay of the answer to the special amount ``SLOW``."""

_TEXT_AMOUNTS: Final = frozenset({"amount"})
"""Fields that carry an amount as text; amounts in status records are numbers in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer, and how it is to be delivered."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


DROPPED: Final = Reply(mode=DeliveryMode.DROPPED)
"""No answer: the connection is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A parsed request with the conditions under which it is answered."""

    raw: RawRequest
    parsed: ParsedRequest
    conditions: Conditions

    def reply(self, fault_mode: FaultMode = FaultMode.NONE) -> Reply:
        """Process the request and return the formatted answer."""
        status, value = self.process(fault_mode)
        if status == 200 and self._is_slow():
            cancellable_sleep(SLOW_SECONDS)
        return self.write(value, status=status)

    def process(self, fault_mode: FaultMode = FaultMode.NONE) -> tuple[int, Any]:
        """Process the request; return the HTTP status and the answer in canonical wire form."""
        return process(self.parsed, self.conditions, base_url=self.raw.base_url, fault_mode=fault_mode)

    def write(self, value: object, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """Format an answer according to the configured behaviour."""
        if status == 405:
            headers = (*headers, ("Allow", ", ".join(allowed_methods(self.raw.path))))
        return Reply(status=status, body=to_bytes(value, self.conditions.behaviour), headers=headers)

    def _is_slow(self) -> bool:
        money = getattr(self.parsed.message, "money", None)
        return money is not None and special_amount(money) is SpecialAmount.SLOW


def _canonical(name: str) -> str:
    return name


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


_NAME_FORMATS: Final[dict[LetterCase, Callable[[str], str]]] = {
    LetterCase.CANONICAL: _canonical,
    LetterCase.PASCAL: _pascal,
    LetterCase.LOWER: str.lower,
}


def to_bytes(value: object, behaviour: Behaviour) -> bytes:
    """Serialize an answer in canonical wire form as JSON, with the configured letter case and amounts."""
    if behaviour.letter_case is not LetterCase.CANONICAL or behaviour.numeric_amounts:
        value = _format_value(value, _NAME_FORMATS[behaviour.letter_case], numeric=behaviour.numeric_amounts)
    return strict_json.dumps(value)


def _format_value(value: object, format_name: Callable[[str], str], *, numeric: bool) -> object:
    if isinstance(value, list):
        return [_format_value(part, format_name, numeric=numeric) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        format_name(name): NumberText(part)
        if numeric and name in _TEXT_AMOUNTS and isinstance(part, str)
        else _format_value(part, format_name, numeric=numeric)
        for name, part in value.items()
    }
