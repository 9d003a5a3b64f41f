"""Read the requests of pages: at most 16 kB of JSON in UTF-8, correct in type and size, or refused whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.exceptions import ParseError, UnsupportedMediaType

from wallet_gateway.api.problems import InvalidBody, TooLarge
from wallet_gateway.payments.wallet import WalletEvent
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
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


# The body of any request

MAX_BYTES = 16_384
JSON = "application/json"
_UTF_8 = {"utf-8", "utf8"}


def refuse_foreign_content(request: HttpRequest) -> None:
    """Check that a body is declared as JSON in UTF-8 and is not too large, without reading it.

    No form can send this type, and a script of another site needs the browser's permission first, which it
    does not get. Raises `UnsupportedMediaType` and `TooLarge`.
    """
    charset = (request.content_params or {}).get("charset", "utf-8")
    if request.content_type != JSON or charset.lower() not in _UTF_8:
        raise UnsupportedMediaType("")
    # The server has checked the header; a value that is not a number counts as 0.
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    announced = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0
    if announced > MAX_BYTES:
        raise TooLarge


class RequestBody:
    """The body of a request, read at once and at most 16 kB of it; nothing but `value` shows what it says.

    Once a view has read a body, Django gives it to no other reader. A collector of errors would read any
    other body, and report each customer's data whenever something fails, the session's row or a throttle
    included. For the same reason the REST framework's own `request.data` stays empty.
    """

    __slots__ = ("_body",)

    def __init__(self, stream: HttpRequest | IO[bytes]) -> None:
        self._body: bytes | None
        try:
            self._body = stream.read(MAX_BYTES + 1)
        except UnreadablePostError:
            self._body = None

    def value(self) -> dict[str, Any]:
        """Return the JSON object, without fields if there is no body; raises `ParseError` and `TooLarge`.

        It is read as `protocol.strict_json` does: no duplicates, no NaN, limited nesting.
        """
        if self._body is None:
            raise ParseError
        if len(self._body) > MAX_BYTES:
            raise TooLarge
        if not self._body:
            return {}
        try:
            value = strict_json.loads(self._body, max_bytes=MAX_BYTES)
        except UnreadableBody as fault:
            # Its message may quote the body, which may contain secrets.
            raise ParseError from fault
        if not isinstance(value, dict):
            raise ParseError
        return value
