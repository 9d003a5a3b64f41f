"""`OSCAR_DYNAMIC_CLASS_LOADER`, oscar's own setting: its classes, three of them with the wallet's part.

So no app is forked. In a shop that has forked one, its class is the one that is extended.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
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
    return [_extended(path, one) if path in EXTENDED else one for path, one in zip(paths, found, strict=True)]


def is_extended(path: str, loaded: type) -> bool:
    """Return whether a class of oscar has the wallet's part."""
    return issubclass(loaded, import_string(EXTENDED[path]))


@cache
def _extended(path: str, loaded: type) -> type:
    if is_extended(path, loaded):
        return loaded
    if not apps.is_installed("wallet_gateway.contrib.oscar"):
        raise ImproperlyConfigured("Add 'wallet_gateway.contrib.oscar' to INSTALLED_APPS.")
    own = {"__module__": loaded.__module__, "__doc__": loaded.__doc__}
    return type(loaded.__name__, (import_string(EXTENDED[path]), loaded), own)
