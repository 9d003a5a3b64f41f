"""System check: a proxy's own `payment_changed` is never called, because no row says whose it is."""

from __future__ import annotations

from collections.abc import Iterator
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
    return [_message(model) for model in _proxies() if _is_overridden(model)]


def _proxies() -> Iterator[type[PayableOrder]]:
    return (model for model in apps.get_models() if issubclass(model, PayableOrder) and model._meta.proxy)


def _is_overridden(proxy: type[PayableOrder]) -> bool:
    concrete: Any = proxy._meta.concrete_model
    return proxy.payment_changed is not concrete.payment_changed


def _message(proxy: type[PayableOrder]) -> CheckMessage:
    concrete: Any = proxy._meta.concrete_model
    hint = (
        f"A row does not say which proxy it belongs to. Decide in {concrete.__name__}.payment_changed by a "
        f"column; if that calls the proxy's, silence this. See {address_of('reference/checks', _ID)}"
    )
    text = f"payment_changed of the proxy {proxy.__name__} is not called; that of {concrete.__name__} is."
    return CheckWarning(text, hint=hint, obj=proxy, id=_ID)
