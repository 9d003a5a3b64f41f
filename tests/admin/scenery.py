"""Rows for the pages of the admin to be looked at: much of everything, long words, and text that means harm.

No operation had a hand in them, and no gateway is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.urls import reverse

from tests.explanations import commented
from tests.models.rows import a_deposit, a_payment, a_transaction, an_approval, an_order
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    OrderState,
    PaymentState,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.domain.wallet_limits import WalletLimit
from wallet_gateway.models import (
    BatchState,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    RowState,
    TransactionEvent,
    WalletUsage,
)
from wallet_gateway.models.explanations import explanation_columns

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


class Scenery:
    """What stands in the database, and which pages show it."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)
        self.paid = self._busy_order()
        self.payment = self.paid.payments.get(state=PaymentState.AUTHORIZED)
        self.waiting = self._waiting_order()
        self.untried = an_order(reference="SHOP-3000", state=OrderState.OPEN, created_at=self.now)
        self.closed = self._order_with_closed_button()
        self._many_orders()
        self._weeks()
        self.discrepancy = Discrepancy.objects.create(
            kind="MADE_ELSEWHERE",
            gateway="default",
            payment=self.payment,
            fingerprint="elsewhere",
            **commented(HOSTILE[:500]),
            found_at=self.now,
        )
        self.deposits = self._deposits()
        self.asked = an_approval(
            payment=self.payment,
            comment=HOSTILE[:400],
            expires_at=self.now + timedelta(days=6),
            created_at=self.now,
        )
        self.draft = self._batch(BatchState.DRAFT)
        self.running = self._batch(BatchState.RUNNING)
        self.stopped = self._batch(BatchState.STOPPED)
        self.refunds = self._refunds()

    def pages(self) -> Iterator[tuple[str, str]]:
        """Give each page a name and its address."""
        for model in LISTS:
            yield f"list of {model}", self._url(f"{model}_changelist")
        yield "empty list", self._url("paymentorder_changelist") + "?q=nothing"
        yield "busy order", self._url("paymentorder_change", self.paid.pk)
        yield "waiting order", self._url("paymentorder_change", self.waiting.pk)
        yield "order nobody tried to pay", self._url("paymentorder_change", self.untried.pk)
        yield "order with closed button", self._url("paymentorder_change", self.closed.pk)
        yield "raise limits", self._url("paymentorder_wallet_limits", self.closed.pk)
        yield "history", self._url("paymentorder_history", self.paid.pk)
        for slug in ("capture", "refund", "reversal"):
            yield f"confirm {slug}", self._url("paymentorder_operation", self.paid.pk, self.payment.pk, slug)
        yield "transaction", self._url("gatewaytransaction_change", self.unknown.pk)
        yield (
            "transactionevent",
            self._url("transactionevent_change", TransactionEvent.objects.latest("pk").pk),
        )
        yield "discrepancy", self._url("discrepancy_change", self.discrepancy.pk)
        yield "close discrepancy", self._url("discrepancy_close", self.discrepancy.pk)
        yield "book discrepancy", self._url("discrepancy_book", self.discrepancy.pk)
        yield "decide", self._url("gatewaytransaction_decide", self.anomaly.pk)
        yield "send again", self._url("gatewaytransaction_send_again", self.unsent.pk)
        yield "list of approval", self._url("approval_changelist")
        yield "approval", self._url("approval_decide", self.asked.pk)
        yield "deposit", self._url("migrateddeposit_change", self.deposits[0].pk)
        yield "import", self._url("migrateddeposit_import")
        yield "report", self._url("migrateddeposit_report")
        ids = ",".join(str(deposit.pk) for deposit in self.deposits)
        yield "refund deposits", self._url("migrateddeposit_refund") + f"?ids={ids}"
        yield "draft batch", self._url("operationbatch_confirm", self.draft.pk)
        yield "running batch", self._url("operationbatch_progress", self.running.pk)
        yield "stopped batch", self._url("operationbatch_progress", self.stopped.pk)
        yield "ended refunds", self._url("operationbatch_progress", self.refunds.pk)
        yield "dashboard", self._url("dashboard_figures")
        yield "dashboard before its figures", self._url("dashboard_changelist")
        yield "dashboard of nothing", self._url("dashboard_figures") + "?first=2020-01-01&last=2020-01-02"
        yield "dashboard with a wrong day", self._url("dashboard_figures") + "?first=soon&last=2020-01-02"
        yield "health", self._url("dashboard_health")
        yield "keys", self._url("dashboard_keys")
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
            state=OrderState.PART_REFUNDED,
            content=CONTENT,
            created_at=self.now,
        )
        refused = a_payment(order, state=PaymentState.FAILED)
        self._transaction(
            refused, kind=TransactionKind.CHECKOUT, state=TransactionState.REJECTED, at=self.now
        )
        money = {"authorized": 100_000_000, "captured": 60_000_000, "refunded": 1_000_000}
        payment = a_payment(
            order, state=PaymentState.AUTHORIZED, card_network="VISA", card_last_four="4242", **money
        )
        kinds = (TransactionKind.CHECKOUT, TransactionKind.CAPTURE, TransactionKind.REFUND)
        for minutes, kind in enumerate(kinds):
            at = self.now - timedelta(hours=3 - minutes)
            transaction = self._transaction(
                payment, kind=kind, state=TransactionState.APPROVED, at=at, created_by="anna"
            )
            self._evidence(transaction, at)
        self._transaction(
            payment,
            kind=TransactionKind.REFUND,
            state=TransactionState.APPROVED,
            origin=TransactionOrigin.ELSEWHERE,
            at=self.now - timedelta(minutes=5),
            created_by="anna",
        )
        return order

    def _waiting_order(self) -> PaymentOrder:
        order = an_order(reference="SHOP-2000", state=OrderState.FROZEN, created_at=self.now)
        payment = a_payment(order, authorized=2000, state=PaymentState.AUTHORIZED, is_frozen=True)
        at = self.now - timedelta(minutes=40)
        self.unknown = self._transaction(
            payment, state=TransactionState.UNKNOWN, at=at, **commented("no answer came")
        )
        self.anomaly = self._transaction(
            payment, state=TransactionState.ANOMALY, at=at, **commented(HOSTILE[:500])
        )
        self.unsent = self._transaction(
            payment, state=TransactionState.NOT_SENT, at=at, **commented("connection refused")
        )
        self._evidence(self.unknown, at)
        made = {"type": "ecom.refund", "given": "7.00", "currency": "EUR", "record": "SBX-7F3A"}
        for kind, code, params in (
            ("MADE_ELSEWHERE", ExplanationCode.MADE_ELSEWHERE, made),
            ("UNKNOWN_TYPE", ExplanationCode.COMMENT, {"said": HOSTILE}),
        ):
            Discrepancy.objects.create(
                kind=kind,
                gateway="default",
                payment=payment,
                fingerprint=f"frozen by {kind}",
                is_freezing=True,
                found_at=at,
                explanation_code=code,
                explanation_params=params,
            )
        return order

    def _order_with_closed_button(self) -> PaymentOrder:
        order = an_order(
            reference="SHOP-3001",
            state=OrderState.FAILED,
            created_at=self.now,
            wallet_closed_at=self.now - timedelta(minutes=3),
            wallet_limit=WalletLimit.RESULTS,
        )
        WalletUsage.objects.create(order=order, sessions=3, attempts=12, prices=7, results=40)
        payment = a_payment(order, state=PaymentState.FAILED)
        self._transaction(
            payment, kind=TransactionKind.AUTHORIZATION, state=TransactionState.REJECTED, at=self.now
        )
        return order

    def _transaction(self, payment: Payment, *, at: datetime, **columns: Any) -> GatewayTransaction:
        return a_transaction(payment, created_at=at, state_changed_at=at, **columns)

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

    def _many_orders(self) -> None:
        for number, state in enumerate(OrderState):
            an_order(reference=f"SHOP-4{number:03}", state=state, created_at=self.now)

    def _weeks(self) -> None:
        for number in range(28):
            state = TransactionState.REJECTED if number % 7 == 0 else TransactionState.APPROVED
            at, minor = self.now - timedelta(days=number, hours=2), 1990 + 137 * (number % 23)
            payment = a_payment(an_order(amount_minor=minor, created_at=at), created_at=at)
            approved = minor if state is TransactionState.APPROVED else None
            transaction = self._transaction(
                payment,
                at=at,
                kind=TransactionKind.CHECKOUT,
                state=state,
                amount_minor=minor,
                approved_minor=approved,
            )
            TransactionEvent.objects.create(
                transaction=transaction,
                kind="ANSWER",
                state_after=state,
                http_status=200,
                elapsed_ms=90,
                occurred_at=at,
            )

    def _deposits(self) -> list[MigratedDeposit]:
        known = {"is_known": True, "amount_minor": 5000, "transacted_at": self.now, "created_at": self.now}
        return [
            a_deposit(parent_transaction_id="O" * 128, provider_transaction_id="P" * 128, **known),
            a_deposit(parent_transaction_id="OLD-used-up", refunded=5000, **known),
            a_deposit(parent_transaction_id="OLD-frozen", is_frozen=True, **known),
            a_deposit(parent_transaction_id="OLD-unknown"),
        ]

    def _batch(self, state: BatchState) -> OperationBatch:
        batch = OperationBatch.objects.create(
            kind=TransactionKind.CAPTURE, state=state, created_by="root", created_at=self.now
        )
        order = an_order(reference=f"SHOP-5{batch.pk:03}", type="preauthorization", created_at=self.now)
        payment = a_payment(order, authorized=2000, state=PaymentState.AUTHORIZED)
        # Claimed by somebody else, so that a look at the page changes nothing.
        working = {"state": RowState.WORKING, "leased_until": self.now + timedelta(days=1)}
        row = {"batch": batch, "payment": payment, "amount_minor": 2000}
        held = {"state": RowState.WAITING} if state is BatchState.DRAFT else working
        OperationBatchRow.objects.create(order=order, **row, **held)
        done = self._transaction(
            self.payment, at=self.now, state=TransactionState.APPROVED, approved_minor=500
        )
        row = {"batch": batch, "order": self.paid, "payment": self.payment, "amount_minor": 500}
        OperationBatchRow.objects.create(state=RowState.CARRIED_OUT, transaction=done, **row)
        OperationBatchRow.objects.create(
            batch=batch, order=self.untried, state=RowState.LEFT_OUT, result_code="NOTHING_AUTHORIZED"
        )
        return batch

    def _refunds(self) -> OperationBatch:
        batch = OperationBatch.objects.create(
            kind=TransactionKind.DETACHED_REFUND,
            state=BatchState.FINISHED,
            created_by="root",
            created_at=self.now,
            finished_at=self.now,
        )
        limits = {"deposit": "50.00", "refunded": "10.00", "maximum": "40.00", "requested": "60.00"}
        why = explanation_columns(explain(ExplanationCode.REFUND_AMOUNT_EXCEEDED, **limits))
        for deposit, given in (
            (self.deposits[0], {"state": TransactionState.APPROVED, "approved_minor": 500}),
            (self.deposits[1], {"state": TransactionState.REJECTED, **why}),
        ):
            transaction = a_transaction(
                deposit=deposit,
                kind=TransactionKind.DETACHED_REFUND,
                amount_minor=1000,
                created_at=self.now,
                state_changed_at=self.now,
                **given,
            )
            OperationBatchRow.objects.create(
                batch=batch,
                deposit=deposit,
                amount_minor=1000,
                state=RowState.CARRIED_OUT,
                transaction=transaction,
            )
        return batch
