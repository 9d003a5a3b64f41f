"""Thin providers for the measured gateway, as the peers' documentation says how to write one.

Both post the order's lines over a kept connection, and change the row that was written before. A provider in
use would sign, check and note more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from getpaid.processor import BaseProcessor
from payments import PaymentStatus, RedirectNeeded
from payments.core import BasicProvider

from bench.shop.views import CHECKOUT_URL, session

if TYPE_CHECKING:
    from django.http import HttpRequest

    from bench.peers_shop.models import ShopPayment


def _opened_page(message: dict[str, Any]) -> str:
    """Post a checkout; return the address of its page."""
    answer = session().post(CHECKOUT_URL, json=message, timeout=30)
    answer.raise_for_status()
    return str(answer.json()["redirectUrl"])


class ThinProvider(BasicProvider):
    """A provider of django-payments."""

    def get_form(self, payment: ShopPayment, data: object = None) -> None:
        """Open the page, note it in the payment, and send the customer there."""
        url = _opened_page(
            {
                "reference": payment.token,
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
        )
        payment.attrs.redirect_url = url
        payment.status = PaymentStatus.INPUT
        payment.save(update_fields=["extra_data", "status", "modified"])
        raise RedirectNeeded(url)


class GetpaidProcessor(BaseProcessor):
    """A provider of django-getpaid."""

    slug = "bench"
    display_name = "Bench"
    accepted_currencies = ("EUR",)

    def prepare_transaction(self, request: HttpRequest, view: object = None, **kwargs: object) -> Any:  # noqa: ANN401
        """Open the page, note that it is open, and send the customer there."""
        from django.http import HttpResponseRedirect

        payment = self.payment
        url = _opened_page(
            {
                "reference": str(payment.id),
                "amount": str(payment.amount_required),
                "currency": payment.currency,
                "returnUrl": f"{self.get_our_baseurl(request)}payments/success/{payment.id}/",
                "lines": payment.get_items(),
            }
        )
        payment.confirm_prepared()
        payment.save()
        return HttpResponseRedirect(url)
