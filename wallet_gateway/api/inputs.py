"""Read the requests of pages: at most 16 kB of JSON in UTF-8, correct in type and size, or refused whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError

from wallet_gateway.api.problems import Problem
from wallet_gateway.payments.wallet import WalletEvent
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import NumberText

MAX_TEXT_LENGTH = 255
MAX_ENTRIES = 20
_REPORTED_BY_PAGES = frozenset(WalletEvent) - {WalletEvent.RESULT}
"""A page does not report a result as an event: it has its own address."""


def event_report(body: Mapping[str, Any]) -> dict[str, Any]:
    """Read `{reference, event, message}` as the arguments of `record_event`; raises `invalid_body`."""
    event = body.get("event")
    if not isinstance(event, str) or event not in _REPORTED_BY_PAGES:
        raise Problem("invalid_body")
    return {
        "reference": _text(body.get("reference")),
        "event": WalletEvent(event),
        "message": _optional(body.get("message")) or "",
    }


def price_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """Read `{reference, shippingAddress, shippingOption, offers}` as the arguments of `price_sheet`.

    Raises `invalid_body`.
    """
    address, offers = body.get("shippingAddress"), body.get("offers")
    for given, kind in ((address, dict), (offers, list)):
        if given is not None and (not isinstance(given, kind) or len(given) > MAX_ENTRIES):
            raise Problem("invalid_body")
    if address is not None:
        # The wallet does send empty fields.
        address = {name: _text(part) for name, part in address.items() if part not in (None, "")}
    return {
        "reference": _text(body.get("reference")),
        "shipping_address": address,
        "shipping_option": _optional(body.get("shippingOption")),
        "offers": tuple(_text(code) for code in offers or ()),
    }


def previous_reference(body: Mapping[str, Any]) -> str:
    """Read `{after}`, empty if the page does not name its sheet's reference; raises `invalid_body`."""
    return _optional(body.get("after")) or ""


def _text(value: object) -> str:
    if not isinstance(value, str) or isinstance(value, NumberText) or not 0 < len(value) <= MAX_TEXT_LENGTH:
        raise Problem("invalid_body")
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


# The body of any request

MAX_BYTES = 16_384
JSON = "application/json"
_UTF_8 = {"utf-8", "utf8"}


class RequestBody:
    """The body of a request, read at once and at most 16 kB of it; nothing but `value` shows what it says.

    Once a view has read a body, Django gives it to no other reader. A collector of errors would read any
    other body, and report each customer's data whenever something fails, the session's row or a throttle
    included. For the same reason the REST framework's own `request.data` stays empty.
    """

    __slots__ = ("_body",)

    def __init__(self, request: HttpRequest) -> None:
        self._body: bytes | None
        try:
            self._body = request.read(MAX_BYTES + 1)
        except UnreadablePostError:
            self._body = None

    def check(self, request: HttpRequest) -> None:
        """Refuse a body that is not declared as JSON in UTF-8, or that is too large.

        No form can send this type, and a script of another site needs the browser's permission first, which
        it does not get. Raises `unsupported_media_type` and `too_large`.
        """
        charset = (request.content_params or {}).get("charset", "utf-8")
        if request.content_type != JSON or charset.lower() not in _UTF_8:
            raise Problem("unsupported_media_type")
        if len(self._body or b"") > MAX_BYTES:
            raise Problem("too_large")

    def value(self) -> dict[str, Any]:
        """Return the JSON object, without fields if there is no body; raises `parse_error`.

        It is read as `protocol.strict_json` does: no duplicates, no NaN, limited nesting.
        """
        if self._body is None:
            raise Problem("parse_error")
        try:
            value = strict_json.loads(self._body) if self._body else {}
        except UnreadableBody as fault:
            # Its message may quote the body, which may contain secrets.
            raise Problem("parse_error") from fault
        if not isinstance(value, dict):
            raise Problem("parse_error")
        return value
