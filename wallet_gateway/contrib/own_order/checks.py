"""System check: a proxy's own `payment_changed` is never called, because no row says whose it is."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as CheckWarning

from wallet_gateway.contrib.own_order.payable_order import PayableOrder
from wallet_gateway.documentation import address_of

_ID = "wallet_own_order.W001"


@register(Tags.models)
def check_proxies(**_rest: Any) -> list[CheckMessage]:
    """Warn of each proxy that overrides `payment_changed`."""
    found: list[CheckMessage] = []
    for proxy in apps.get_models():
        if not (issubclass(proxy, PayableOrder) and proxy._meta.proxy):
            continue
        concrete: Any = proxy._meta.concrete_model
        if proxy.payment_changed is concrete.payment_changed:
            continue
        hint = (
            f"A row does not say which proxy it belongs to. Decide in {concrete.__name__}.payment_changed by "
            f"a column; if that calls the proxy's, silence this. See {address_of('reference/checks', _ID)}"
        )
        text = f"payment_changed of the proxy {proxy.__name__} is not called; that of {concrete.__name__} is."
        found.append(CheckWarning(text, hint=hint, obj=proxy, id=_ID))
    return found
