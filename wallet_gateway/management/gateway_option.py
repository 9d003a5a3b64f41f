"""What the commands say of a `--gateway` that nobody knows, in place of a traceback or of silence."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError

from wallet_gateway import conf
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.text import is_storable


def check_has_orders(alias: str | None) -> None:
    """Raise `CommandError` for an alias that neither the settings have nor any order.

    Orders of a gateway that was removed from the settings are still found. Reads all orders of an unknown
    one, so it is asked where no order was found.
    """
    if alias is None:
        return
    try:
        conf.gateway_settings(alias)
    except ImproperlyConfigured as error:
        if not is_storable(alias) or not PaymentOrder.objects.filter(gateway=alias).exists():
            raise CommandError(f"--gateway: {error}") from error
