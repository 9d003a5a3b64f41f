"""Sign and read the access token with which a front end without cookies acts for one order.

The shop's backend makes it (`payments.orders.access_token`) for an app or a page of another origin, which
sends it as `Authorization: Bearer ...`. It gives no more than a page of the order has in the customer's own
browser. Not here: the header and the answer to a wrong one (`api.base`).
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.core import signing

SALT = "wallet_gateway.access"
PREFIX = "wg_"
"""Tells our tokens from those that a shop's own API may send in the same header."""


class BadAccessToken(ValueError):
    """Not a valid token: altered, expired, or signed for another purpose or by another key."""


def sign(order_token: str) -> str:
    """Return an access token for the order with this token, valid from now on."""
    return PREFIX + signing.dumps(order_token, salt=SALT)


def read(token: str, *, max_age: timedelta) -> str:
    """Return the token of the order that an access token was made for.

    Raises:
        BadAccessToken: older than `max_age`, not signed by this key or one of ``SECRET_KEY_FALLBACKS``, or
            for another purpose.

    """
    if not token.startswith(PREFIX):
        raise BadAccessToken("not an access token of this shop")
    try:
        order_token: str = signing.loads(token.removeprefix(PREFIX), salt=SALT, max_age=max_age)
    except (signing.BadSignature, UnicodeEncodeError) as fault:
        raise BadAccessToken("not an access token of this shop, or expired") from fault
    return order_token


def binding_of(order_token: str) -> str:
    """Return what ties wallet attempts to the bearers of an order's access tokens, as a session does.

    It is the same for all tokens of an order, so that a new token continues what an expired one began.
    """
    return hashlib.sha256(f"{SALT}:{order_token}".encode()).hexdigest()
