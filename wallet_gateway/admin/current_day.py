"""The day that it is for the operator: by the clock of the gateways, in Django's current time zone."""

from __future__ import annotations

from datetime import date

from django.utils import timezone

from wallet_gateway import gateways


def today() -> date:
    """Return the current day in the current time zone."""
    return timezone.localtime(gateways.clock().now()).date()
