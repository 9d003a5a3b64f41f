"""Django admin for payments: lists, operation pages, the dashboard. Only operations change rows.

Importing this registers every page with the default admin site; `register` adds them to another one.
"""

from __future__ import annotations

from django.apps import apps
from django.contrib.admin import AdminSite, site

from wallet_gateway.admin import (  # noqa: F401 - they register their pages
    approvals,
    batches,
    dashboard,
    deposits,
    discrepancies,
    orders,
    transactions,
)

__all__ = ["register"]


def register(other: AdminSite) -> None:
    """Register the pages of the default admin site with another one, each with the same class."""
    for model in apps.get_app_config("wallet_gateway").get_models():
        if site.is_registered(model):
            other.register(model, type(site.get_model_admin(model)))
