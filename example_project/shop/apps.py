"""The shop as a Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ShopConfig(AppConfig):
    """Connects the shop's receivers to the wallet's signals."""

    name = "example_project.shop"
    label = "shop"
    verbose_name = _("Lark & Loam")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the receivers, which connects them."""
        from example_project.shop import receivers  # noqa: F401
