"""The hosted checkout page: where the customer's browser is sent, decides, and is sent back to the shop.

A door only: it shows a checkout, and hands a decision to the engine. What the page says is in ``pages``
and the templates.
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
from wallet_gateway.sandbox.engine.checkouts import check_open, decide_checkout
from wallet_gateway.sandbox.engine.refusals import CheckoutExpired, CheckoutUsedUp
from wallet_gateway.sandbox.models import Checkout, Outcome
from wallet_gateway.sandbox.pages.checkout import DEFAULT_SKIN, checkout_view, page_skin
from wallet_gateway.sandbox.pages.headers import secured
from wallet_gateway.sandbox.pages.languages import browser_language, direction, page_language
from wallet_gateway.sandbox.state import current_conditions

_CLOSED_BECAUSE: Final = {CheckoutUsedUp: "decided", CheckoutExpired: "expired"}


# No cookie and no log-in stands behind this page: the unguessable link is the whole right to decide, and
# whoever would forge the POST would have to know it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest, token: str) -> HttpResponse:
    """Show the checkout behind a link, or decide it; 410 once that is over, 404 where there is none."""
    checkout = Checkout.objects.select_related("merchant").filter(token=token).first()
    if checkout is None:
        return unknown_link(request)
    try:
        if request.method == "POST":
            return _decide(request, checkout)
        check_open(checkout, now=current_conditions().now)
    except (CheckoutUsedUp, CheckoutExpired) as refusal:
        return _closed_link(request, checkout, because=_CLOSED_BECAUSE[type(refusal)])
    return _open_page(request, checkout)


def _decide(request: HttpRequest, checkout: Checkout) -> HttpResponse:
    outcome = request.POST.get("outcome", "")
    if outcome not in Outcome.values:
        return _open_page(request, checkout, status=HTTPStatus.BAD_REQUEST)
    # The shop's URL was checked with the request it came in; the page's policy allows no other origin.
    location = iri_to_uri(decide_checkout(checkout, outcome))
    return secured(HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location}))


def _open_page(
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


def _closed_link(request: HttpRequest, checkout: Checkout, *, because: str) -> HttpResponse:
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
        "merchant_name": checkout.merchant.merchant_id,
        "expires_at": checkout.expires_at,
    }
    skin = page_skin(checkout.skin_id)
    return page(
        request, template, context, language=language, skin=skin, status=status, form_targets=form_targets
    )


def unknown_link(request: HttpRequest) -> HttpResponse:
    """Say that there is nothing behind a link."""
    return page(
        request,
        "wallet_sandbox/checkout_closed.html",
        {"closed": "unknown"},
        language=browser_language(request.headers.get("Accept-Language", "")),
        skin=DEFAULT_SKIN,
        status=HTTPStatus.NOT_FOUND,
    )


def page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    language: str,
    skin: str,
    status: HTTPStatus,
    form_targets: Iterable[str] = (),
) -> HttpResponse:
    """Answer with a page in the customer's frame: language, direction, skin and headers are added."""
    context |= {
        "language": language,
        "direction": direction(language),
        "skin": skin,
        "skin_stylesheet": static(f"wallet_sandbox/skins/{skin}.css"),
    }
    with translation.override(language):
        response = render(request, template, context, status=status)
    return secured(response, form_targets=form_targets)
