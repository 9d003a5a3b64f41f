"""A shop with one gateway of hand-written records, through the public functions of `payments`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any, TypeVar

from django.core.management import call_command
from django.db.models import Model
from pytest_django import Settings

from tests.support.gateway import Record, StubGateway, losing, record
from wallet_gateway import gateways, payments
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.context import DatabaseClock
from wallet_gateway.findings import Finding
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    PaymentOrder,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.in_process import InProcessTransport

M = TypeVar("M", bound=Model)
SESSION = "session-key-of-ada"
PRICE = Decimal("30.00")
OPERATIONS: dict[str, Callable[..., GatewayTransaction]] = {
    "CAPTURE": payments.capture,
    "REFUND": payments.refund,
    "REVERSAL": payments.reverse,
}
TYPES = {
    "CAPTURE": "ecom.capture",
    "REFUND": "ecom.refund",
    "REVERSAL": "ecom.reversalPreauthorization",
    "DETACHED_REFUND": "detached.refund",
}
_EARLY = (20, 60, 120, 240, 540, 1500)
"""Seconds after which a sweep comes by in the first hour; then it comes every hour."""


class MovedClock(DatabaseClock):
    """The database's clock, moved on by a test."""

    def __init__(self) -> None:
        super().__init__()
        self.by = timedelta(0)
        self._stands_at: datetime | None = None

    def now(self) -> datetime:
        return (self._stands_at or super().now()) + self.by

    def stop(self) -> None:
        """Let time pass only where the test moves it on, for claims about an exact instant."""
        self._stands_at = super().now()

    def sleep(self, seconds: float) -> None:
        self.by += timedelta(seconds=seconds)


class Cut:
    """A transport from which nothing leaves: the address refuses every connection, or another reason."""

    def __init__(self, reason: NotSentReason = NotSentReason.REFUSED_CONNECTION) -> None:
        self._reason = reason

    def send(self, *_: Any, **__: Any) -> RawAnswer:
        raise NotSent(self._reason, detail="nothing left")

    def close(self) -> None:
        """There is no connection."""


class Busy(Cut):
    """A transport whose far end answers nothing and wants to be left alone for a minute."""

    def __init__(self, status: int) -> None:
        self.status, self.asked = status, 0

    def send(self, *_: Any, **__: Any) -> RawAnswer:
        self.asked += 1
        return RawAnswer(status=self.status, headers={"retry-after": "60"}, body=b"", elapsed=0.01)


class Interrupted(Cut):
    """A transport to a gateway; before each request with a body something happens, given its path."""

    def __init__(self, gateway: StubGateway, before: Callable[[str], object]) -> None:
        super().__init__()
        self._far, self._before = InProcessTransport(gateway), before

    def send(self, method: str, path: str, **given: Any) -> RawAnswer:
        if method == "POST":
            self._before(path)
        return self._far.send(method, path, **given)


