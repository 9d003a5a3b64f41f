"""Access without cookies: the token that a shop's backend has given an app, in the header `Authorization`.

A browser adds cookies to a request by itself, which is why a request with a session needs a CSRF token. It
never adds this header, so a request that carries a valid token needs neither.
"""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from wallet_gateway import access_tokens, conf
from wallet_gateway.access_tokens import BadAccessToken
from wallet_gateway.api.problems import InvalidToken

SCHEME = "bearer"


def bearer_binding(request: HttpRequest, order_token: str) -> str:
    """Return the binding of the request's access token for an order; empty if it carries none of ours.

    Raises `InvalidToken` for one that has expired, was altered, or is another order's.
    """
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    # A shop's own API may send other tokens in this header, to all addresses of the shop.
    if scheme.lower() != SCHEME or not given.startswith(access_tokens.PREFIX):
        return ""
    max_age = timedelta(seconds=conf.settings().access_token_seconds)
    try:
        read = access_tokens.read(given, max_age=max_age)
    except BadAccessToken as fault:
        raise InvalidToken from fault
    if not constant_time_compare(read, order_token):
        raise InvalidToken
    return access_tokens.binding_of(read)
