"""Where a bridge sends the customer of an order that waits for its payment."""

from __future__ import annotations

from django.urls import reverse

from wallet_gateway import conf, payments
from wallet_gateway.models import PaymentOrder


def payment_page(order: PaymentOrder) -> str:
    """Return the gateway's payment page; our own page where it has a wallet button or says why not now.

    Calls the gateway, so it must not run inside a database transaction.
    """
    if conf.gateway_settings(order.gateway).wallet is None:
        try:
            return payments.start_checkout(order).redirect_url
        except payments.errors.OperationError:
            # Our page says what the order's state is, and offers to pay as soon as that is possible.
            pass
    return reverse("wallet_gateway:pay", args=[order.token])
