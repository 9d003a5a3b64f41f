"""Access rules and response headers shared by all addresses with a token.

Every customer page uses `token_page`; this module does not know the content of a page.

Note [Why not no-referrer everywhere]: under ``no-referrer`` a browser posts a form with ``Origin: null``,
which Django's CSRF protection refuses. A page with a form sends ``same-origin`` instead: no other site, not
even a host of static files, receives the address, which contains the token.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec
from urllib.parse import urlsplit

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction as db_transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from wallet_gateway.domain.policy import GatewayPolicy, WalletPolicy

logger = logging.getLogger(__name__)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

GOOGLE_PAY = "https://pay.google.com"
# Other sources that Google's own script loads, as far as known; Google publishes no list.
GOOGLE = {
    "img-src": ("https://www.gstatic.com",),
    "connect-src": ("https://google.com", "https://www.google.com"),
}
POLICY_HEADERS = ("Content-Security-Policy", "Content-Security-Policy-Report-Only")


def token_page(view: View[P]) -> View[P]:
    """Admit every request with a valid token, and keep the response out of caches, referrers and frames.

    The token is the permission, so a project that requires a login everywhere does not require it here: a
    customer who returns from the gateway may have no cookie. The view never runs inside the request's
    transaction, whose rollback would remove the record of money that has moved.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except ImproperlyConfigured as fault:
            # Refuse and log: without its settings a shop does not know which gateway to query or trust.
            logger.error("wallet payments are not configured: %s", fault)
            response = render(
                request, "wallet_gateway/unavailable.html", status=HTTPStatus.SERVICE_UNAVAILABLE
            )
        response.headers["Cache-Control"] = "no-store"
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["X-Robots-Tag"] = "noindex"
        # A redirect has no content, so it needs no policy.
        if not response.has_header("Location") and not _has_own_policy(request, response):
            response.headers["Content-Security-Policy"] = content_security_policy(())
        return response

    return login_not_required(db_transaction.non_atomic_requests(wrapped))


def allow_form(request: HttpRequest, response: HttpResponse, *, policy: GatewayPolicy) -> None:
    """Allow the page's form to be posted, and to redirect to a payment page of this gateway.

    See Note [Why not no-referrer everywhere].
    """
    response.headers["Referrer-Policy"] = "same-origin"
    if not _has_own_policy(request, response):
        response.headers["Content-Security-Policy"] = content_security_policy(_origins(policy))


def allow_wallet(response: HttpResponse, *, policy: GatewayPolicy, wallet: WalletPolicy, nonce: str) -> None:
    """Allow a page with a form to load the wallet's script, open its sheet and call the gateway, too.

    `nonce` is the value of `nonce_for`; it is for the scripts and styles that the wallet itself inserts.
    """
    # Under Django's own "same-origin" the sheet's window could not find the page that opened it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    if nonce:
        directives = _wallet_directives(policy, wallet, nonce)
        response.headers["Content-Security-Policy"] = _header_value(directives)


def nonce_for(request: HttpRequest) -> str:
    """Return a nonce for a page with our policy; empty if the project has its own policy and nonce."""
    return "" if _has_own_nonce(request) else secrets.token_urlsafe(16)


def content_security_policy(form_targets: Iterable[str]) -> str:
    """Return a page's policy: nothing inline, nothing from other hosts, forms to us and to these origins."""
    return _header_value(_directives(form_targets))


def _directives(form_targets: Iterable[str]) -> dict[str, list[str]]:
    return {
        "default-src": ["'self'", *_static_origin()],
        "connect-src": ["'self'"],
        # A browser applies form-action to every redirect, including the one to the payment page.
        "form-action": ["'self'", *sorted(set(form_targets))],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }


def _wallet_directives(policy: GatewayPolicy, wallet: WalletPolicy, nonce: str) -> dict[str, list[str]]:
    own, pay = ["'self'", *_static_origin()], _origin(wallet.pay_js_url)
    scripts = [_origin(wallet.wallet_js_url)] if wallet.wallet_js_url else []
    # The gateway's own script may load and call more from where it comes.
    asked = dict.fromkeys([_origin(wallet.gateway_url), pay, *scripts])
    wallets_own = GOOGLE if pay == GOOGLE_PAY else {}
    return _directives(_origins(policy)) | {
        "script-src": [*own, f"'nonce-{nonce}'", pay, *scripts],
        "style-src": [*own, f"'nonce-{nonce}'", pay],
        "img-src": [*own, pay, *wallets_own.get("img-src", ())],
        "connect-src": ["'self'", *asked, *wallets_own.get("connect-src", ())],
        "frame-src": [pay],
    }


def _header_value(directives: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{name} {' '.join(values)}" for name, values in directives.items())


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _origins(policy: GatewayPolicy) -> list[str]:
    """Return the origins to which a customer may be sent to pay."""
    schemes = ("https", "http") if policy.allow_plain_http else ("https",)
    return [f"{scheme}://{host}" for scheme in schemes for host in policy.redirect_hosts]


def _static_origin() -> list[str]:
    """Return the origin of the project's static files, if it is not the shop's own."""
    parts = urlsplit(static("wallet_gateway/pages.css"))
    return [f"{parts.scheme or 'https'}://{parts.netloc}"] if parts.netloc else []


def _has_own_policy(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether the project has a policy for its pages: two different ones would both be enforced."""
    return _has_own_nonce(request) or any(header in response.headers for header in POLICY_HEADERS)


def _has_own_nonce(request: HttpRequest) -> bool:
    """Return whether the project's policy has a nonce for this request: django-csp and Django 6 mark it."""
    return hasattr(request, "csp_nonce") or hasattr(request, "_csp_nonce")
