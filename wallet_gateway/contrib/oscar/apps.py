"""The app that connects oscar with the plugin, and what a shop may change by a subclass of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, cast

from django.apps import AppConfig, apps
from django.core.checks import register


class WalletConfig(AppConfig):
    """Connects the receivers."""

    name = "wallet_gateway.contrib.oscar"
    label = "wallet_gateway_oscar"
    verbose_name = "Wallet payments"

    paid_status = "Being processed"
    """The status of oscar's pipeline that an order gets when it is paid, or when its amount is reserved."""
    cancelled_status = "Cancelled"
    """The status that ends the payment of an order, and that an order gets which nobody has paid in time."""
    minutes_to_pay: int | None = None
    """How long after it was placed an order can be paid; None for as long as it is not cancelled."""
    payment_type = "sale"
    """`"preauthorization"` where the shop captures when the goods leave."""
    gateway = "default"

    def ready(self) -> None:
        """Connect the receivers, and register the checks."""
        from wallet_gateway.contrib.oscar import checks, receivers

        receivers.connect()
        register(checks.check_shop)

    def order_details(self, order: Any, amount: Decimal) -> dict[str, Any]:
        """Return the arguments of `payments.create_order` for a part of an oscar order, less `reference`."""
        from wallet_gateway.contrib.oscar.sources import order_details

        details = {"gateway": self.gateway, "type": self.payment_type, **order_details(order, amount)}
        if self.minutes_to_pay is not None:
            details["payable_until"] = order.date_placed + timedelta(minutes=self.minutes_to_pay)
        return details


def config() -> WalletConfig:
    """Return the app's configuration: ours, or the shop's subclass of it."""
    return cast(WalletConfig, apps.get_app_config(WalletConfig.label))
