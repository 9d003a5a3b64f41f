"""CORS: browsers may create payment accounts from registered origins; no other operation allows browsers.

A browser names the page's origin in the ``Origin`` header. Requests without that header do not come from a
page and are not checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from wallet_gateway.protocol.accounts import PaymentAccountRequest
from wallet_gateway.protocol.endpoints import CREATE_PAYMENT_ACCOUNT
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.api.request_parser import ParsedRequest, RawRequest
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.refusals import Refusal

_ANY_PORT: Final = ":*"
_PREFLIGHT_CACHE_SECONDS: Final = 600
_VARY: Final = ("Vary", "Origin")


def check_origin(merchant: Merchant, origin: str | None) -> None:
    """Refuse with ``OriginNotRegistered`` an origin that is not registered for a merchant."""
    if origin is not None and not _is_registered(origin, [merchant]):
        text = f"Pages of {quote(origin)} are not registered for this merchant."
        raise Refusal("OriginNotRegistered", text)


def is_preflight(raw: RawRequest) -> bool:
    """Tell whether a request is the CORS preflight of creating a payment account."""
    return raw.method == "OPTIONS" and raw.path == CREATE_PAYMENT_ACCOUNT.path


def preflight_headers(raw: RawRequest) -> tuple[tuple[str, str], ...]:
    """Return the preflight's headers; any merchant's origin is allowed, as the merchant is not yet known."""
    allowed = _allow_origin(raw.origin, Merchant.objects.all())
    if len(allowed) == 1:
        return allowed
    return (
        *allowed,
        ("Access-Control-Allow-Methods", CREATE_PAYMENT_ACCOUNT.method),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
        ("Access-Control-Max-Age", str(_PREFLIGHT_CACHE_SECONDS)),
    )


def cors_headers(raw: RawRequest, parsed: ParsedRequest) -> tuple[tuple[str, str], ...]:
    """Return the headers that let a registered page read the answer, including an error."""
    if raw.path != CREATE_PAYMENT_ACCOUNT.path:
        return ()
    merchants, message = Merchant.objects.all(), parsed.message
    if isinstance(message, PaymentAccountRequest):
        merchants = merchants.filter(merchant_id=message.merchant_id, store_id=message.store_id)
    return _allow_origin(raw.origin, merchants)


def _allow_origin(origin: str | None, merchants: Iterable[Merchant]) -> tuple[tuple[str, str], ...]:
    if origin is None or not _is_registered(origin, merchants):
        return (_VARY,)
    return (("Access-Control-Allow-Origin", origin), _VARY)


def _is_registered(origin: str, merchants: Iterable[Merchant]) -> bool:
    return any(_matches(registered, origin) for merchant in merchants for registered in merchant.origins)


def _matches(registered: str, origin: str) -> bool:
    if not registered.endswith(_ANY_PORT):
        return registered.rstrip("/").lower() == origin.lower()
    try:
        parts = urlsplit(origin.lower())
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return False
    return origin.lower() == f"{registered.removesuffix(_ANY_PORT).lower()}{port}"
