"""Whether a request comes from the customer's own page: `Sec-Fetch-Site`, and Django's CSRF check.

No script of a page can set or change that header. An old browser does not send it; then the CSRF token and
the `Origin` header decide alone.

Our own views make the check, so their addresses are `csrf_exempt`. Django's middleware would answer with the
project's `CSRF_FAILURE_VIEW`, which knows neither the order nor whether anything was charged.
"""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.http import is_same_domain

from wallet_gateway import conf

logger = logging.getLogger(__name__)

HEADER = "Sec-Fetch-Site"


class _CsrfCheck(CsrfViewMiddleware):
    """Django's check without its answer, as in Django's `requires_csrf_token` and in REST framework."""

    reason = ""

    def _reject(self, _request: HttpRequest, reason: str) -> HttpResponseBase:
        self.reason = reason
        return HttpResponseBase(status=403)


def _no_view(_request: HttpRequest) -> HttpResponseBase:
    raise AssertionError


def passes_csrf_check(request: HttpRequest) -> bool:
    """Return whether a POST has the CSRF token of its browser, and comes from an origin of the project."""
    check = _CsrfCheck(_no_view)
    check.process_request(request)
    if check.process_view(request, _no_view, (), {}) is None:
        return True
    # What follows may be an address with an order's token.
    logger.warning("CSRF check: %s", check.reason.partition(" - ")[0])
    return False


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
