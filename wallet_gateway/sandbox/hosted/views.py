"""The pages to which a customer is redirected: the hosted checkout page and the 3-D Secure page.

The views show a page, or pass the customer's decision on and redirect to the shop. A checkout request names
language and skin; on the 3-D Secure page they come from the browser's language or from the query parameters
``language`` and ``skinId``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils import translation
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.sandbox.hosted.checkout_summary import DEFAULT_SKIN, checkout_view, page_skin
from wallet_gateway.sandbox.models import Authentication, AuthenticationOutcome, Checkout, Outcome
from wallet_gateway.sandbox.pages.headers import set_security_headers
from wallet_gateway.sandbox.pages.localization import amount_text, browser_language, direction, page_language
from wallet_gateway.sandbox.payments.checkouts import check_checkout_open, decide_checkout
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.wallet.three_d_secure import check_authentication_open, decide_authentication

_CHECKOUT_CLOSED: Final = {"CheckoutUsedUp": "decided", "CheckoutExpired": "expired"}
_AUTHENTICATION_CLOSED: Final = {"AuthenticationUsedUp": "decided", "AuthenticationExpired": "expired"}


# No session authorizes this page: the unguessable link does, so a forged POST would need to know it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show_checkout(request: HttpRequest, token: str) -> HttpResponse:
    """Show or decide a checkout; answers 410 if it is decided or expired, 404 for an unknown link."""
    checkout = Checkout.objects.select_related("merchant").filter(token=token).first()
    if checkout is None:
        return unknown_link_page(request)
    try:
        if request.method == "POST":
            return _submit_checkout(request, checkout)
        check_checkout_open(checkout, now=current_conditions().now)
    except Refusal as refusal:
        return _closed_checkout_page(request, checkout, because=_CHECKOUT_CLOSED[refusal.reason])
    return _open_checkout_page(request, checkout)


def _submit_checkout(request: HttpRequest, checkout: Checkout) -> HttpResponse:
    outcome = request.POST.get("outcome", "")
    if outcome not in Outcome.values:
        return _open_checkout_page(request, checkout, status=HTTPStatus.BAD_REQUEST)
    # The URL was validated with the checkout request; the page's policy allows no other origin.
    location = iri_to_uri(decide_checkout(checkout, outcome))
    return set_security_headers(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location}))


def _open_checkout_page(
    request: HttpRequest, checkout: Checkout, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    now = current_conditions().now
    left = checkout.expires_at - now if checkout.expires_at else None
    return _checkout_page(
        request,
        checkout,
        "wallet_sandbox/checkout.html",
        status=status,
        form_targets=checkout.request["redirectDetails"].values(),
        seconds_left=math.ceil(left.total_seconds()) if left else None,
        nothing_chosen=status == HTTPStatus.BAD_REQUEST,
    )


def _closed_checkout_page(request: HttpRequest, checkout: Checkout, *, because: str) -> HttpResponse:
    return _checkout_page(
        request,
        checkout,
        "wallet_sandbox/checkout_closed.html",
        status=HTTPStatus.GONE,
        closed=because,
        shop_url=checkout.request["redirectDetails"]["returnUrl"],
    )


def _checkout_page(
    request: HttpRequest,
    checkout: Checkout,
    template: str,
    *,
    status: HTTPStatus,
    form_targets: Iterable[str] = (),
    **context: Any,
) -> HttpResponse:
    language = page_language(checkout.language)
    context |= {
        "view": checkout_view(CheckoutRequest.from_wire(checkout.request), language=language),
        "merchant_name": checkout.merchant.shown_name,
        "expires_at": checkout.expires_at,
    }
    skin = page_skin(checkout.skin_id)
    return render_page(
        request, template, context, language=language, skin=skin, status=status, form_targets=form_targets
    )


def unknown_link_page(request: HttpRequest) -> HttpResponse:
    """Answer 404 for an unknown link."""
    return render_page(
        request,
        "wallet_sandbox/checkout_closed.html",
        {"closed": "unknown"},
        language=browser_language(request.headers.get("Accept-Language", "")),
        skin=DEFAULT_SKIN,
        status=HTTPStatus.NOT_FOUND,
    )


def render_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    language: str,
    skin: str,
    status: HTTPStatus,
    form_targets: Iterable[str] = (),
) -> HttpResponse:
    """Render a page of the customer with its language, direction, skin and security headers."""
    context |= {
        "language": language,
        "direction": direction(language),
        "skin": skin,
        "skin_stylesheet": static(f"wallet_sandbox/skins/{skin}.css"),
    }
    with translation.override(language):
        response = render(request, template, context, status=status)
    return set_security_headers(response, form_targets=form_targets)


# As for the checkout page, the unguessable link is the authorization.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show_authentication(request: HttpRequest, token: str) -> HttpResponse:
    """Show or leave a 3-D Secure page; answers 410 if it is decided or expired, 404 for an unknown link."""
    authentication = (
        Authentication.objects.select_related("record__merchant", "record__account")
        .filter(token=token)
        .first()
    )
    if authentication is None:
        return unknown_link_page(request)
    try:
        if request.method == "POST":
            return _submit_authentication(request, authentication)
        check_authentication_open(authentication, now=current_conditions().now)
    except Refusal as refusal:
        return _authentication_page(
            request, authentication, status=HTTPStatus.GONE, closed=_AUTHENTICATION_CLOSED[refusal.reason]
        )
    return _authentication_page(request, authentication, status=HTTPStatus.OK)


def _submit_authentication(request: HttpRequest, authentication: Authentication) -> HttpResponse:
    outcome = request.POST.get("outcome", "")
    if outcome not in AuthenticationOutcome.values:
        check_authentication_open(authentication, now=current_conditions().now)
        return _authentication_page(request, authentication, status=HTTPStatus.BAD_REQUEST)
    location = iri_to_uri(decide_authentication(authentication, outcome))
    return set_security_headers(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location}))


def _authentication_page(
    request: HttpRequest, authentication: Authentication, *, status: HTTPStatus, closed: str = ""
) -> HttpResponse:
    requested = request.GET.get("language")
    language = (
        page_language(requested)
        if requested
        else browser_language(request.headers.get("Accept-Language", ""))
    )
    record = authentication.record
    left = authentication.expires_at - current_conditions().now
    context: dict[str, Any] = {
        "amount": amount_text(record.amount, language),
        "currency": record.currency,
        "plain_amount": record.amount.to_wire(),
        "reference": record.reference,
        "account": record.account,
        "merchant_name": record.merchant.shown_name,
        "expires_at": authentication.expires_at,
        "seconds_left": math.ceil(left.total_seconds()),
        "nothing_chosen": status == HTTPStatus.BAD_REQUEST,
        "closed": closed,
        "shop_url": authentication.redirect_details["returnUrl"],
    }
    return render_page(
        request,
        f"wallet_sandbox/three_d_secure{'_closed' if closed else ''}.html",
        context,
        language=language,
        skin=page_skin(request.GET.get("skinId")),
        status=status,
        form_targets=() if closed else authentication.redirect_details.values(),
    )
