"""The cart: show it, and change one line of it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from example_project.shop.cart import Cart
from example_project.shop.forms import QuantityForm
from example_project.shop.models import Product
from example_project.shop.preferences import current_currency
from example_project.shop.pricing import price_cart


@require_safe
def cart(request: HttpRequest) -> HttpResponse:
    """Show the cart, and its price before shipping and discount."""
    quote = price_cart(Cart(request.session).lines(), current_currency(request.session))
    return render(request, "shop/cart.html", {"quote": quote})


@require_POST
def line(request: HttpRequest, slug: str) -> HttpResponse:
    """Add to a line (`action=add`), or set its quantity; 0 removes it."""
    product = get_object_or_404(Product, slug=slug)
    form = QuantityForm(request.POST)
    if not form.is_valid():
        messages.error(
            request, _("Please give a whole number from 0 to 99 as the quantity of %s.") % product.name
        )
        return redirect("shop:cart")
    wanted, basket = form.cleaned_data["quantity"], Cart(request.session)
    is_added = request.POST.get("action") == "add"
    kept = basket.add(product, wanted) if is_added else basket.set_quantity(product, wanted)
    _tell(request, product, kept, is_added=is_added)
    return redirect("shop:cart")


def _tell(request: HttpRequest, product: Product, kept: int, *, is_added: bool) -> None:
    if kept == 0:
        messages.info(request, _("%s is no longer in your cart.") % product.name)
    elif kept == product.most_per_order:
        messages.info(
            request, _("%(name)s: %(count)d in your cart, more we cannot promise.") % _said(product, kept)
        )
    elif is_added:
        messages.success(request, _("%s is in your cart.") % product.name)
    else:
        messages.success(request, _("%(name)s: %(count)d in your cart.") % _said(product, kept))


def _said(product: Product, kept: int) -> dict[str, object]:
    return {"name": product.name, "count": kept}
