"""What moves money, told apart by name only, so that one table of faults fits all of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.support.gateway import Answer, Sent
from tests.support.shop import Shop, order_of
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder

FOLLOW_UPS = ("capture", "refund", "reversal", "detached_refund")
MOVERS = (*FOLLOW_UPS, "authorization")
OPERATIONS = (*MOVERS, "checkout")
FIVE = Decimal("5.00")
_DONE_STATES = {
    "capture": "PART_CAPTURED",
    "refund": "PART_REFUNDED",
    "reversal": "REVERSED",
    "authorization": "PAID",
}


@dataclass
class Mover:
    """One operation on something that it can be carried out on."""

    name: str
    shop: Shop
    payment: Payment | None = None
    deposit: MigratedDeposit | None = None
    order: PaymentOrder | None = None

    @property
    def amount(self) -> int:
        return 3000 if self.name in {"reversal", "authorization", "checkout"} else 500

    def will(self, *answers: Answer) -> None:
        """Let the next requests of this operation be answered so."""
        (self.shop.gateway.pages if self.name == "checkout" else self.shop.gateway.answers).extend(answers)

    def execute(self, **who: Any) -> GatewayTransaction:
        """Ask for the operation once; return the transaction as it is stored."""
        if self.name == "checkout":
            assert self.order is not None
            with suppress(payments.errors.GatewayUnreachable, payments.errors.GatewayRefused):
                payments.start_checkout(self.order)
            return GatewayTransaction.objects.latest("pk")
        if self.name == "authorization":
            assert self.order is not None
            self.payment = self.shop.press_button(self.order)
            return GatewayTransaction.objects.get(payment=self.payment)
        if self.deposit is not None:
            parent = self.deposit.parent_transaction_id
            returned = payments.refund_migrated(parent, FIVE, "EUR", **who)
        else:
            assert self.payment is not None
            order = order_of(self.payment)
            if self.name == "reversal":
                returned = payments.reverse(order, **who)
            else:
                returned = {"capture": payments.capture, "refund": payments.refund}[self.name](
                    order, FIVE, **who
                )
        stored = GatewayTransaction.objects.get(pk=returned.pk)
        assert (stored.state, stored.explanation) == (returned.state, returned.explanation), "as it is stored"
        return stored

    def held(self) -> int:
        """What is held back while the outcome is not known, in minor units."""
        if self.order is not None:
            self.order.refresh_from_db()
            return self.amount if self.order.state == "PENDING" else 0
        row = self.row()
        if isinstance(row, Payment) and self.name == "reversal":
            return row.authorized if row.reversal == "reserved" else 0
        if isinstance(row, Payment) and self.name == "capture":
            return row.capture_reserved
        return row.refund_reserved

    def booked(self) -> int:
        """What the books say was done, in minor units."""
        if self.order is not None:
            return sum(payment.captured for payment in Payment.objects.filter(order=self.order))
        row = self.row()
        if isinstance(row, Payment) and self.name == "reversal":
            return row.authorized if row.reversal == "done" else 0
        if isinstance(row, Payment) and self.name == "capture":
            return row.captured
        return row.refunded

    def row(self) -> Payment | MigratedDeposit:
        """Return the payment or deposit as it is now."""
        found = self.payment or self.deposit
        assert found is not None
        found.refresh_from_db()
        return found

    def requests(self, transaction: GatewayTransaction) -> list[Sent]:
        """Return the requests of this transaction that reached the gateway."""
        sent = (*self.shop.gateway.sent, *self.shop.gateway.opened)
        return [one for one in sent if one["clientSystemTransactionId"] == transaction.reference]

    def check_money(self, transaction: GatewayTransaction) -> None:
        """See that what is held and booked fits the state of the transaction, and so does the order."""
        done = transaction.state == "APPROVED"
        awaited = transaction.state in {"UNKNOWN", "PENDING", "NOT_SENT", "SENDING"}
        assert self.held() == (self.amount if awaited and self.name != "checkout" else 0)
        assert self.booked() == (self.amount if done else 0)
        if self.deposit is None and transaction.payment is not None:
            state = order_of(transaction.payment).state
            assert (state == _DONE_STATES.get(self.name)) is done


def mover(name: str, shop: Shop) -> Mover:
    """Prepare what an operation is carried out on: a payment of 30.00, a deposit of 50.00, or an order."""
    if name == "detached_refund":
        return Mover(name, shop, deposit=shop.deposit())
    if name in {"authorization", "checkout"}:
        return Mover(name, shop, order=shop.order())
    return Mover(name, shop, payment=shop.pay(type="sale" if name == "refund" else "preauthorization"))
