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
    address, offers = body.get("shippingAddress"), body.get("offers")
    if address is not None and (not isinstance(address, dict) or len(address) > MAX_ENTRIES):
        raise InvalidBody
    if offers is not None and (not isinstance(offers, list) or len(offers) > MAX_ENTRIES):
        raise InvalidBody
    if address is not None:
        # The wallet does send empty fields.
        address = {name: _text(part) for name, part in address.items() if part not in (None, "")}
    return PriceRequest(
        reference=_text(body.get("reference")),
        shipping_address=address,
        shipping_option=_optional(body.get("shippingOption")),
        offers=tuple(_text(code) for code in offers or ()),
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
