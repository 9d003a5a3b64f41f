"""The customer's page of an order: what was ordered, how its payment stands, what happened at the gateway."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from example_project.shop.models import Order
from example_project.shop.states import standing
from wallet_gateway import payments


@require_safe
@never_cache
def order(request: HttpRequest, key: str) -> HttpResponse:
    """Show the order to whoever has its address; the key in it cannot be guessed."""
    shown = get_object_or_404(Order.objects.prefetch_related("lines__product"), key=key)
    # Some databases find a text in any letter case, which would make the key easier to guess.
    if not constant_time_compare(shown.key, key):
        raise Http404
    wallet_order = payments.get_order(shown.number)
    context = {
        "order": shown,
        "wallet_order": wallet_order,
        "summary": payments.order_summary(wallet_order),
        "timeline": payments.order_timeline(wallet_order),
        "standing": standing(wallet_order.state),
    }
    return render(request, "shop/order.html", context)
