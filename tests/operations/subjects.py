"""What moves money, told apart by name only, so that one table of faults fits all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from tests.operations.journal import times_sent
from tests.operations.wallet_customer import Customer, authorizing_through
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.domain.record_attribution import minor_units
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups import detached_refunds
from wallet_gateway.operations.follow_ups.execute import SYSTEM, Initiator
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.testing.control import SandboxControl

OPERATIONS = ("capture", "refund", "reversal", "detached_refund")
_AMOUNTS = {"capture": 500, "refund": 500, "reversal": 2000, "detached_refund": 500}
_ORDER_STATES = {
    "capture": (OrderState.AUTHORIZED, OrderState.PART_CAPTURED),
    "refund": (OrderState.PAID, OrderState.PART_REFUNDED),
    "reversal": (OrderState.AUTHORIZED, OrderState.REVERSED),
}
DEPOSIT = "OLD-1001"
MIGRATION_FILE = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    f"{DEPOSIT},2026-01-15T10:30:00,50.00,EUR,10.00,PRV-1\n"
)


@dataclass
class Subject:
    """One operation on something that it can be carried out on."""

    name: str
    control: SandboxControl
    context: GatewayContext
    payment: Payment | None = None
    deposit: MigratedDeposit | None = None

    @property
    def amount(self) -> int:
        return _AMOUNTS[self.name]

    def execute(
        self, context: GatewayContext | None = None, *, who: Initiator = SYSTEM
    ) -> GatewayTransaction:
        """Ask for the operation once; the answer is the transaction as it is stored."""
        context, amount = context or self.context, Decimal(self.amount) / 100
        if self.payment is None:
            transaction = detached_refunds.refund_migrated(
                parent_transaction_id=DEPOSIT, amount=amount, currency="EUR", context=context, who=who
            )
        elif self.name == "capture":
            transaction = follow_ups.capture(payment=self.payment, amount=amount, context=context, who=who)
        elif self.name == "refund":
            transaction = follow_ups.refund(payment=self.payment, amount=amount, context=context, who=who)
        else:
            transaction = follow_ups.reverse(payment=self.payment, context=context, who=who)
        stored = GatewayTransaction.objects.get(pk=transaction.pk)
        assert (stored.state, stored.explanation) == (transaction.state, transaction.explanation), (
            "what is returned is stored"
        )
        return stored

    def reserved(self) -> int:
        """What is held back while the outcome is not known, in minor units."""
        row = self._row()
        if isinstance(row, Payment) and self.name == "reversal":
            return row.authorized if row.reversal == Reversal.RESERVED else 0
        if isinstance(row, Payment) and self.name == "capture":
            return row.capture_reserved
        return row.refund_reserved

    def booked(self) -> int:
        """What our books say was done, in minor units."""
        row = self._row()
        if isinstance(row, Payment) and self.name == "reversal":
            return row.authorized if row.reversal == Reversal.DONE else 0
        if isinstance(row, Payment) and self.name == "capture":
            return row.captured
        return row.refunded

    def is_frozen(self) -> bool:
        return self._row().is_frozen

    def order_state_is(self, *, done: bool) -> bool:
        """Whether the order stands as it must with the operation done, or not done; a deposit has none."""
        if self.payment is None:
            return True
        self.payment.order.refresh_from_db()
        return self.payment.order.state == _ORDER_STATES[self.name][done]

    def requests(self) -> int:
        """How many requests of this operation reached the gateway."""
        return times_sent(self.control, self.name)

    def executed(self, transaction: GatewayTransaction) -> int:
        """What the gateway's own records say was done under the transaction's reference, in minor units."""
        records = self.context.gateway.status(transaction.reference).message.records
        return sum(minor_units(record) or 0 for record in records if record.is_approved)

    def _row(self) -> Payment | MigratedDeposit:
        row = self.payment or self.deposit
        assert row is not None
        row.refresh_from_db()
        return row


@dataclass
class Button(Subject):
    """A card of the wallet that is charged: its order waits as long as the outcome is not known."""

    order: PaymentOrder | None = None

    @property
    def amount(self) -> int:
        return 2000

    def execute(
        self, context: GatewayContext | None = None, *, who: Initiator = SYSTEM
    ) -> GatewayTransaction:
        """See the button, approve, and post what came of it; only the charge goes another way."""
        assert self.order is not None
        customer = Customer(self.control, self.context)
        detail = customer.approve(customer.open(self.order))
        sender = authorizing_through(context or self.context, context=self.context)
        self.payment = customer.post(self.order, detail, sender)
        stored = GatewayTransaction.objects.get(pk=self.payment.opening.pk)
        assert stored.wallet_secrets is None, "a cryptogram is not kept once it was sent"
        return stored

    def reserved(self) -> int:
        return self.amount if self._order_state() == OrderState.PENDING else 0

    def booked(self) -> int:
        row = self._row()
        assert isinstance(row, Payment)
        assert row.authorized == row.captured
        return row.captured

    def order_state_is(self, *, done: bool) -> bool:
        return self._order_state() in ({OrderState.PAID} if done else {OrderState.PENDING, OrderState.FAILED})

    def _order_state(self) -> str:
        assert self.order is not None
        self.order.refresh_from_db()
        return self.order.state


def make_subject(
    name: str, *, control: SandboxControl, context: GatewayContext, pay: Callable[..., Payment]
) -> Subject:
    """Prepare what an operation is carried out on: a payment of 20.00, or a deposit of 50.00 less 10.00."""
    if name == "detached_refund":
        control.migration_file(MIGRATION_FILE)
        lines = MIGRATION_FILE.splitlines(keepends=True)
        migration_file.import_migration_file(lines, gateway="default", clock=context.clock)
        return Subject(name, control, context, deposit=MigratedDeposit.objects.get())
    payment = pay(type="sale" if name == "refund" else "preauthorization")
    return Subject(name, control, context, payment=payment)
