"""A provider of django-payments: opens the payment page, captures, refunds, releases and cancels.

An operation whose outcome is unknown raises `PaymentError`: the payment is changed by the receivers, when the
gateway has said what happened.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NoReturn

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from payments import PaymentError, PaymentStatus, RedirectNeeded
from payments.core import BasicProvider

from wallet_gateway import payments as wallet
from wallet_gateway.contrib.bridges import columns_of, payment_page, postal_address, why_not_approved
from wallet_gateway.contrib.django_payments import receivers
from wallet_gateway.models import GatewayTransaction, PaymentOrder

_APP = "wallet_gateway.contrib.django_payments"


class WalletProvider(BasicProvider):
    """Payments by wallet; `gateway` is an alias of the setting `GATEWAYS`."""

    def __init__(self, capture: bool = True, gateway: str = "default") -> None:  # noqa: FBT001, FBT002 - theirs
        super().__init__(capture=capture)
        if not apps.is_installed(_APP):
            # Without its receivers nothing would become of a payment that the customer has made.
            raise ImproperlyConfigured(f"Add {_APP!r} to INSTALLED_APPS.")
        self.gateway = gateway

    def get_form(self, payment: Any, data: object = None) -> NoReturn:  # noqa: ARG002 - theirs
        """Send the customer to the payment page; there is no form to show."""
        order = self._order(payment)
        receivers.begin(payment)
        raise RedirectNeeded(payment_page(order))

    def _order(self, payment: Any) -> PaymentOrder:
        known = receivers.order_of(payment)
        # A customer who comes again, in another language or after the variant has moved, has the same order.
        with override((known.language or None) if known else get_language()):
            details = self.order_details(payment)
            if known is not None:
                details["gateway"] = known.gateway
            return wallet.create_order(reference=payment.token, **details)

    def order_details(self, payment: Any) -> dict[str, Any]:
        """Return the arguments of `create_order`; a subclass may add to them."""
        items = [
            wallet.Item(product_id=sku, product_name=name, unit_amount=price, quantity=quantity)
            for name, quantity, price, _currency, sku, _rate in payment.get_purchased_items()
        ]
        # Their columns have texts as defaults, which a payment that was just created still has.
        delivery, total = Decimal(payment.delivery), Decimal(payment.total)
        goods: dict[str, Any] = {"amount": total}
        # What is bought is left out if it does not come to the total.
        if items and sum(item.unit_amount * item.quantity for item in items) + delivery == total:
            goods = {"items": items, "shipping": wallet.Shipping(name=_("Shipping"), amount=delivery)}
        return {
            "gateway": self.gateway,
            "type": "sale" if self._capture else "preauthorization",
            "currency": payment.currency,
            "order_number": str(payment.pk),
            "language": get_language(),
            "cardholder_first_name": payment.billing_first_name or None,
            "cardholder_last_name": payment.billing_last_name or None,
            "cardholder_email": payment.billing_email or None,
            "billing_address": postal_address(
                line=payment.billing_address_1,
                city=payment.billing_city,
                postcode=payment.billing_postcode,
                country=payment.billing_country_code,
            ),
            "continue_url": payment.get_process_url(),
            "redirect_when_paid": True,
            **goods,
        }

    def process_data(self, payment: Any, request: HttpRequest) -> HttpResponseRedirect:  # noqa: ARG002 - theirs
        """Send a customer who comes back to the shop's page; only the gateway's word decides which."""
        receivers.update(payment, columns_of(payment))
        paid = payment.status in {PaymentStatus.CONFIRMED, PaymentStatus.PREAUTH}
        return HttpResponseRedirect(payment.get_success_url() if paid else payment.get_failure_url())

    def get_token_from_request(self, payment: Any, request: HttpRequest) -> NoReturn:  # noqa: ARG002 - theirs
        """Refuse a notification: the gateway sends none."""
        raise PaymentError("the gateway sends no notifications", code=404)

    def capture(self, payment: Any, amount: Decimal | None = None) -> None:
        """Capture all that is reserved, or `amount`."""
        self._done(payment, wallet.capture, amount)

    def release(self, payment: Any) -> None:
        """Release the reserved amount."""
        self._done(payment, wallet.reverse)

    def refund(self, payment: Any, amount: Decimal | None = None) -> Decimal:
        """Refund all that is captured, or `amount`; return what was refunded."""
        refunded = self._done(payment, wallet.refund, amount)
        # django-payments subtracts what is returned here, and the payment has it subtracted already. Then it
        # saves the whole payment.
        payment.captured_amount += refunded
        receivers.expect_save(payment)
        return refunded

    def cancel(self, payment: Any) -> None:
        """Take no new payment; what the customer has begun may still pay until `order_released`.

        Without an order, one is stored and cancelled, so that none is opened later.
        """
        before = columns_of(payment)
        try:
            order = receivers.order_of(payment) or self._order(payment)
            wallet.cancel(order, by="django-payments")
        except wallet.errors.OperationError as error:
            raise PaymentError(str(error)) from error
        receivers.update(payment, before)

    def _done(self, payment: Any, operation: Any, *amount: Decimal | None) -> Decimal:
        before = columns_of(payment)
        try:
            order = receivers.order_of(payment)
            if order is None:
                raise PaymentError("nothing was to be paid by wallet")
            done: GatewayTransaction = operation(order, *amount)
        except wallet.errors.OperationError as error:
            raise PaymentError(str(error)) from error
        if reason := why_not_approved(done):
            raise PaymentError(reason)
        receivers.update(payment, before)
        return (done.approved_amount or done.amount).amount
