"""Which sites' pages may speak to the API: only to create payment accounts, and only registered ones.

A browser says with the header ``Origin`` whose page it obeys. Callers without that header are no browsers
and are not checked.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from wallet_gateway.protocol.accounts import PaymentAccountRequest
from wallet_gateway.protocol.endpoints import CREATE_PAYMENT_ACCOUNT
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.wallet_refusals import OriginNotRegistered
from wallet_gateway.sandbox.merchants import remembered_stores
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.request_parser import Asked, Received

_ANY_PORT: Final = ":*"
_SECONDS_REMEMBERED: Final = 600
_VARY: Final = ("Vary", "Origin")


def check_origin(merchant: Merchant, origin: str | None) -> None:
    """Make sure a page may create accounts for a merchant; raises ``OriginNotRegistered``."""
    if origin is not None and not _is_registered(merchant, origin):
        raise OriginNotRegistered(f"Pages of {quote(origin)} are not registered for this merchant.")


def is_preflight(received: Received) -> bool:
    """Tell whether a browser asks in advance whether a page may create payment accounts."""
    return received.method == "OPTIONS" and received.path == CREATE_PAYMENT_ACCOUNT.path


def preflight_headers(received: Received) -> tuple[tuple[str, str], ...]:
    """Answer that question: any merchant's site may, for whose account it will be is not known yet."""
    if not _is_known(received.origin):
        return (_VARY,)
    return (
        *_allowing(received.origin or ""),
        ("Access-Control-Allow-Methods", CREATE_PAYMENT_ACCOUNT.method),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type"),
        ("Access-Control-Max-Age", str(_SECONDS_REMEMBERED)),
    )


def answer_headers(received: Received, asked: Asked) -> tuple[tuple[str, str], ...]:
    """Give the headers that let a registered page read the answer, refusals included."""
    if received.path != CREATE_PAYMENT_ACCOUNT.path:
        return ()
    message, origin = asked.message, received.origin
    if isinstance(message, PaymentAccountRequest):
        merchant = remembered_stores.get().get((message.merchant_id, message.store_id))
        may_read = origin is not None and merchant is not None and _is_registered(merchant, origin)
    else:
        may_read = _is_known(origin)
    return _allowing(origin or "") if may_read else (_VARY,)


def _allowing(origin: str) -> tuple[tuple[str, str], ...]:
    return (("Access-Control-Allow-Origin", origin), _VARY)


def _is_known(origin: str | None) -> bool:
    merchants = remembered_stores.get().values()
    return origin is not None and any(_is_registered(merchant, origin) for merchant in merchants)


def _is_registered(merchant: Merchant, origin: str) -> bool:
    return any(_fits(registered, origin) for registered in merchant.origins)


def _fits(registered: str, origin: str) -> bool:
    if not registered.endswith(_ANY_PORT):
        return registered.rstrip("/").lower() == origin.lower()
    try:
        parts = urlsplit(origin.lower())
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return False
    return origin.lower() == f"{registered.removesuffix(_ANY_PORT).lower()}{port}"