@dataclass
class Shop:
    """What a shop, its customers and its staff do."""

    gateway: StubGateway
    clock: MovedClock
    settings: Settings
    _connect: Callable[[StubGateway], object]
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    # The machine

    def configure(self, **options: Any) -> None:
        """Change options of the gateway, as ``APPROVALS={"LIMITS": {"EUR": "5.00"}}``; it stays connected."""
        gateways_now = self.settings.WALLET_GATEWAY["GATEWAYS"]
        self.set(GATEWAYS=gateways_now | {"default": gateways_now["default"] | options})

    def set(self, **options: Any) -> None:
        """Change options of the whole shop, as ``RETENTION_DAYS=30``; its gateway stays connected."""
        self.settings.WALLET_GATEWAY = self.settings.WALLET_GATEWAY | options
        if "default" in self.settings.WALLET_GATEWAY["GATEWAYS"]:
            self._connect(self.gateway)

    @contextmanager
    def cut_off(self, reason: NotSentReason = NotSentReason.REFUSED_CONNECTION) -> Iterator[None]:
        """Let no request leave the shop for a while."""
        gateways.use_transport(Cut(reason), alias="default")
        yield
        self._connect(self.gateway)

    def interrupt(self, before: Callable[[str], object]) -> None:
        """Let something happen before each request with a body, given its path, until it is called again."""
        gateways.use_transport(Interrupted(self.gateway, before), alias="default")

    def busy(self, status: int) -> Busy:
        """Let the gateway want to be left alone, until something is configured."""
        gateways.use_transport(busy := Busy(status), alias="default")
        return busy

    def until(self, instant: datetime | None) -> None:
        """Go to just after an instant that a row has written down."""
        assert instant is not None
        self.clock.by += max(instant - self.clock.now(), timedelta(0)) + timedelta(milliseconds=1)

    def sweep_when_due(self, transaction: GatewayTransaction, *, times: int = 1) -> None:
        """Let the sweep come as it wants to, some times, and read the transaction again."""
        for _ in range(times):
            if (instant := transaction.next_send_at or transaction.next_query_at) is None:
                return
            self.until(instant)
            payments.sweep()
            transaction.refresh_from_db()

    # Customers

    def order(self, **given: Any) -> PaymentOrder:
        number = next(self._numbers)
        details: dict[str, Any] = {
            "currency": "EUR",
            "amount": PRICE,
            "cardholder_email": f"customer{number}@shop.example",
        }
        return payments.create_order(reference=f"S-{number}", **details | given)

    def begin(self, **given: Any) -> Payment:
        """Open the payment page of a new order."""
        return payments.start_checkout(self.order(**given))

    def two_pages(self, **given: Any) -> tuple[Payment, Payment]:
        """Open two pages of a new order that can both be paid: the first one has little time left."""
        first = self.begin(**given)
        self.clock.by += timedelta(seconds=850)
        second = payments.start_checkout(order_of(first))
        # The gateway was asked about the first one just now.
        self.clock.by += timedelta(seconds=3)
        return first, second

    def pay(self, **given: Any) -> Payment:
        """Pay a new order on the page; the shop knows of it."""
        payment = self.begin(**given)
        opening = {"sale": "ecom.sale", "preauthorization": "ecom.preAuthorization"}
        self.report(payment, record(payment.reference, type=opening[given.get("type", "sale")]))
        self.ask(payment)
        payment.refresh_from_db()
        return payment

    def pay_for(self, kind: str) -> Payment:
        """Pay a new order so that an operation of this kind is possible."""
        return self.pay(type="sale" if kind == "REFUND" else "preauthorization")

    def deposit(self, reference: str = "OLD-1", amount: str = "50.00") -> MigratedDeposit:
        """Import a payment that was made through another provider."""
        names = (
            "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId"
        )
        line = f"{reference},2026-01-15T10:30:00,{amount},EUR,0.00,PRV-{reference}"
        payments.maintenance.import_migration_file([f"{names}\n", f"{line}\n"], gateway="default")
        return MigratedDeposit.objects.get(parent_transaction_id=reference)

    def approve_card(self, order: PaymentOrder) -> dict[str, str]:
        """See the wallet's button and choose a tokenized card; return what the page would post."""
        button = payments.wallet.open_session(order, session=SESSION)
        return {
            "clientSystemTransactionId": button.reference,
            "transactionAccountId": f"A-{button.reference}",
            "transactionMethod": "WalletPay",
            "cryptogram": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "eciIndicator": "05",
        }

    def press_button(self, order: PaymentOrder) -> Payment:
        """Pay with a tokenized card of the wallet; the gateway's next answer decides."""
        return payments.wallet.pay(order, session=SESSION, detail=self.approve_card(order))

    # What the gateway reports and the shop asks

    def report(self, subject: Payment | GatewayTransaction, *records: Any) -> None:
        """Let the gateway answer queries for a reference with these records from now on."""
        self.gateway.records[subject.reference] = list(records)

    def ask(self, payment: Payment) -> PaymentOrder:
        """Ask the gateway now for everything of an order."""
        self.clock.by += timedelta(seconds=10)
        return payments.reconcile(order_of(payment), everything=True)

    def report_and_ask(self, payment: Payment, *records: Any) -> PaymentOrder:
        """Ask the gateway for everything of an order, after it has learned these records of one payment."""
        self.report(payment, *records)
        return self.ask(payment)

    def days(self, number: int) -> None:
        """Let days pass, on each of which a sweep comes by, and one more for the last day's latest queries.

        A daily query of a page is delayed by up to a fifth of a day, so that not all come at once.
        """
        for hours in (*[24] * number, 5):
            self.clock.by += timedelta(hours=hours)
            payments.sweep()

    def hours(self, number: int) -> None:
        """Let hours pass with sweeps as they come by in life."""
        begun = self.clock.by
        for seconds in (*_EARLY, *range(3600, number * 3600 + 1, 3600)):
            self.clock.by = begun + timedelta(seconds=seconds)
            payments.sweep()

    # Staff

    def lose_answer(self, operate: Callable[..., GatewayTransaction], *arguments: Any) -> GatewayTransaction:
        """Request an operation whose answer is lost."""
        self.gateway.answers.append(losing)
        transaction = operate(*arguments)
        assert transaction.state == "UNKNOWN"
        return transaction

    def decide(self, payment: Payment, decision: str) -> None:
        """Decide as a person on the contradiction of a payment, and close every other difference of it."""
        for transaction in payment.transactions.filter(state="ANOMALY"):
            payments.approvals.resolve(transaction, decision=decision, reason="looked it up", by="anna")
        for difference in Discrepancy.objects.filter(payment=payment, closed_at=None):
            payments.approvals.close_discrepancy(difference, reason="looked it up", by="anna")
        assert not open_differences()


