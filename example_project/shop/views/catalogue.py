"""The product list, a product's page, and the currency switch."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.templatetags.static import static
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from example_project.shop.forms import CurrencyForm
from example_project.shop.models import Category, Price, Product
from example_project.shop.money import Currency
from example_project.shop.preferences import choose_currency, current_currency

COMPANIONS = 4


@require_safe
def shelf(request: HttpRequest) -> HttpResponse:
    """Show all products, or those of one category."""
    wanted = request.GET.get("category", "")
    category = Category(wanted) if wanted in Category.values else None
    products = _priced(current_currency(request.session))
    if category:
        products = products.filter(category=category)
    context = {"products": products, "categories": Category.choices, "category": category}
    return render(request, "shop/shelf.html", context)


@require_safe
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """Send browsers to the logo where a page names no icon, as in the admin."""
    return HttpResponseRedirect(static("shop/logo.svg"))


@require_safe
def product(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one product, and matching ones."""
    products = _priced(current_currency(request.session))
    shown = get_object_or_404(products, slug=slug)
    others = [other for other in products if other.pk != shown.pk]
    # Products of the same category first; the sort keeps the catalogue's order within each half.
    companions = sorted(others, key=lambda other: other.category != shown.category)[:COMPANIONS]
    return render(request, "shop/product.html", {"product": shown, "companions": companions})


@require_POST
def currency(request: HttpRequest) -> HttpResponse:
    """Switch the currency and go back to the page the visitor came from."""
    form = CurrencyForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(form.errors.as_text(), content_type="text/plain")
    choose_currency(request.session, Currency(form.cleaned_data["currency"]))
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return HttpResponseRedirect(target if is_ours else "/")


def _priced(currency: Currency) -> QuerySet[Product]:
    """Return products that have a price in the currency, with only that price in `price_list`."""
    prices = Price.objects.filter(currency=currency)
    return Product.objects.filter(prices__currency=currency).prefetch_related(
        Prefetch("prices", queryset=prices, to_attr="price_list")
    )
