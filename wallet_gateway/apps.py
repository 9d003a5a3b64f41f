"""The Django app. Registers the system checks; touches neither database nor network."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WalletGatewayConfig(AppConfig):
    """Payments through a wallet payment service."""

    name = "wallet_gateway"
    verbose_name = _("Wallet payments")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from wallet_gateway import checks  # noqa: F401 - registration needs the app registry
