"""Whether a request comes from the customer's own page: `Sec-Fetch-Site`, and Django's CSRF check.

No script of a page can set or change that header. An old browser does not send it; then the CSRF token and
the `Origin` header decide alone.

Our own views make the check, so their addresses are `csrf_exempt`. Django's middleware would answer with the
project's `CSRF_FAILURE_VIEW`, which knows neither the order nor whether anything was charged.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import is_same_domain
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied

logger = logging.getLogger(__name__)

HEADER = "Sec-Fetch-Site"


def passes_csrf_check(request: HttpRequest) -> bool:
    """Return whether a POST has the CSRF token of its browser, and comes from an origin of the project."""
    try:
        # It hands the request on to the middleware, for which Django's own is the right one.
        SessionAuthentication().enforce_csrf(request)  # type: ignore[arg-type]
    except PermissionDenied as refused:
        # What follows the dash may be an address with an order's token.
        reason = str(refused.detail).partition(" - ")[0]
        logger.warning("%s", reason)
        return False
    return True


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
    trusted = (urlsplit(origin.replace("*", "", 1)) for origin in settings.CSRF_TRUSTED_ORIGINS)
    return any(one.scheme == given.scheme and is_same_domain(given.netloc, one.netloc) for one in trusted)
