"""Context of every page: the cart's count, the currency and, in debug mode, the sandbox's console."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from example_project.shop.cart import Cart
from example_project.shop.money import Currency
from example_project.shop.preferences import current_currency


def shop(request: HttpRequest) -> dict[str, Any]:
    """Return the shop's part of a template's context."""
    return {
        "cart_count": len(Cart(request.session)),
        "currency": current_currency(request.session),
        "currencies": Currency.values,
        "gateway_console": getattr(settings, "GATEWAY_ORIGIN", "") if settings.DEBUG else "",
    }
