"""The security headers of every sandbox page, independent of the page's content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from django.http import HttpResponse

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
