"""Oscar's checkout: the order is placed first, and its customer is sent on to pay."""

from __future__ import annotations

from typing import Any, Final

from django.db import transaction as db_transaction
from django.urls import reverse
from django.utils.decorators import method_decorator
from oscar.apps.checkout.exceptions import PassedSkipCondition

from wallet_gateway.contrib.bridges import payment_page
from wallet_gateway.contrib.oscar import sources

_View: Any = object  # oscar's, which has no types
_OSCARS_MODULE: Final = "oscar.apps.checkout.views"


class WalletPaymentMixin(_View):
    """Extends oscar's `PaymentDetailsView`; what other sources have paid for needs no wallet."""

    payment_url = ""

    # The gateway is called, and what is sent to it must be committed first, whatever ATOMIC_REQUESTS says.
    @method_decorator(db_transaction.non_atomic_requests)
    def dispatch(self, *args: Any, **kwargs: Any) -> Any:
        """Answer a request outside of any transaction."""
        return super().dispatch(*args, **kwargs)

    def get_skip_conditions(self, request: Any) -> list[str]:
        """Add to oscar's conditions that the step before the preview is passed over."""
        return [*super().get_skip_conditions(request), "skip_placeholder"]

    def skip_placeholder(self, _request: Any) -> None:
        """Pass over oscar's own page for payment details, which only says that it must be written."""
        # The module is that of the class which was extended: a shop that asks for something has forked it.
        if not self.preview and self.__module__ == _OSCARS_MODULE:
            raise PassedSkipCondition(url=reverse("checkout:preview"))

    def place_order(self, *args: Any, **kwargs: Any) -> Any:
        """Place the order and store what is to be paid for it: both, or neither."""
        with db_transaction.atomic():
            order = super().place_order(*args, **kwargs)
            sources.open_source(order)
        return order

    def handle_successful_order(self, order: Any) -> Any:
        """End the checkout and send the customer to the payment page."""
        if source := sources.source_of(order):
            self.payment_url = payment_page(sources.order_to_pay(source))
        return super().handle_successful_order(order)

    def get_success_url(self) -> str:
        """Return the payment page; oscar's thank-you page comes after it."""
        return self.payment_url or super().get_success_url()

    def send_order_placed_email(self, order: Any) -> None:
        """Send nothing yet: the receivers send oscar's confirmation when the order is paid."""
        if not self.payment_url:
            super().send_order_placed_email(order)
