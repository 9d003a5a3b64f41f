"""The scenario of `demo --once`: every operation once, each compared with the gateway's records."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from example_project.shop.demo.customer import Customer
from example_project.shop.demo.gateway_log import NO_RECORD, GatewayRecord, GatewayTruth
from example_project.shop.models import Order, PackingSlip
from example_project.shop.states import standing
from wallet_gateway import payments
from wallet_gateway.testing.sandbox import SandboxControl

SALE, PREAUTHORIZATION = "ecom.sale", "ecom.preAuthorization"
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"
DETACHED_REFUND = "detached.refund"

# The gateway's expected state for each state of an attempt, or of an operation on it, in our records.
MEANS = {
    "OPEN": NO_RECORD,
    "PENDING": "Pending",
    "AUTHORIZED": "Approved",
    "PAID": "Approved",
    "APPROVED": "Approved",
    "FAILED": "Errored",
    "REJECTED": "Errored",
}
SECONDS_TO_SETTLE = 20.0
OLD_DEPOSIT = "OLD-PROVIDER-4711"
MIGRATION_FILE = (
    "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
    f"{OLD_DEPOSIT},2025-11-03T09:15:00,60.00,EUR,10.00,PSP-0815\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the scenario: our result and the gateway's."""

    name: str
    ours: str
    theirs: str
    amount: str
    is_equal: bool


class Story:
    """Runs the scenario against one sandbox; the shop and its database are those of the settings."""

    def __init__(self, *, control: SandboxControl, truth: GatewayTruth) -> None:
        self._control = control
        self._truth = truth

    def tell(self) -> Iterator[Step]:
        """Yield the steps of every chapter; each chapter has its own customer and order."""
        yield from self._a_sale()
        yield from self._a_piece_made_to_order()
        yield from self._a_reservation_given_back()
        yield from self._a_payment_that_hangs()
        yield from self._a_second_attempt()
        yield from self._a_refund_of_an_older_payment()

    def _a_sale(self) -> Iterator[Step]:
        customer = Customer(self._control)
        order = customer.orders("harbour-mug", "first-light", currency="JPY", code="LARK10")
        reference = customer.opens_checkout(order)
        yield self._attempt("sale: payment page opened", reference, SALE)
        customer.decides(reference, "success")
        yield self._attempt("sale: paid, customer is back", reference, SALE)
        yield self._packed("sale: the shop packs, once", order, customer.reads(order))

    def _a_piece_made_to_order(self) -> Iterator[Step]:
        customer = Customer(self._control)
        order = customer.orders("hearth-teapot", currency="EUR")
        reference = customer.opens_checkout(order)
        customer.decides(reference, "success")
        yield self._attempt("pre-authorization: approved", reference, PREAUTHORIZATION)
        wallet_order = payments.get_order(order.number)
        captured = payments.capture(wallet_order, Decimal("40.00"), comment="the pot, without its handle")
        yield self._operation(
            "capture of a part", captured.reference, CAPTURE, captured.state, captured.amount
        )
        refunded = payments.refund(wallet_order, Decimal("15.00"), comment="a scratch")
        yield self._operation("refund of a part", refunded.reference, REFUND, refunded.state, refunded.amount)
        payments.reconcile(wallet_order, everything=True)
        yield self._books("status: asked about everything", order, [captured.reference], [refunded.reference])

    def _a_reservation_given_back(self) -> Iterator[Step]:
        customer = Customer(self._control)
        order = customer.orders("hearth-teapot", "tide-bowl", currency="KWD", code="THANKYOU")
        reference = customer.opens_checkout(order)
        customer.decides(reference, "success")
        yield self._attempt("another pre-authorization", reference, PREAUTHORIZATION)
        reversed_ = payments.reverse(payments.get_order(order.number), comment="the kiln broke")
        yield self._operation("reversal", reversed_.reference, REVERSAL, reversed_.state, reversed_.amount)

    def _a_payment_that_hangs(self) -> Iterator[Step]:
        customer = Customer(self._control)
        order = customer.orders("brewing-by-hand", currency="EUR")
        reference = customer.opens_checkout(order)
        customer.decides(reference, "pending")
        yield self._attempt("sale: pending", reference, SALE)
        self._control.settle_pending(reference, "success")
        self._reconcile_until_final(order)
        yield self._attempt("sale: settled later", reference, SALE)

    def _a_second_attempt(self) -> Iterator[Step]:
        customer = Customer(self._control)
        order = customer.orders("wren-pen", currency="EUR")
        refused = customer.opens_checkout(order)
        customer.decides(refused, "refused")
        yield self._attempt("sale: refused", refused, SALE)
        second = customer.opens_checkout(order)
        customer.decides(second, "success")
        yield self._attempt("sale: paid at the second attempt", second, SALE)

    def _a_refund_of_an_older_payment(self) -> Iterator[Step]:
        self._control.migration_file(MIGRATION_FILE)
        payments.maintenance.import_migration_file(MIGRATION_FILE.splitlines(keepends=True))
        refunded = payments.refund_migrated(
            OLD_DEPOSIT, Decimal("25.00"), "EUR", comment="paid before we moved"
        )
        yield self._operation(
            "detached refund", refunded.reference, DETACHED_REFUND, refunded.state, refunded.amount
        )

    def _attempt(self, name: str, reference: str, kind: str) -> Step:
        attempt = payments.orders.attempt_for(reference)
        return self._operation(name, reference, kind, attempt.state, attempt.amount)

    def _operation(self, name: str, reference: str, kind: str, state: str, amount: payments.Money) -> Step:
        record = self._truth.record(reference, kind)
        is_same_money = record.state == NO_RECORD or _is(record, amount)
        is_equal = record.state == MEANS.get(state) and is_same_money
        return Step(name=name, ours=state, theirs=record.state, amount=_written(amount), is_equal=is_equal)

    def _packed(self, name: str, order: Order, title: str) -> Step:
        slips = PackingSlip.objects.filter(order=order).count()
        wallet_order = payments.get_order(order.number)
        return Step(
            name=name,
            ours=f"{wallet_order.state}, {slips} slip",
            theirs="Approved",
            amount=_written(wallet_order.amount),
            is_equal=slips == 1 and title == str(standing("PAID").title),
        )

    def _books(self, name: str, order: Order, captures: list[str], refunds: list[str]) -> Step:
        summary = payments.order_summary(payments.get_order(order.number))
        captured, refunded = self._approved(captures, CAPTURE), self._approved(refunds, REFUND)
        return Step(
            name=name,
            ours=f"{summary.captured.amount} - {summary.refunded.amount}",
            theirs=f"{captured} - {refunded}",
            amount=f"{captured - refunded} {order.currency}",
            is_equal=(summary.captured.amount, summary.refunded.amount) == (captured, refunded),
        )

    def _approved(self, references: list[str], kind: str) -> Decimal:
        records = [self._truth.record(reference, kind) for reference in references]
        return sum(
            (record.amount or Decimal(0) for record in records if record.state == "Approved"), Decimal(0)
        )

    def _reconcile_until_final(self, order: Order) -> None:
        # A transaction is queried at most every two seconds, however often the loop runs.
        give_up_at = time.monotonic() + SECONDS_TO_SETTLE
        while not payments.reconcile(payments.get_order(order.number)).is_final:
            if time.monotonic() > give_up_at:
                return
            time.sleep(0.25)


def _is(record: GatewayRecord, amount: payments.Money) -> bool:
    return (record.amount, record.currency) == (amount.amount, amount.currency)


def _written(amount: payments.Money) -> str:
    return f"{amount.to_wire()} {amount.currency}"
