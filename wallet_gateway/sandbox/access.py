"""Access control for the console and the control interface.

The service's API, the customer's pages and their static files are public. Everything else requires a caller
on this machine or, when a control key is set, a caller that sends the key.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
import secrets
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from wallet_gateway.sandbox.json_calls import refusal_response
from wallet_gateway.sandbox.refusals import Refusal

PUBLIC_PATHS: Final = re.compile(
    r"""
    /api/v5/.*                            # the service's interface
    | /checkout/[^/]+/                    # where a customer pays, by a link that cannot be guessed
    | /three-d-secure/[^/]+/              # the same for the check of the card
    | /static/.+                          # what these pages are drawn with
    | /wallet\.js                          # the service's script, in a shop's page, and its modules
    | /wallet/[0-9a-f]{12}/[a-z_]+\.js
    | /wallet/pay\.js | /wallet/sheet     # the emulated wallet, in a shop's page and its frame
    | /wallet/api/(?:payment-data|price-texts|state)  # what that frame asks; no other site's page may
    | /wallet/keys\.json                  # what a wallet's tokens are verified with
    """,
    re.VERBOSE,
)
"""Public paths, matched in full; every other path is protected."""

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class AccessMiddleware:
    """Rejects unauthorized callers before URL resolution, so that a new page is protected by default."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer 401 or 403 to unauthorized callers; raises ``DisallowedHost``."""
        own_origin = f"{request.scheme}://{request.get_host()}"
        if PUBLIC_PATHS.fullmatch(request.path_info):
            return self.get_response(request)
        if settings.WALLET_SANDBOX_CONTROL_KEY:
            allowed = _has_control_key(request)
        else:
            allowed = ipaddress.ip_address(request.META["REMOTE_ADDR"]).is_loopback
        if not allowed and not settings.WALLET_SANDBOX_CONTROL_KEY:
            text = "Only callers on this machine may steer the sandbox."
            return refusal_response(Refusal("StrangerRefused", text))
        if not allowed:
            text = "Give the control key: 'Authorization: Bearer KEY', or as the password of HTTP Basic."
            response = refusal_response(Refusal("KeyMissing", text))
            response.headers["WWW-Authenticate"] = 'Basic realm="Sandbox gateway", charset="UTF-8"'
            return response
        # A page on another site can make a browser on this machine send a request here.
        origin = request.headers.get("Origin")
        if origin is not None and origin != own_origin:
            text = f"Pages of {origin[:100]} may not steer the sandbox."
            return refusal_response(Refusal("ForeignPage", text))
        # A browser names the kind of page that sends; scripts name none.
        site = request.headers.get("Sec-Fetch-Site", "none")
        if request.method not in SAFE_METHODS and site not in {"same-origin", "none"}:
            text = "Only the sandbox's own pages may steer it from a browser."
            return refusal_response(Refusal("ForeignPage", text))
        return self.get_response(request)


def _has_control_key(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            given = base64.b64decode(given, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return False
    elif scheme.lower() != "bearer":
        return False
    return secrets.compare_digest(given.encode(), settings.WALLET_SANDBOX_CONTROL_KEY.encode())