def reloaded(row: M) -> M:
    """Return a row as it is now."""
    row.refresh_from_db()
    return row


def order_of(payment: Payment) -> PaymentOrder:
    """Return the order of a payment as it is now."""
    return PaymentOrder.objects.get(pk=payment.order_id)


def open_differences(payment: Payment | None = None) -> list[Discrepancy]:
    """Return what waits for a person, of one payment or of all."""
    found = Discrepancy.objects.filter(closed_at=None)
    return list(found if payment is None else found.filter(payment=payment))


def kinds(payment: Payment | None = None) -> set[str]:
    """Return the kinds of the differences that wait for a person."""
    return {difference.kind for difference in open_differences(payment)}


def state(payment: Payment) -> tuple[str, bool]:
    """Return the state of a payment's order, and whether a customer may pay it (again)."""
    order = order_of(payment)
    return order.state, order.is_payable


def totals(payment: Payment) -> tuple[Money, Money]:
    """Return what was captured and refunded of an order, as the books say."""
    summary = payments.order_summary(order_of(payment))
    return summary.captured, summary.refunded


def told() -> list[tuple[str, int | None]]:
    """Return kinds and amounts, in minor units, of what the shop is told, the oldest first."""
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", "amount_minor"))


def kinds_told() -> list[str]:
    """Return the kinds of what the shop is told, the oldest first."""
    return [kind for kind, _ in told()]


def opening(payment: Payment) -> GatewayTransaction:
    """Return the transaction that opened a payment, as it is now."""
    return GatewayTransaction.objects.get(reference=payment.reference)


def euros(amount: str) -> Money:
    return Money(Decimal(amount), "EUR")


def news() -> list[Finding]:
    """Return what health tells a person, without what it says of the sweep itself."""
    return [finding for finding in payments.maintenance.health().problems if finding.subject != "sweep"]


def doctors_words() -> str:
    """Return all that the doctor says; it may find this machine in a bad state, too."""
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("wallet_doctor", stdout=out)
    return out.getvalue()


def compared(**options: Any) -> str:
    """Return what `wallet_reconcile` prints."""
    out = io.StringIO()
    call_command("wallet_reconcile", days=300, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def differences_by_comparison() -> dict[str, list[str]]:
    """Return the kinds of differences by reference, from the function behind `wallet_reconcile`."""
    rows = payments.maintenance.comparison("default", days=300).rows
    return {row.transaction.reference: [str(one.kind) for one in row.differences] for row in rows}


def of(transaction: GatewayTransaction, **fields: Any) -> Record:
    """Return the record of a follow-up with its own type and amount, approved, with changes."""
    own = {"type": TYPES[transaction.kind], "transactionAmount": float(transaction.amount.amount)}
    return record(transaction.reference, **own | fields)


def book_gateways_amount(difference: Discrepancy) -> GatewayTransaction:
    """Book a capture or refund with the amount that the gateway reports, by a person's decision."""
    return payments.approvals.book_discrepancy(difference, reason="as on the statement", by="anna")
