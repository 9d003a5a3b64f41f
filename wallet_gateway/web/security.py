"""What every address behind a token has in common: who may come, and under which headers the answer leaves.

No customer's page goes out around `token_page`; nothing here knows what a page says.

Note [Why not no-referrer everywhere]: under ``no-referrer`` a browser posts a form with ``Origin: null``,
which Django's CSRF protection refuses. A page with a form says ``same-origin`` instead: no other site, a
host of static files included, is ever told the address, which carries the token.
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
# What Google's own script loads besides, as far as it is known; Google publishes no list.
GOOGLE = {
    "img-src": ("https://www.gstatic.com",),
    "connect-src": ("https://google.com", "https://www.google.com"),
}
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

    return login_not_required(db_transaction.non_atomic_requests(wrapped))


def admit_form(request: HttpRequest, response: HttpResponse, *, policy: GatewayPolicy) -> None:
    """Let the page's form be posted, and be led on to a payment page of this gateway.

    See Note [Why not no-referrer everywhere].
    """
    response.headers["Referrer-Policy"] = "same-origin"
    if not _has_own_policy(request, response):
        response.headers["Content-Security-Policy"] = content_security_policy(_origins(policy))


def admit_wallet(response: HttpResponse, *, policy: GatewayPolicy, wallet: WalletPolicy, nonce: str) -> None:
    """Let a page with a form load the wallet's script, open its sheet and speak to the gateway, too.

    `nonce` is the one of `nonce_for`; it is for the scripts and styles that the wallet itself puts in.
    """
    # Under Django's own "same-origin" the sheet's window could not find the page that opened it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    if nonce:
        directives = _wallet_directives(policy, wallet, nonce)
        response.headers["Content-Security-Policy"] = _written(directives)


def nonce_for(request: HttpRequest) -> str:
    """Return a nonce for a page whose policy is ours; empty where the project has a policy, and a nonce."""
    return "" if _is_marked(request) else secrets.token_urlsafe(16)


def content_security_policy(form_targets: Iterable[str]) -> str:
    """Return a page's policy: nothing inline, nothing from elsewhere, forms to us and to these origins."""
    return _written(_directives(form_targets))


def _directives(form_targets: Iterable[str]) -> dict[str, list[str]]:
    return {
        "default-src": ["'self'", *_static_origin()],
        "connect-src": ["'self'"],
        # A browser holds a form to it through every redirect, the one to the payment page included.
        "form-action": ["'self'", *sorted(set(form_targets))],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }


def _wallet_directives(policy: GatewayPolicy, wallet: WalletPolicy, nonce: str) -> dict[str, list[str]]:
    own, pay = ["'self'", *_static_origin()], _origin(wallet.pay_js_url)
    asked = dict.fromkeys([_origin(wallet.gateway_url), pay])
    scripts = [_origin(wallet.wallet_js_url)] if wallet.wallet_js_url else []
    wallets_own = GOOGLE if pay == GOOGLE_PAY else {}
    return _directives(_origins(policy)) | {
        "script-src": [*own, f"'nonce-{nonce}'", pay, *scripts],
        "style-src": [*own, f"'nonce-{nonce}'", pay],
        "img-src": [*own, pay, *wallets_own.get("img-src", ())],
        "connect-src": ["'self'", *asked, *wallets_own.get("connect-src", ())],
        "frame-src": [pay],
    }


def _written(directives: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{name} {' '.join(values)}" for name, values in directives.items())


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _origins(policy: GatewayPolicy) -> list[str]:
    """The origins to which a customer may be sent to pay."""
    schemes = ("https", "http") if policy.allow_plain_http else ("https",)
    return [f"{scheme}://{host}" for scheme in schemes for host in policy.redirect_hosts]


def _static_origin() -> list[str]:
    """The origin of the project's static files, where that is not the shop's own."""
    parts = urlsplit(static("wallet_gateway/pages.css"))
    return [f"{parts.scheme or 'https'}://{parts.netloc}"] if parts.netloc else []


def _has_own_policy(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the project has a policy for its pages: two that disagree would both be enforced."""
    return _is_marked(request) or any(header in response.headers for header in POLICY_HEADERS)


def _is_marked(request: HttpRequest) -> bool:
    """Whether the project's own policy has a nonce for this request: django-csp and Django 6 leave marks."""
    return hasattr(request, "csp_nonce") or hasattr(request, "_csp_nonce")
