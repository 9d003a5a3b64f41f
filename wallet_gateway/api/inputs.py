"""Read the requests of a wallet button's page from JSON: correct in type and size, or rejected as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wallet_gateway.api.problems import InvalidBody
from wallet_gateway.payments.wallet import WalletEvent
from wallet_gateway.protocol.strict_json import NumberText

MAX_TEXT_LENGTH = 255
MAX_ENTRIES = 20
_REPORTED_BY_PAGES = frozenset(WalletEvent) - {WalletEvent.RESULT}
"""A page does not report a result as an event: it has its own address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRequest:
    """The customer's choices on the sheet."""

    reference: str
    shipping_address: dict[str, str] | None = field(default=None, repr=False)
    shipping_option: str | None = None
    offers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReport:
    """An event of the button or its sheet, as reported by the page."""

    reference: str
    event: WalletEvent
    message: str = field(default="", repr=False)


def event_report(body: Mapping[str, Any]) -> EventReport:
    """Read `{reference, event, message}`; raises `InvalidBody`."""
    event = body.get("event")
    if not isinstance(event, str) or event not in _REPORTED_BY_PAGES:
        raise InvalidBody
    return EventReport(
        reference=_text(body.get("reference")),
        event=WalletEvent(event),
        message=_optional(body.get("message")) or "",
    )


def price_request(body: Mapping[str, Any]) -> PriceRequest:
    """Read `{reference, shippingAddress, shippingOption, offers}`; raises `InvalidBody`."""
    return PriceRequest(
        reference=_text(body.get("reference")),
        shipping_address=_address(body.get("shippingAddress")),
        shipping_option=_optional(body.get("shippingOption")),
        offers=_offers(body.get("offers")),
    )


def previous_reference(body: Mapping[str, Any]) -> str:
    """Read `{after}`, empty if the page does not name its sheet's reference; raises `InvalidBody`."""
    return _optional(body.get("after")) or ""


def _text(value: object) -> str:
    if not isinstance(value, str) or isinstance(value, NumberText) or not 0 < len(value) <= MAX_TEXT_LENGTH:
        raise InvalidBody
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _address(value: object) -> dict[str, str] | None:
    """Read the wallet's address fields; empty ones, which it does send, are left out."""
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > MAX_ENTRIES:
        raise InvalidBody
    return {name: _text(part) for name, part in value.items() if part not in (None, "")}


def _offers(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_ENTRIES:
        raise InvalidBody
    return tuple(_text(code) for code in value)
