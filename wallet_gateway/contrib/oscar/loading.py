"""`OSCAR_DYNAMIC_CLASS_LOADER`, oscar's own setting: its classes, three of them with the wallet's part.

So no app is forked. In a shop that has forked one, its class is the one that is extended.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from django.utils.module_loading import import_string
from oscar.core.loading import default_class_loader

EXTENDED: Final = {
    "checkout.views.PaymentDetailsView": "wallet_gateway.contrib.oscar.checkout.WalletPaymentMixin",
    "dashboard.orders.views.OrderDetailView": "wallet_gateway.contrib.oscar.dashboard.WalletOrderMixin",
    "order.processing.EventHandler": "wallet_gateway.contrib.oscar.dashboard.WalletEventMixin",
}


def class_loader(module_label: str, names: Sequence[str], module_prefix: str) -> list[Any]:
    """Return what oscar's own loader finds in a module, extended where `EXTENDED` says so."""
    found = default_class_loader(module_label, names, module_prefix)
    paths = [f"{module_label}.{name}" for name in names]
    return [
        _extended(EXTENDED[path], one) if path in EXTENDED else one
        for path, one in zip(paths, found, strict=True)
    ]


@cache
def _extended(mixin_path: str, loaded: type) -> type:
    mixin = import_string(mixin_path)
    if issubclass(loaded, mixin):
        return loaded
    return type(loaded.__name__, (mixin, loaded), {"__module__": loaded.__module__, "__doc__": loaded.__doc__})
