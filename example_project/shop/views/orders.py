"""The customer's page of an order: payment button, payment status, data from the wallet; the demo's panel."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from example_project.shop.models import Order
from example_project.shop.preferences import known_order_key, remember_order
from example_project.shop.sheet_choices import SheetChoices
from example_project.shop.sheet_form import SheetForm
from example_project.shop.states import standing
from wallet_gateway import payments


@require_safe
@never_cache
def order(request: HttpRequest, key: str) -> HttpResponse:
    """Show the order to any visitor with its address; the key in it cannot be guessed."""
    shown = _order(key)
    remember_order(request.session, shown)
    wallet_order = payments.get_order(shown.number)
    context = {
        "order": shown,
        "wallet_order": wallet_order,
        "summary": payments.order_summary(wallet_order),
        "timeline": payments.orders.order_timeline(wallet_order),
        "standing": standing(wallet_order.state),
        "receipt": payments.wallet.receipt(wallet_order),
    }
    if settings.DEBUG and wallet_order.is_payable:
        context["sheet"] = SheetForm.showing(SheetChoices.of(shown.sheet))
    return render(request, "shop/order.html", context)


@require_safe
@never_cache
def back(request: HttpRequest, number: str) -> HttpResponse:
    """Lead from the payment's result to the order's page, which a visitor must have seen before."""
    key = known_order_key(request.session, number)
    return redirect("shop:order", key) if key else redirect("shop:shelf")


@require_POST
def sheet(request: HttpRequest, key: str) -> HttpResponse:
    """Store the choices of the demo's panel, for this order and the visitor's next ones."""
    if not settings.DEBUG:
        raise Http404
    changed, form = _order(key), SheetForm(request.POST, prefix="sheet")
    if form.is_valid():
        choices = form.choices()
        choices.save(request.session)
        changed.sheet = asdict(choices)
        changed.save(update_fields=["sheet"])
        messages.info(request, _("The wallet's button is as you chose."))
    return redirect(changed)


def _order(key: str) -> Order:
    found = get_object_or_404(Order.objects.prefetch_related("lines__product"), key=key)
    # Some databases compare text without letter case, which would make the key easier to guess.
    if not constant_time_compare(found.key, key):
        raise Http404
    return found
