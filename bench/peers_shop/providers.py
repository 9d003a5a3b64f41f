"""A thin provider for the measured gateway, as django-payments' documentation says how to write one.

It posts the order's lines over a kept connection, and changes the row that was written before. A provider in
use would sign, check and note more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from payments import PaymentStatus, RedirectNeeded
from payments.core import BasicProvider

from bench.shop.hand import GATEWAY, SESSION

if TYPE_CHECKING:
    from bench.peers_shop.models import ShopPayment


class ThinProvider(BasicProvider):
    """Opens a page, notes it in the payment, and sends the customer there."""

    def get_form(self, payment: ShopPayment, data: object = None) -> None:
        message = {
            "clientSystemTransactionId": payment.token,
            "amount": str(payment.total),
            "currency": payment.currency,
            "returnUrl": self.get_return_url(payment),
            "lines": [
                {
                    "sku": item.sku,
                    "name": item.name,
                    "quantity": item.quantity,
                    "price": str(item.price),
                    "taxRate": str(item.tax_rate),
                }
                for item in payment.get_purchased_items()
            ],
        }
        answer = SESSION.post(f"{GATEWAY['BASE_URL']}/api/v5/checkout", json=message, timeout=30)
        answer.raise_for_status()
        payment.attrs.redirect_url = str(answer.json()["redirectUrl"])
        payment.status = PaymentStatus.INPUT
        payment.save(update_fields=["extra_data", "status", "modified"])
        raise RedirectNeeded(payment.attrs.redirect_url)
