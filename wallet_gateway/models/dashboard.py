"""Dashboard: a proxy without rows, so that the admin lists and links its page like any other model."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.transactions import GatewayTransaction


class Dashboard(GatewayTransaction):
    """Proxy for the dashboard page, without rows of its own."""

    class Meta:
        proxy = True
        verbose_name = _("payments dashboard")
        verbose_name_plural = _("payments dashboard")
        default_permissions = ()
