"""Desk: a name for the one page of figures and tasks, so that the admin lists and links it like any other."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.transactions import GatewayTransaction


class Desk(GatewayTransaction):
    """No rows of its own."""

    class Meta:
        proxy = True
        verbose_name = _("money desk")
        verbose_name_plural = _("money desk")
        default_permissions = ()
