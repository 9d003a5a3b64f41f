"""What every address behind a token has in common: who may come, and under which headers the answer leaves.

No customer's page goes out around `token_page`; nothing here knows what a page says.

Note [Why not no-referrer everywhere]: under ``no-referrer`` a browser posts a form with ``Origin: null``,
which Django's CSRF protection refuses. A page with a form says ``same-origin`` instead: no other site, a
host of static files included, is ever told the address, which carries the token.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec
from urllib.parse import urlsplit

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from wallet_gateway.domain.policy import GatewayPolicy

logger = logging.getLogger(__name__)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

POLICY_HEADERS = ("Content-Security-Policy", "Content-Security-Policy-Report-Only")


def token_page(view: View[P]) -> View[P]:
    """Open a view to whoever holds its token, and keep the answer out of caches, referrers and frames.

    The token is the permission, so a project that demands a login everywhere does not demand it here: whoever
    comes back from the gateway may have no cookie. The view is never inside a request's transaction, which
    would undo the record of money that has moved.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except ImproperlyConfigured as fault:
            # Refused, and loudly: without its settings a shop knows neither whom to ask nor what to believe.
            logger.error("wallet payments are not configured: %s", fault)
            response = render(
                request, "wallet_gateway/unavailable.html", status=HTTPStatus.SERVICE_UNAVAILABLE
            )
        response.headers["Cache-Control"] = "no-store"
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["X-Robots-Tag"] = "noindex"
        # A redirect shows nothing, so there is nothing for a policy to rule.
        if not response.has_header("Location") and not _has_own_policy(request, response):
            response.headers["Content-Security-Policy"] = content_security_policy(())
        return response

    return login_not_required(transaction.non_atomic_requests(wrapped))


def admit_form(request: HttpRequest, response: HttpResponse, *, policy: GatewayPolicy) -> None:
    """Let the page's form be posted, and be led on to a payment page of this gateway.

    See Note [Why not no-referrer everywhere].
    """
    response.headers["Referrer-Policy"] = "same-origin"
    if not _has_own_policy(request, response):
        response.headers["Content-Security-Policy"] = content_security_policy(_origins(policy))


def content_security_policy(form_targets: Iterable[str]) -> str:
    """Return a page's policy: nothing inline, nothing from elsewhere, forms to us and to these origins."""
    own = " ".join(["'self'", *_static_origin()])
    # A browser holds a form to `form-action` through every redirect, the one to the payment page included.
    targets = " ".join(["'self'", *sorted(set(form_targets))])
    directives = {
        "default-src": own,
        "connect-src": "'self'",
        "form-action": targets,
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "object-src": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def _origins(policy: GatewayPolicy) -> list[str]:
    """The origins to which a customer may be sent to pay."""
    schemes = ("https", "http") if policy.allow_plain_http else ("https",)
    return [f"{scheme}://{host}" for scheme in schemes for host in policy.redirect_hosts]


def _static_origin() -> list[str]:
    """The origin of the project's static files, where that is not the shop's own."""
    parts = urlsplit(static("wallet_gateway/pages.css"))
    return [f"{parts.scheme or 'https'}://{parts.netloc}"] if parts.netloc else []


def _has_own_policy(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the project has a policy for its pages: two that disagree would both be enforced.

    django-csp and Django 6 leave these marks on the request on its way in.
    """
    marked = hasattr(request, "csp_nonce") or hasattr(request, "_csp_nonce")
    return marked or any(header in response.headers for header in POLICY_HEADERS)
