"""Oscar's dashboard: a payment event that the staff create captures, refunds or releases at the gateway.

Nothing is recorded here. An operation whose outcome is unknown returns as well, so oscar's books are written
by the receivers, when the gateway has said what happened.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from django.db import transaction as db_transaction
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from oscar.apps.order.exceptions import InvalidPaymentEvent
from oscar.apps.payment.exceptions import PaymentError
from oscar.core.loading import get_model

from wallet_gateway import payments
from wallet_gateway.contrib.bridges import columns_of, take_over, why_not_approved
from wallet_gateway.contrib.oscar import sources
from wallet_gateway.formats import format_money
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.decisions import CAPTURE, REFUND, REVERSE

_PERMISSIONS: Final = {
    sources.PAID: CAPTURE,
    sources.REFUNDED: REFUND,
    sources.RELEASED: REVERSE,
}
_DOUBLE_CLICK: Final = timedelta(minutes=1)


_Oscars: Any = object  # oscar has no types


class WalletOrderMixin(_Oscars):
    """Extends the dashboard's `OrderDetailView`: no transaction around it, and the handler knows the user."""

    @method_decorator(db_transaction.non_atomic_requests)
    def dispatch(self, *args: Any, **kwargs: Any) -> Any:
        """Answer a request outside of any transaction: the gateway may be called."""
        return super().dispatch(*args, **kwargs)

    def get_handler(self, user: Any = None, **kwargs: Any) -> Any:
        """Return the handler of events, with the user who has pressed the button."""
        user = user or self.request.user
        return super().get_handler(user, **kwargs)

    def create_payment_event(self, request: Any, order: Any, lines: Any, quantities: Any) -> Any:
        """Without an amount take the price of the chosen pieces; oscar takes that of their whole lines."""
        if request.POST.get("amount") or sources.source_of(order) is None:
            return super().create_payment_event(request, order, lines, quantities)
        types = get_model("order", "PaymentEventType").objects
        event_type = types.filter(code=request.POST.get("payment_event_type")).first()
        try:
            amount = self.get_handler().calculate_payment_event_subtotal(event_type, lines, quantities)
        except InvalidPaymentEvent:
            amount = Decimal(0)  # It is refused by the handler, which says why.
        return self._create_payment_event(request, order, amount, lines, quantities)


class WalletEventMixin(_Oscars):
    """Extends oscar's `EventHandler` for orders that are paid by wallet."""

    def handle_payment_event(
        self, order: Any, event_type: Any, amount: Decimal, *lines: Any, **kwargs: Any
    ) -> Any:
        """Capture, refund or release; raises `PaymentError` unless the gateway has approved it.

        `lines` are order lines and their quantities, as in oscar.
        """
        source = sources.source_of(order)
        if source is None or event_type.name not in _PERMISSIONS:
            return super().handle_payment_event(order, event_type, amount, *lines, **kwargs)
        self.validate_payment_event(order, event_type, amount, *lines, **kwargs)
        if self.user is not None:
            if not self.user.has_perm(_PERMISSIONS[event_type.name]):
                raise PaymentError(_("You may not do this with payments. Ask for the permission."))
            if not amount.is_finite():
                raise PaymentError(_("The amount is not a number."))
            recent = order.payment_events.filter(date_created__gt=timezone.now() - _DOUBLE_CLICK)
            if recent.filter(event_type=event_type, amount=amount).exists():
                # Oscar's form has nothing by which a second click could be told from a second refund.
                raise PaymentError(
                    _("The same was done a moment ago. If it is meant twice, wait for a minute.")
                )
        pieces = list(zip(*lines, strict=True)) if lines and all(lines) else []
        is_part = bool(pieces) and amount < self.calculate_payment_event_subtotal(event_type, *lines)
        done = self._approved(order, source, event_type.name, amount)
        event = order.payment_events.filter(reference=done.reference).first()
        # Without an event the receiver has failed; it is called again later.
        if event and is_part:
            # Oscar takes a piece into one event of a type only, so the rest of its price could not follow.
            what = ", ".join(line.title for line, _quantity in pieces)
            told = {"event": event_type.name, "amount": format_money(done.amount), "lines": what}
            self.create_note(order, _("%(event)s %(amount)s: a part of the price of %(lines)s.") % told)
        elif event:
            for line, quantity in pieces:
                event.line_quantities.create(line=line, quantity=quantity)
        return event

    def _approved(self, order: Any, source: Any, event: str, amount: Decimal) -> GatewayTransaction:
        before, by = columns_of(order), self.user or "oscar"
        try:
            to_pay = sources.order_to_pay(source)
            if event == sources.PAID:
                done = payments.capture(to_pay, amount, by=by)
            elif event == sources.REFUNDED:
                done = payments.refund(to_pay, amount, by=by)
            elif amount != payments.order_summary(to_pay).authorized.amount:
                raise PaymentError(_("Only the whole reserved amount can be released."))
            else:
                done = payments.reverse(to_pay, by=by)
        except payments.errors.OperationError as error:
            raise PaymentError(str(error)) from error
        if reason := why_not_approved(done):
            raise PaymentError(reason)
        # Who has captured ships now, and oscar's `set_status` saves the whole order.
        take_over(order, before, columns_of(order))
        return done
