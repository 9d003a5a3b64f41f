"""What a browser says of a request's origin, in a header that no script of a page can set or change.

An old browser sends no such header; then the CSRF token and the `Origin` header decide alone.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils.http import is_same_domain

from wallet_gateway import conf

HEADER = "Sec-Fetch-Site"


def is_from_another_origin(request: HttpRequest) -> bool:
    """Return whether a page of another host, even one of the same site, has made the request."""
    return request.headers.get(HEADER) in {"cross-site", "same-site"} and not _is_trusted(request)


def is_from_another_site(request: HttpRequest) -> bool:
    """Return whether a page of another site has made the request."""
    return request.headers.get(HEADER) == "cross-site" and not _is_trusted(request)


def _is_trusted(request: HttpRequest) -> bool:
    """Return whether the project trusts the request's origin, as Django's CSRF protection does."""
    given = urlsplit(request.headers.get("Origin", ""))
    # "https://*.shop.example" means every host below that domain.
    trusted = (urlsplit(origin.replace("*", "", 1)) for origin in conf.trusted_origins())
    return any(one.scheme == given.scheme and is_same_domain(given.netloc, one.netloc) for one in trusted)
