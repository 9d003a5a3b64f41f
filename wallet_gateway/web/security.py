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
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from wallet_gateway import conf
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
POLICY = "Content-Security-Policy"
REPORT_ONLY = f"{POLICY}-Report-Only"
TRUSTED_TYPES = "wallet-gateway"
"""The policy by which wallet.js inserts the wallet's own script, and no other."""
REPORTS = "wallet-gateway"
"""The name of the address for reports, in our headers."""
NEVER_USED = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope"),
    *("magnetometer", "microphone", "midi", "usb"),
)
"""What a browser may refuse to every script on our pages."""
_NONCE = "_wallet_gateway_nonce"


def render_page(
    request: HttpRequest, template: str, status: int = HTTPStatus.OK, **context: object
) -> HttpResponse:
    """Return a page with its nonce; where that is the project's, the project adds it to the context."""
    if nonce := nonce_for(request):
        context["csp_nonce"] = nonce
    return render(request, template, context, status=status)


def token_page(view: View[P]) -> View[P]:
    """Admit every request with a valid token, and keep the response out of caches, referrers and frames.

    A token that is not valid is answered by a page with status 404.
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
            response = render_page(
                request, "wallet_gateway/unavailable.html", status=HTTPStatus.SERVICE_UNAVAILABLE
            )
        except Http404:
            # The plugin's own page even in debug mode: a customer with a damaged link must learn what to do.
            response = render_page(request, "wallet_gateway/link_unknown.html", status=HTTPStatus.NOT_FOUND)
        response.headers["Cache-Control"] = "no-store"
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["X-Robots-Tag"] = "noindex"
        # A redirect has no content, so it needs no policy.
        if not response.has_header("Location"):
            response.headers.setdefault("Permissions-Policy", _permissions())
            if not _has_own_policy(request, response):
                _set_policy(response, _directives(nonce_for(request)) | _trusted_types())
        return response

    return login_not_required(db_transaction.non_atomic_requests(wrapped))


def allow_payment(
    request: HttpRequest, response: HttpResponse, *, policy: GatewayPolicy, wallet: WalletPolicy | None
) -> None:
    """Allow the page's form to be posted, and to redirect to a payment page of this gateway.

    With a wallet, allow the page to load the wallet's script, open its sheet and call the gateway, too.
    See Note [Why not no-referrer everywhere].
    """
    response.headers["Referrer-Policy"] = "same-origin"
    if wallet is not None:
        # Under Django's own "same-origin" the sheet's window could not find the page that opened it.
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
        response.headers.setdefault("Permissions-Policy", _permissions(_origin(wallet.pay_js_url)))
    if not (nonce := nonce_for(request)):
        return
    directives = _directives(nonce, form_targets=_origins(policy))
    if wallet is None:
        _set_policy(response, directives | _trusted_types())
        return
    own, pay = ["'self'", *_static_origin()], _origin(wallet.pay_js_url)
    scripts = [_origin(wallet.wallet_js_url)] if wallet.wallet_js_url else []
    # The gateway's own script may load and call more from where it comes.
    asked = dict.fromkeys([_origin(wallet.gateway_url), pay, *scripts])
    wallets_own = GOOGLE if pay == GOOGLE_PAY else {}
    directives |= {
        "script-src": _scripts(nonce, [*own, pay, *scripts]),
        "style-src": [*own, f"'nonce-{nonce}'", pay],
        "img-src": [*own, pay, *wallets_own.get("img-src", ())],
        "connect-src": ["'self'", *asked, *wallets_own.get("connect-src", ())],
        "frame-src": [pay],
    }
    types = _trusted_types(TRUSTED_TYPES, *(wallet.trusted_types or ()))
    # Without the setting we know the policy of our own script alone, and that the sandbox's needs none.
    only_ours = not wallet.wallet_js_url and pay == _origin(wallet.gateway_url)
    if wallet.trusted_types is not None or only_ours:
        directives |= types
    elif url := _report_url():
        # Enforced, it might stop a script that nobody has tried under it.
        response.headers[REPORT_ONLY] = _header_value(types | _reporting(url))
    _set_policy(response, directives)


def nonce_for(request: HttpRequest) -> str:
    """Return the nonce of a page with our policy; empty if the project has its own policy and nonce.

    It is for the page's elements, and for the scripts and styles that the wallet itself inserts.
    """
    if _has_own_nonce(request):
        return ""
    if not hasattr(request, _NONCE):
        setattr(request, _NONCE, secrets.token_urlsafe(16))
    return str(getattr(request, _NONCE))


def _directives(nonce: str, *, form_targets: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return a page's policy: nothing inline, nothing from other hosts, forms to us and to these origins."""
    own = ["'self'", *_static_origin()]
    return {
        "default-src": own,
        "script-src": _scripts(nonce, own),
        "connect-src": ["'self'"],
        # A browser applies form-action to every redirect, including the one to the payment page.
        "form-action": ["'self'", *sorted(set(form_targets))],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }


def _scripts(nonce: str, hosts: Iterable[str]) -> list[str]:
    """Return the sources of scripts: those with the nonce and what they load; the hosts for old browsers."""
    return [f"'nonce-{nonce}'", "'strict-dynamic'", *hosts]


def _trusted_types(*policies: str) -> dict[str, list[str]]:
    """Return the directives under which text becomes markup or code only through these policies."""
    return {"require-trusted-types-for": ["'script'"], "trusted-types": list(policies or ("'none'",))}


def _permissions(wallet: str = "") -> str:
    """Return what scripts may ask the browser for: nothing, or payments on a page with the wallet."""
    payment = f'payment=(self "{wallet}")' if wallet else "payment=()"
    return ", ".join([payment, *(f"{feature}=()" for feature in NEVER_USED)])


def _set_policy(response: HttpResponse, directives: Mapping[str, Iterable[str]]) -> None:
    if url := _report_url():
        response.headers.setdefault("Reporting-Endpoints", f'{REPORTS}="{url}"')
        directives = {**directives, **_reporting(url)}
    response.headers[POLICY] = _header_value(directives)


def _reporting(url: str) -> dict[str, list[str]]:
    # The first is for browsers that do not know the second.
    return {"report-uri": [url], "report-to": [REPORTS]}


def _report_url() -> str:
    try:
        return conf.settings().csp_report_url
    except ImproperlyConfigured:
        return ""


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
    return _has_own_nonce(request) or any(header in response.headers for header in (POLICY, REPORT_ONLY))


def _has_own_nonce(request: HttpRequest) -> bool:
    """Return whether the project's policy has a nonce for this request: django-csp and Django 6 mark it."""
    return hasattr(request, "csp_nonce") or hasattr(request, "_csp_nonce")
