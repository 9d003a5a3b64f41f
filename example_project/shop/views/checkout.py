"""The checkout: from the cart to the address, and then the review with shipping and discount code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from example_project.shop.cart import Cart
from example_project.shop.forms import BillingForm, ParcelForm, ReviewForm
from example_project.shop.models import DiscountCode, Order, ShippingMethod, ShippingRate
from example_project.shop.ordering import place_order
from example_project.shop.preferences import CheckoutAnswers, current_currency
from example_project.shop.pricing import Quote, price_cart
from example_project.shop.sheet_choices import SheetChoices
from wallet_gateway import payments

UNPROCESSABLE = 422
# The address of the demo's shortcut, cleaned as the form would clean it.
EXAMPLE_ADDRESS = {
    "email": "robin@example.com",
    "first_name": "Robin",
    "last_name": "Wren",
    "phone": "49-1512345678",
    "street": "Lerchenweg",
    "house_number": "7",
    "zip_postal_code": "20095",
    "city": "Hamburg",
    "country_code": "DEU",
    "state": "DE-HH",
    "ship_elsewhere": False,
}


@require_http_methods(["GET", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    """Show the form for the billing address, and for the shipping address if it is different."""
    if not len(Cart(request.session)):
        return redirect("shop:cart")
    answers = CheckoutAnswers.read(request.session)
    if request.method == "POST" and request.POST.get("action") == "example" and settings.DEBUG:
        return _address_given(request, {"billing": EXAMPLE_ADDRESS, "parcel": {}})
    billing, parcel = _address_forms(request, answers)
    if request.method == "POST":
        elsewhere = "billing-ship_elsewhere" in request.POST
        # Both are validated before the result is used, so that one response shows every error.
        if all([billing.is_valid(), not elsewhere or parcel.is_valid()]):
            parcel_data = parcel.cleaned_data if elsewhere else {}
            return _address_given(request, {"billing": billing.cleaned_data, "parcel": parcel_data})
    faulty = [form for form in (billing, parcel) if form.errors]
    context = {"billing": billing, "parcel": parcel, "faulty": faulty}
    return render(request, "shop/address.html", context, status=UNPROCESSABLE if faulty else 200)


@require_http_methods(["GET", "POST"])
def review(request: HttpRequest) -> HttpResponse:
    """Show the order before it is placed; update shipping and code, or place it."""
    if not len(Cart(request.session)):
        # The second request of a double click finds that the cart has already become an order.
        key = request.POST.get("order", "")
        # PostgreSQL accepts no NUL, and no key contains one.
        placed = Order.objects.filter(key=key).first() if key.isprintable() else None
        return redirect(placed or "shop:cart")
    answers = CheckoutAnswers.read(request.session)
    if not answers.address:
        return redirect("shop:address")
    form = ReviewForm(request.POST or None, initial={"shipping": answers.shipping, "code": answers.code})
    if request.method == "POST" and form.is_valid():
        return _reviewed(request, form, answers)
    return _review_page(request, form, answers)


def _address_given(request: HttpRequest, address: dict[str, Any]) -> HttpResponse:
    replace(CheckoutAnswers.read(request.session), address=address).save(request.session)
    return redirect("shop:review")


def _reviewed(request: HttpRequest, form: ReviewForm, shown: CheckoutAnswers) -> HttpResponse:
    chosen = replace(
        shown, shipping=form.cleaned_data["shipping"] or shown.shipping, code=form.cleaned_data["code"]
    )
    chosen.save(request.session)
    if request.POST.get("action") != "place":
        return redirect("shop:review")
    if chosen != shown or request.POST.get("total") != _total_shown(_quote(request, chosen)):
        # Never charge an amount that was not on the page when the button was pressed.
        messages.info(request, _("The total has changed. Please look once more and confirm."))
        return redirect("shop:review")
    return _placed(request, form, chosen)


def _placed(request: HttpRequest, form: ReviewForm, answers: CheckoutAnswers) -> HttpResponse:
    try:
        order = place_order(
            _quote(request, answers),
            answers,
            language=get_language() or "en",
            sheet=SheetChoices.read(request.session),
        )
    except payments.errors.InvalidInput as invalid:
        for fault in invalid.errors:
            form.add_error(None, f"{fault.path}: {fault.message}")
        return _review_page(request, form, answers)
    except payments.errors.IdempotencyConflict:
        # The cart changed after an unfinished order with this number: the new order needs its own number.
        return _placed(request, form, answers.under_new_number())
    Cart(request.session).clear()
    answers.for_next_order().save(request.session)
    return redirect(order)


def _review_page(request: HttpRequest, form: ReviewForm, answers: CheckoutAnswers) -> HttpResponse:
    quote = _quote(request, answers)
    context = {
        "form": form,
        "faulty": [form],
        "quote": quote,
        "answers": answers,
        "total_shown": _total_shown(quote),
        "rates": ShippingRate.objects.filter(currency=quote.currency)
        .select_related("method")
        .order_by("method"),
    }
    return render(request, "shop/review.html", context, status=UNPROCESSABLE if form.errors else 200)


def _quote(request: HttpRequest, answers: CheckoutAnswers) -> Quote:
    return price_cart(
        Cart(request.session).lines(),
        current_currency(request.session),
        shipping_method=ShippingMethod.objects.filter(code=answers.shipping).first(),
        code=DiscountCode.objects.filter(code=answers.code, is_active=True).first(),
    )


def _total_shown(quote: Quote) -> str:
    """Return the displayed total, which is sent back with the order; only compared, never charged."""
    return f"{quote.total_minor_units} {quote.currency}"


def _address_forms(request: HttpRequest, answers: CheckoutAnswers) -> tuple[BillingForm, ParcelForm]:
    data: Any = request.POST if request.method == "POST" else None
    billing = BillingForm(data, prefix="billing", initial=answers.address.get("billing"))
    parcel = ParcelForm(
        data if data is not None and "billing-ship_elsewhere" in data else None,
        prefix="parcel",
        initial=answers.address.get("parcel"),
    )
    return billing, parcel
