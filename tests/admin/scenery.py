"""Rows for the pages of the admin to be looked at: much of everything, long words, and text that means harm.

No operation had a hand in them, and no gateway is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.urls import reverse

from tests.models.rows import a_deposit, a_payment, a_transaction, an_approval, an_order
from tests.support.explanations import commented
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletUsage,
)
from wallet_gateway.models.fields import explanation_columns

CONTENT: dict[str, Any] = {
    "checkoutDetails": {
        "cardholderFirstName": "Robin",
        "cardholderLastName": "Example",
        "cardholderEmail": "robin.example@mail.example",
        "cardholderMobilePhone": "49-15112345678",
        "cardholderId": "CUSTOMER-4711",
    },
    "addressDetails": {
        "billingAddress": {
            "houseNumber": "12a",
            "street": "Long Street",
            "city": "Berlin",
            "zipPostalCode": "10115",
            "countryCode": "DE",
        },
        "shippingAddress": {"firstName": "Sam", "street": "unbreakable" * 9, "city": "Potsdam"},
    },
    "shoppingCartDetails": {
        "totalTaxAmount": "2.35",
        "itemDetails": [
            {
                "productId": "SKU-1",
                "productName": "Garden gloves",
                "productQuantity": 2,
                "unitAmount": "7.00",
                "taxRate": "19",
                "totalAmount": "13.00",
                "totalTaxAmount": "2.08",
                "discountAmount": "1.00",
                "discountName": "Spring",
            },
            {
                "productId": "S" * 60,
                "productName": "Seeds of an unusuallylongnamedplantthathasnoend",
                "productDescription": "A description over more than one line, for people who read it.",
                "productQuantity": 1,
                "unitAmount": "1234567.89",
                "totalAmount": "1234567.89",
            },
        ],
        "shippingDetails": {"shippingName": "By post", "shippingAmount": "4.90"},
        "discountDetails": [
            {"discountType": "giftcard", "discountName": "Gift card", "discountAmount": "10.00"}
        ],
    },
}
"""What a shop tells of an order: its customer, addresses and cart, as they are stored."""
HOSTILE = "<script>alert(1)</script> \u202egnp.exe " + "unbreakable" * 20
BODY = '{"amount": "20.00", "merchant": "SANDBOX-MERCHANT", "address": "' + "x" * 300 + '"}'
LISTS = (
    "paymentorder",
    "gatewaytransaction",
    "transactionevent",
    "discrepancy",
    "migrateddeposit",
    "operationbatch",
)

ONE_OF_EACH = (
    "list of paymentorder",
    "busy order",
    "confirm capture",
    "approval",
    "import",
    "report",
    "refund deposits",
    "draft batch",
    "running batch",
    "dashboard",
    "health",
    "keys",
)
"""A page of each template."""


class Scenery:
    """What stands in the database, and which pages show it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)
        self.paid = self._busy_order()
        self.payment = self.paid.payments.get(state="AUTHORIZED")
        self.waiting = self._waiting_order()
        self.untried = an_order(reference="SHOP-3000", state="OPEN", created_at=self.now)
        self.closed = self._order_with_closed_button()
        for number, state in enumerate(OrderState):
            an_order(reference=f"SHOP-4{number:03}", state=state, created_at=self.now)
        self._weeks()
        self.discrepancy = self._difference("MADE_ELSEWHERE", self.payment, **commented(HOSTILE[:500]))
        self.deposits = self._deposits()
        week = {"expires_at": self.now + timedelta(days=6), "created_at": self.now}
        self.asked = an_approval(payment=self.payment, comment=HOSTILE[:400], **week)
        self.draft, self.running, self.stopped = map(self._batch, ("DRAFT", "RUNNING", "STOPPED"))
        self.refunds = self._refunds()

    def pages(self) -> Iterator[tuple[str, str]]:
        """Give each page a name and its address."""
        event = TransactionEvent.objects.latest("pk")
        for model in (*LISTS, "approval"):
            yield f"list of {model}", self._url(f"{model}_changelist")
        for slug in ("capture", "refund", "reversal"):
            yield f"confirm {slug}", self._url("paymentorder_operation", self.paid.pk, self.payment.pk, slug)
        for name, view, row in (
            ("busy order", "paymentorder_change", self.paid),
            ("waiting order", "paymentorder_change", self.waiting),
            ("order nobody tried to pay", "paymentorder_change", self.untried),
            ("order with closed button", "paymentorder_change", self.closed),
            ("raise limits", "paymentorder_wallet_limits", self.closed),
            ("history", "paymentorder_history", self.paid),
            ("transaction", "gatewaytransaction_change", self.unknown),
            ("transactionevent", "transactionevent_change", event),
            ("discrepancy", "discrepancy_change", self.discrepancy),
            ("close discrepancy", "discrepancy_close", self.discrepancy),
            ("book discrepancy", "discrepancy_book", self.discrepancy),
            ("decide", "gatewaytransaction_decide", self.anomaly),
            ("send again", "gatewaytransaction_send_again", self.unsent),
            ("approval", "approval_decide", self.asked),
            ("deposit", "migrateddeposit_change", self.deposits[0]),
            ("draft batch", "operationbatch_confirm", self.draft),
            ("running batch", "operationbatch_progress", self.running),
            ("stopped batch", "operationbatch_progress", self.stopped),
            ("ended refunds", "operationbatch_progress", self.refunds),
        ):
            yield name, self._url(view, row.pk)
        ids = ",".join(str(deposit.pk) for deposit in self.deposits)
        for name, view, query in (
            ("empty list", "paymentorder_changelist", "?q=nothing"),
            ("import", "migrateddeposit_import", ""),
            ("report", "migrateddeposit_report", ""),
            ("refund deposits", "migrateddeposit_refund", f"?ids={ids}"),
            ("dashboard", "dashboard_figures", ""),
            ("dashboard before its figures", "dashboard_changelist", ""),
            ("dashboard of nothing", "dashboard_figures", "?first=2020-01-01&last=2020-01-02"),
            ("dashboard with a wrong day", "dashboard_figures", "?first=soon&last=2020-01-02"),
            ("health", "dashboard_health", ""),
            ("keys", "dashboard_keys", ""),
        ):
            yield name, self._url(view) + query
        yield "emergency stop", self._url("dashboard_stop", "default", "stop")

    def _url(self, name: str, *arguments: object) -> str:
        return reverse(f"admin:wallet_gateway_{name}", args=arguments)

    # What there is

    def _busy_order(self) -> PaymentOrder:
        order = an_order(
            reference="SHOP-1000-" + "A-VERY-LONG-REFERENCE-" * 2,
            order_number=HOSTILE[:64],
            type="preauthorization",
            amount_minor=123_456_789,
            state="PART_REFUNDED",
            content=CONTENT,
            created_at=self.now,
        )
        self._transaction(a_payment(order, state="FAILED"), kind="CHECKOUT", state="REJECTED")
        money = {"authorized": 100_000_000, "captured": 60_000_000, "refunded": 1_000_000}
        card = {"card_network": "VISA", "card_last_four": "4242"}
        payment = a_payment(order, state="AUTHORIZED", **card, **money)
        made: dict[str, Any] = {"state": "APPROVED", "created_by": "anna"}
        for hours, kind in ((3, "CHECKOUT"), (2, "CAPTURE"), (1, "REFUND")):
            at = self.now - timedelta(hours=hours)
            self._evidence(self._transaction(payment, kind=kind, at=at, **made), at)
        self._transaction(payment, kind="REFUND", origin="ELSEWHERE", **made)
        return order

    def _waiting_order(self) -> PaymentOrder:
        order = an_order(reference="SHOP-2000", state="FROZEN", created_at=self.now)
        payment = a_payment(order, authorized=2000, state="AUTHORIZED", is_frozen=True)
        at = self.now - timedelta(minutes=40)
        self.unknown, self.anomaly, self.unsent = (
            self._transaction(payment, state=state, at=at, **commented(words[:500]))
            for state, words in (("UNKNOWN", "no answer came"), ("ANOMALY", HOSTILE), ("NOT_SENT", "refused"))
        )
        self._evidence(self.unknown, at)
        made = {"type": "ecom.refund", "given": "7.00", "currency": "EUR", "record": "SBX-7F3A"}
        elsewhere = {"explanation_code": ExplanationCode.MADE_ELSEWHERE, "explanation_params": made}
        self._difference("MADE_ELSEWHERE", payment, is_freezing=True, **elsewhere)
        self._difference("UNKNOWN_TYPE", payment, is_freezing=True, **commented(HOSTILE))
        return order

    def _order_with_closed_button(self) -> PaymentOrder:
        closed = {"wallet_closed_at": self.now - timedelta(minutes=3), "wallet_limit": "RESULTS"}
        order = an_order(reference="SHOP-3001", state="FAILED", created_at=self.now, **closed)
        WalletUsage.objects.create(order=order, sessions=3, attempts=12, prices=7, results=40)
        self._transaction(a_payment(order, state="FAILED"), kind="AUTHORIZATION", state="REJECTED")
        return order

    def _transaction(
        self, payment: Payment, *, at: datetime | None = None, **columns: Any
    ) -> GatewayTransaction:
        at = at or self.now
        return a_transaction(payment, created_at=at, state_changed_at=at, **columns)

    def _difference(self, kind: str, payment: Payment, **columns: Any) -> Discrepancy:
        given = {"gateway": "default", "payment": payment, "found_at": self.now}
        fingerprint = f"{kind} of {payment.pk}"
        return Discrepancy.objects.create(kind=kind, fingerprint=fingerprint, **given, **columns)

    def _evidence(self, transaction: GatewayTransaction, at: datetime) -> None:
        TransactionEvent.objects.create(
            transaction=transaction,
            kind="ANSWER",
            state_after=transaction.state,
            request_body=BODY,
            answer_body=BODY,
            http_status=200,
            elapsed_ms=123,
            **commented(HOSTILE[:500]),
            occurred_at=at,
        )

    def _weeks(self) -> None:
        for number in range(28):
            at, minor = self.now - timedelta(days=number, hours=2), 1990 + 137 * (number % 23)
            payment = a_payment(an_order(amount_minor=minor, created_at=at), created_at=at)
            outcome: dict[str, Any] = {"state": "APPROVED", "approved_minor": minor}
            if number % 7 == 0:
                outcome = {"state": "REJECTED"}
            opening = self._transaction(payment, at=at, kind="CHECKOUT", amount_minor=minor, **outcome)
            self._evidence(opening, at)

    def _deposits(self) -> list[MigratedDeposit]:
        known = {"is_known": True, "amount_minor": 5000, "transacted_at": self.now, "created_at": self.now}
        return [
            a_deposit(parent_transaction_id="O" * 128, provider_transaction_id="P" * 128, **known),
            a_deposit(parent_transaction_id="OLD-used-up", refunded=5000, **known),
            a_deposit(parent_transaction_id="OLD-frozen", is_frozen=True, **known),
            a_deposit(parent_transaction_id="OLD-unknown"),
        ]

    def _batch(self, state: str) -> OperationBatch:
        batch = OperationBatch.objects.create(
            kind="CAPTURE", state=state, created_by="root", created_at=self.now
        )
        order = an_order(reference=f"SHOP-5{batch.pk:03}", type="preauthorization", created_at=self.now)
        payment = a_payment(order, authorized=2000, state="AUTHORIZED")
        # Claimed by somebody else, so that a look at the page changes nothing.
        held: dict[str, Any] = {"state": "WORKING", "leased_until": self.now + timedelta(days=1)}
        if state == "DRAFT":
            held = {"state": "WAITING"}
        rows = OperationBatchRow.objects
        rows.create(batch=batch, order=order, payment=payment, amount_minor=2000, **held)
        done = self._transaction(self.payment, state="APPROVED", approved_minor=500)
        ended = {"state": "CARRIED_OUT", "transaction": done}
        rows.create(batch=batch, order=self.paid, payment=self.payment, amount_minor=500, **ended)
        rows.create(batch=batch, order=self.untried, state="LEFT_OUT", result_code="NOTHING_AUTHORIZED")
        return batch

    def _refunds(self) -> OperationBatch:
        ended = {"state": "FINISHED", "created_at": self.now, "finished_at": self.now}
        batch = OperationBatch.objects.create(kind="DETACHED_REFUND", created_by="root", **ended)
        limits = {"deposit": "50.00", "refunded": "10.00", "maximum": "40.00", "requested": "60.00"}
        why = explanation_columns(explain(ExplanationCode.REFUND_AMOUNT_EXCEEDED, **limits))
        at: dict[str, Any] = {"created_at": self.now, "state_changed_at": self.now}
        for deposit, state, outcome in (
            (self.deposits[0], "APPROVED", {"approved_minor": 500}),
            (self.deposits[1], "REJECTED", why),
        ):
            refund = {"kind": "DETACHED_REFUND", "amount_minor": 1000, "state": state, **outcome, **at}
            transaction = a_transaction(deposit=deposit, **refund)
            row = {"deposit": deposit, "amount_minor": 1000, "transaction": transaction}
            OperationBatchRow.objects.create(batch=batch, state="CARRIED_OUT", **row)
        return batch
