"""The security headers every sandbox page leaves with; nothing here knows what a page says."""

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
}

# A redirect URL is the shop's text, and a ";" in it would write the rest of the policy: only plain hosts.
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")


def set_security_headers(
    response: HttpResponse, *, form_targets: Iterable[str] = (), referrer_policy: str = "no-referrer"
) -> HttpResponse:
    """Give the response every security header; its forms may lead here and to these targets."""
    response["Content-Security-Policy"] = content_security_policy(form_targets)
    response["Cache-Control"] = NO_STORE
    response["Cross-Origin-Opener-Policy"] = "same-origin"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Referrer-Policy"] = referrer_policy
    response["X-Content-Type-Options"] = "nosniff"
    response["X-Frame-Options"] = "DENY"
    return response


def content_security_policy(form_targets: Iterable[str] = ()) -> str:
    """The policy of a page whose forms may end, through redirects, at the origins of these URLs."""
    # Browsers hold a form to `form-action` along the whole way, the redirect to the shop included.
    sources = sorted({source for url in form_targets if (source := _form_source(url))})
    form_action = " ".join(["'self'", *sources])
    return "; ".join(f"{name} {value}" for name, value in {**_POLICY, "form-action": form_action}.items())


def _form_source(url: str) -> str | None:
    """The source expression for a URL's origin, or its whole scheme where a policy cannot name the host."""
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
    # An IPv6 address has no spelling in a policy.
    return f"{parts.scheme}:" if ":" in host else None
