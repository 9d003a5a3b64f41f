"""The pages to which a customer is redirected: the hosted checkout page and the 3-D Secure page.

The views show a page, or pass the customer's decision on and redirect to the shop. A checkout request names
the language; on the 3-D Secure page it is the browser's, or the query parameter ``language``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import iri_to_uri
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from wallet_gateway.protocol.checkout import BillingAddress, CheckoutRequest, CheckoutType, ShippingAddress
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.authorizations import check_authentication_open, decide_authentication
from wallet_gateway.sandbox.checkouts import check_checkout_open, decide_checkout
from wallet_gateway.sandbox.models import Authentication, AuthenticationOutcome, Checkout, Outcome
from wallet_gateway.sandbox.pages import (
    browser_language,
    page_language,
    render_in_language,
    set_security_headers,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions

_CLOSED: Final = {
    "CheckoutUsedUp": "decided",
    "CheckoutExpired": "expired",
    "AuthenticationUsedUp": "decided",
    "AuthenticationExpired": "expired",
}
_CAMEL_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


# No session authorizes this page: the unguessable link does, so a forged POST would need to know it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def show_checkout(request: HttpRequest, token: str) -> HttpResponse:
    """Show or decide a checkout; answers 410 if it is decided or expired, 404 for an unknown link."""
    checkout = Checkout.objects.select_related("merchant").filter(token=token).first()
    if checkout is None:
        return _unknown_link_page(request)
    order = CheckoutRequest.from_wire(checkout.request)
    urls = checkout.request["redirectDetails"]
    now = current_conditions().now
    context = {
        "merchant_name": checkout.merchant.shown_name,
        "money": order.money,
        "currency": order.money.currency,
        "reference": order.client_system_transaction_id,
        "order_number": order.provider_discretionary_data,
        "wallet": wallet_name(order.checkout_details.payment_method),
        "skin": checkout.skin_id,
        "reserves": order.type == CheckoutType.PREAUTHORIZATION,
        "expires_at": checkout.expires_at,
        "shop_url": urls["returnUrl"],
    }
    if checkout.expires_at:
        context["seconds_left"] = math.ceil((checkout.expires_at - now).total_seconds())
    return _answer(
        request,
        "checkout",
        context | _order(order),
        language=page_language(checkout.language),
        urls=urls.values(),
        outcomes=Outcome.values,
        decide=partial(decide_checkout, checkout),
        check_open=partial(check_checkout_open, checkout, now=now),
    )


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
        return _unknown_link_page(request)
    record = authentication.record
    urls = authentication.redirect_details
    now = current_conditions().now
    context = {
        "merchant_name": record.merchant.shown_name,
        "money": record.amount,
        "currency": record.currency,
        "reference": record.reference,
        "account": record.account,
        "expires_at": authentication.expires_at,
        "seconds_left": math.ceil((authentication.expires_at - now).total_seconds()),
        "shop_url": urls["returnUrl"],
    }
    requested = request.GET.get("language")
    return _answer(
        request,
        "three_d_secure",
        context,
        language=page_language(requested) if requested else browser_language(request),
        urls=urls.values(),
        outcomes=AuthenticationOutcome.values,
        decide=partial(decide_authentication, authentication),
        check_open=partial(check_authentication_open, authentication, now=now),
    )


def _answer(
    request: HttpRequest,
    name: str,
    context: dict[str, Any],
    *,
    language: str,
    urls: Iterable[str],
    outcomes: Iterable[str],
    decide: Callable[[str], str],
    check_open: Callable[[], None],
) -> HttpResponse:
    """Redirect a customer who has decided, or show the page; a form without a decision is answered 400."""
    try:
        outcome = request.POST.get("outcome", "")
        if outcome in outcomes:
            # The URL was validated with the request of the shop; the page's policy allows no other origin.
            location = iri_to_uri(decide(outcome))
            response = HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": location})
            return set_security_headers(response)
        check_open()
    except Refusal as refusal:
        context["closed"] = _CLOSED[refusal.reason]
        response = render_in_language(
            request, f"{name}_closed", context, language=language, status=HTTPStatus.GONE
        )
        return set_security_headers(response)
    context["nothing_chosen"] = request.method == "POST"
    status = HTTPStatus.BAD_REQUEST if context["nothing_chosen"] else HTTPStatus.OK
    response = render_in_language(request, name, context, language=language, status=status)
    return set_security_headers(response, form_targets=urls)


def _unknown_link_page(request: HttpRequest) -> HttpResponse:
    language, context = browser_language(request), {"closed": "unknown"}
    return set_security_headers(
        render_in_language(
            request, "checkout_closed", context, language=language, status=HTTPStatus.NOT_FOUND
        )
    )


def wallet_name(provider: str) -> str:
    """Return the display name of a provider constant: ``Example Wallet`` for ``ExampleWalletV2``."""
    return _CAMEL_HUMP.sub(" ", re.sub(r"V\d+$", "", provider)) or provider


def _order(order: CheckoutRequest) -> dict[str, Any]:
    """Return the lines of an order and what the shop passed on of its payer."""
    details, addresses = order.checkout_details, order.address_details
    phones = (
        details.cardholder_mobile_phone,
        details.cardholder_home_phone,
        details.cardholder_work_phone,
    )
    payer = {
        "name": _joined(details.cardholder_first_name, details.cardholder_last_name),
        "email": details.cardholder_email,
        "phone": next(filter(None, phones), ""),
        "billing_address": _address(addresses.billing_address if addresses else None),
        "shipping_address": _address(addresses.shipping_address if addresses else None),
    }
    cart = order.shopping_cart_details
    items = (cart and cart.item_details) or ()
    lines = [Money.parse(item.total_amount, order.money.currency, allow_zero=True) for item in items]
    return {
        "payer": payer if any(payer.values()) else None,
        "cart": cart,
        "pieces": sum(item.product_quantity for item in items),
        "subtotal": Money(sum((line.amount for line in lines), Decimal(0)), order.money.currency),
    }


def _address(address: BillingAddress | ShippingAddress | None) -> list[str]:
    if address is None:
        return []
    name = _joined(address.first_name, address.last_name) if isinstance(address, ShippingAddress) else ""
    lines = (
        name,
        _joined(address.street, address.house_number),
        _joined(address.zip_postal_code, address.city),
        _joined(address.state, address.country_code),
    )
    return [line for line in lines if line]


def _joined(*words: str | None) -> str:
    return " ".join(word for word in words if word)
