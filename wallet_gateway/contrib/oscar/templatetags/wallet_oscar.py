"""The tag of `{% load wallet_oscar %}`, for oscar's own pages of an order."""

from __future__ import annotations

from typing import Any

from django import template

from wallet_gateway.contrib.oscar import sources
from wallet_gateway.models import PaymentOrder

register = template.Library()


@register.simple_tag
def payment_order(order: Any) -> PaymentOrder | None:
    """Return what is to be paid for an oscar order, with its state; None if it is paid in another way."""
    source = sources.source_of(order)
    return source and sources.order_to_pay(source)
