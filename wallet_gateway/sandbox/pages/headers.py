"""The security headers of every sandbox page, independent of the page's content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from django.http import HttpResponse

from wallet_gateway.sandbox.models import Merchant

NO_STORE: Final = "no-store"

_POLICY: Final[Mapping[str, str]] = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}

# A redirect URL is the shop's input, and a ";" in it could add policy directives: allow plain hosts only.
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:[0-9]{1,5}|\*))?")


def set_security_headers(
    response: HttpResponse, *, form_targets: Iterable[str] = (), referrer_policy: str = "no-referrer"
) -> HttpResponse:
    """Set all security headers; forms may submit to the sandbox and redirect to the given targets."""
    response["Content-Security-Policy"] = content_security_policy(form_targets)
    response["Cache-Control"] = NO_STORE
    response["Cross-Origin-Opener-Policy"] = "same-origin"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Referrer-Policy"] = referrer_policy
    response["X-Content-Type-Options"] = "nosniff"
    response["X-Frame-Options"] = "DENY"
    return response


def content_security_policy(form_targets: Iterable[str] = ()) -> str:
    """Return the policy of a page whose forms may redirect to the origins of these URLs."""
    # Browsers apply `form-action` to the whole redirect chain, including the redirect to the shop.
    sources = sorted({source for url in form_targets if (source := _form_source(url))})
    form_action = " ".join(["'self'", *sources])
    return "; ".join(f"{name} {value}" for name, value in {**_POLICY, "form-action": form_action}.items())


def set_sheet_headers(response: HttpResponse, merchants: Iterable[Merchant]) -> HttpResponse:
    """Set the headers of the wallet's sheet: it may call the sandbox, and registered shops may frame it."""
    set_security_headers(response)
    named = sorted({_frame_source(origin) for merchant in merchants for origin in merchant.origins})
    policy = {
        **_POLICY,
        "connect-src": "'self'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(named) or "'none'",
    }
    response["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
    # X-Frame-Options cannot name origins and would override the policy in old browsers.
    del response["X-Frame-Options"]
    return set_cross_origin_headers(response)


def set_cross_origin_headers(response: HttpResponse) -> HttpResponse:
    """Allow pages of other origins to load this, also those that require embedding consent (COEP)."""
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    # A page with COEP requires the same header of its frames.
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    return response


def _frame_source(origin: str) -> str:
    """Return a registered origin as a source expression, or its scheme if a policy cannot name the host."""
    plain = origin.rstrip("/").lower()
    # A policy cannot name an IPv6 address, and white space or punctuation could add directives.
    return plain if _PLAIN_ORIGIN.fullmatch(plain) else f"{plain.partition(':')[0]}:"


def _form_source(url: str) -> str | None:
    """Return the source expression of a URL's origin, or its scheme if a policy cannot name the host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    if _HOST.fullmatch(host):
        return f"{parts.scheme}://{host}{port}"
    # A policy cannot name an IPv6 address.
    return f"{parts.scheme}:" if ":" in host else None
