"""What must be true of the rows at every instant, whatever happened: ``check_books`` looks through them all.

Sums are recomputed from the transactions, states from the sums. A fact that our limits do not allow leaves a
counter at its bound: the transaction has the excess, and a difference says so.
What has not ended has a next instant, or waits for a person.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import TypeVar

from django.db.models import Model, QuerySet

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import (
    CANCELLABLE_STATES,
    FINAL_STATES,
    HELD_STATES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    LatePayment,
    OrderState,
    PaymentSnapshot,
    PaymentState,
    PaymentType,
    Reversal,
    TransactionKind,
    TransactionState,
    order_state,
    payment_state,
)
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    OutboxEventKind,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.reports.work import POLLED_STATES, unattended

M = TypeVar("M", bound=Model)
_HAS_EXACT_BODY = {TransactionState.CREATED, TransactionState.SENDING, TransactionState.NOT_SENT}


class BooksDisagree(AssertionError):
    """Something that must always be true is not: ``claim`` says what, and ``subject`` of which row."""

    def __init__(self, claim: str, subject: object) -> None:
        super().__init__(f"{subject}: it does not hold that {claim}")
        self.claim = claim
        self.subject = str(subject)


def require(holds: object, claim: str, subject: object) -> None:
    """Raise ``BooksDisagree`` unless the claim holds; also where Python leaves assertions out."""
    if not holds:
        raise BooksDisagree(claim, subject)


def check_books() -> None:
    """Look through every row; the first thing that is wrong raises ``BooksDisagree``."""
    payments = _grouped(Payment.objects.order_by("number"), "order_id")
    of_payments = _grouped(GatewayTransaction.objects.order_by("pk"), "payment_id")
    of_deposits = _grouped(GatewayTransaction.objects.order_by("pk"), "deposit_id")
    differing = Discrepancy.objects.all()
    with_payments, with_deposits = _grouped(differing, "payment_id"), _grouped(differing, "deposit_id")
    evidence = _grouped(TransactionEvent.objects.all(), "transaction_id")
    for order in PaymentOrder.objects.all():
        _check_order(order, payments[order.pk])
    for payment in chain(*payments.values()):
        _check_payment(payment, of_payments[payment.pk], with_payments[payment.pk])
    for deposit in MigratedDeposit.objects.all():
        _check_deposit(deposit, of_deposits[deposit.pk], with_deposits[deposit.pk])
    for transaction in chain(*of_payments.values()):
        _check_transaction(transaction, evidence[transaction.pk])
    _check_outbox()
    _check_usage()
    # What the health view would report at any time, whether or not there was a sweep since.
    left = GatewayTransaction.objects.filter(unattended(datetime(1970, 1, 2, tzinfo=UTC)))
    claim = "nothing waits without an instant or a person"
    require(not left.exists(), claim, left.values("reference", "state"))


def _grouped(rows: QuerySet[M], column: str) -> dict[int | None, list[M]]:
    """Read rows in one statement, to be looked up by one of their columns."""
    groups: defaultdict[int | None, list[M]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups


def _require_all(subject: object, claims: Mapping[str, object]) -> None:
    for claim, holds in claims.items():
        require(holds, claim, subject)


def _check_order(order: PaymentOrder, rows: list[Payment]) -> None:
    standings = [PaymentSnapshot(state=PaymentState(row.state), totals=row.totals) for row in rows]
    stands = order_state(
        order.amount_minor,
        standings,
        is_cancelled=order.is_cancelled,
        late_payment=LatePayment(order.late_payment),
    )
    is_ended = order.has_end and order.state in CANCELLABLE_STATES | {OrderState.CANCELLED}
    late = Discrepancy.objects.filter(payment__order=order, kind=DiscrepancyKind.LATE_PAYMENT)
    is_reported = order.late_payment == LatePayment.REPORTED
    _require_all(
        order,
        {
            "payments are numbered without a gap": [row.number for row in rows] == [*range(1, len(rows) + 1)],
            f"the state follows from its payments, {stands}": order.state == stands,
            "somebody will release it": not is_ended or order.is_released or order.release_check_at,
            "only a cancelled order is released": order.is_cancelled or not order.is_released,
            "an open discrepancy shows its late payment": not is_reported
            or late.filter(closed_at__isnull=True).exists(),
        },
    )


def _check_payment(
    payment: Payment, transactions: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    opened = _approved(transactions, *OPENING_KINDS)
    at_once = opened if payment.type == PaymentType.SALE else 0
    captured = at_once + _approved(transactions, TransactionKind.CAPTURE)
    capturing = _reserved(transactions, TransactionKind.CAPTURE)
    refunding = _reserved(transactions, TransactionKind.REFUND)
    reversing = _reserved(transactions, TransactionKind.REVERSAL) > 0
    reversed_amount = _approved(transactions, TransactionKind.REVERSAL)
    is_untouched = payment.captured == payment.capture_reserved == 0
    _require_all(
        payment,
        {
            "L1: captured within authorized": payment.captured + payment.capture_reserved
            <= payment.authorized,
            "L2: refunded within captured": payment.refunded + payment.refund_reserved <= payment.captured,
            "L3: nothing is captured of a reversal": payment.reversal == Reversal.NONE or is_untouched,
            _sums("authorized"): payment.authorized == opened,
            _sums("captured"): payment.captured == captured,
            _sums("refunded"): payment.refunded == _approved(transactions, TransactionKind.REFUND),
            _sums("capture_reserved"): payment.capture_reserved == capturing,
            _sums("refund_reserved"): payment.refund_reserved == refunding,
            _sums("reversal"): (payment.reversal == Reversal.RESERVED) == reversing
            and (payment.reversal == Reversal.DONE) == (reversed_amount > 0),
            "a reversal is whole": reversed_amount in {0, payment.authorized},
        },
    )
    (opening,) = (transaction for transaction in transactions if transaction.reference == payment.reference)
    stands = payment_state(payment.totals, TransactionState(opening.state), TransactionKind(opening.kind))
    require(payment.state == stands, f"the state follows from its totals, {stands}", payment)
    _check_parent(payment, transactions, differing)


def _sums(counter: str) -> str:
    return f"L7: {counter} is the sum of its transactions"


def _check_deposit(
    deposit: MigratedDeposit, transactions: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    used = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
    limit = deposit.amount_minor if deposit.is_known else None
    kind = TransactionKind.DETACHED_REFUND
    _require_all(
        deposit,
        {
            _sums("refunded"): deposit.refunded == _approved(transactions, kind),
            _sums("refund_reserved"): deposit.refund_reserved == _reserved(transactions, kind),
            "L11: refunded within the deposit": limit is None or used <= limit,
        },
    )
    _check_parent(deposit, transactions, differing)


def _check_parent(
    parent: Payment | MigratedDeposit, transactions: list[GatewayTransaction], differing: list[Discrepancy]
) -> None:
    # What no counter contains is a difference, so that a person was told.
    told = {row.transaction_id for row in differing if row.kind == DiscrepancyKind.ABOVE_LIMIT}
    outstanding = [
        transaction.parent_key
        for transaction in transactions
        if transaction.state in OUTSTANDING_STATES and transaction.kind != TransactionKind.CHECKOUT
    ]
    slots = [transaction.outstanding_key for transaction in transactions if transaction.outstanding_key]
    is_contradicted = any(row.state == TransactionState.ANOMALY for row in transactions) or any(
        row.closed_at is None and row.is_freezing for row in differing
    )
    _require_all(
        parent,
        {
            "L5: one currency": all(row.currency == parent.currency for row in transactions),
            "L13: each excess has its discrepancy, and each discrepancy its excess": told
            == {transaction.pk for transaction in transactions if transaction.excess_minor},
            "L4: at most one transaction without an outcome": len(outstanding) <= 1,
            "L4: the open slot is held by what has no outcome, and by nothing else": slots == outstanding,
            "frozen while something contradicts it, and only then": parent.is_frozen == is_contradicted,
        },
    )


def _approved(transactions: Iterable[GatewayTransaction], *kinds: TransactionKind) -> int:
    """Add up what is booked; one that was contradicted stands in the books until a person decides."""
    of_kind = (transaction for transaction in transactions if transaction.kind in kinds)
    return sum((transaction.approved_minor or 0) - transaction.excess_minor for transaction in of_kind)


def _reserved(transactions: Iterable[GatewayTransaction], kind: TransactionKind) -> int:
    return sum(
        transaction.amount_minor
        for transaction in transactions
        if transaction.kind == kind and transaction.holds_reservation
    )


def _check_transaction(transaction: GatewayTransaction, evidence: list[TransactionEvent]) -> None:
    state, holds = TransactionState(transaction.state), transaction.holds_reservation
    is_held = state in HELD_STATES
    explained = {TransactionState.ANOMALY, TransactionState.UNKNOWN, TransactionState.NOT_SENT}
    silent = {TransactionState.APPROVED, TransactionState.OPEN, TransactionState.PENDING}
    silent |= {TransactionState.AWAITING_RESULT, TransactionState.AWAITING_3DS}
    # What only evidence ends is asked about for ever, also while a person has been told.
    instants = {
        **dict.fromkeys(POLLED_STATES, transaction.next_query_at),
        TransactionState.SENDING: transaction.leased_until,
        TransactionState.AWAITING_RESULT: transaction.expires_at,
    }
    has_body = state in _HAS_EXACT_BODY and transaction.kind != TransactionKind.AUTHORIZATION
    digest = hashlib.sha256(transaction.request_body.encode()).hexdigest()
    kept = [row.request_body for row in evidence] + ([] if has_body else [transaction.request_body])
    _require_all(
        transaction,
        {
            "a reservation is held until the outcome is known, and no longer": holds == is_held
            or (not holds and state is TransactionState.ANOMALY)
            or transaction.kind in OPENING_KINDS,
            "approved with an amount": transaction.approved_minor is not None
            or state is not TransactionState.APPROVED,
            "an event says why it has its state": state not in FINAL_STATES | explained
            or any(row.state_after == state for row in evidence),
            "its state is explained": state in silent | _HAS_EXACT_BODY or transaction.explanation,
            f"somebody goes on with what is {state}": instants.get(state, True),
            "the body is the one that its hash was made of": not has_body or digest == transaction.body_hash,
            "a body that is kept has no secret in it": not any("sandbox-user" in body for body in kept),
        },
    )


def check_events() -> None:
    """Look through the events: the last of a transaction has its state, and sums are what a shop was told.

    What is paid or captured is told with its amount unless a person has to handle it; what is given back,
    always.
    """
    last = {row.transaction_id: row for row in TransactionEvent.objects.order_by("pk")}
    for transaction in GatewayTransaction.objects.filter(state__in=FINAL_STATES | {TransactionState.ANOMALY}):
        event = last.get(transaction.pk)
        require(
            event is not None and event.state_after == transaction.state,
            "the last event of what has ended has its state",
            transaction,
        )
    told: defaultdict[tuple[int | None, str], int] = defaultdict(int)
    events = OutboxEvent.objects.filter(transaction__isnull=False)
    for payment_id, kind, amount in events.values_list("transaction__payment", "kind", "amount_minor"):
        told[payment_id, kind] += amount or 0
    # What a person has to handle is told without its amount.
    handed_over = set(
        OutboxEvent.objects.filter(kind=OutboxEventKind.ANOMALY).values_list("order", flat=True)
    )
    for payment in Payment.objects.all():
        mine = {kind: told[payment.pk, kind] for kind in OutboxEventKind}
        taken = mine[OutboxEventKind.PAID] + mine[OutboxEventKind.CAPTURED_IN_PART]
        authorized, is_told = mine[OutboxEventKind.AUTHORIZED], payment.order_id not in handed_over
        reversed_amount = payment.authorized if payment.reversal == Reversal.DONE else 0
        is_reserved = payment.type != PaymentType.SALE
        _require_all(
            payment,
            {
                "each refund is told with its amount": mine[OutboxEventKind.REFUNDED] == payment.refunded,
                "a reversal is told with its amount": mine[OutboxEventKind.REVERSED] == reversed_amount,
                "no more is told than was captured": taken <= payment.captured,
                "no more is told than was authorized": authorized <= payment.authorized,
                "what was captured is told, or a person is": not is_told or taken == payment.captured,
                "what was authorized is told, or a person is": not (is_told and is_reserved)
                or authorized == payment.authorized,
            },
        )


def _check_outbox() -> None:
    several = (OutboxEventKind.ANOMALY, OutboxEventKind.UNFROZEN, OutboxEventKind.WALLET_LIMIT_REACHED)
    told = OutboxEvent.objects.exclude(kind__in=several).values_list("order", "transaction", "kind")
    require(len(set(told)) == len(told), "each event of a transaction is told once", OutboxEvent.__name__)
    refused = OutboxEvent.objects.filter(kind=OutboxEventKind.OPERATION_REFUSED).values("transaction")
    for row in GatewayTransaction.objects.filter(refusal_unseen_since__isnull=False):
        is_over = row.state in {TransactionState.REJECTED, TransactionState.ABANDONED}
        require(is_over, "what was refused afterwards has ended without money", row)
        require(refused.filter(transaction=row).exists(), "what was refused afterwards is told", row)


def _check_usage() -> None:
    """Each button that an order was shown is counted, and each browser that saw one."""
    browsers: defaultdict[int | None, list[str]] = defaultdict(list)
    for order_id, session in WalletAttempt.objects.values_list("transaction__payment__order", "session_hash"):
        browsers[order_id].append(session)
    require(None not in browsers, "a wallet attempt has a payment", WalletAttempt.__name__)
    counted: dict[int | None, WalletUsage] = {usage.order_id: usage for usage in WalletUsage.objects.all()}
    for key, mine in browsers.items():
        usage = counted[key]
        _require_all(
            usage,
            {
                f"{len(mine)} attempts are counted": usage.attempts == len(mine),
                "each browser is counted once": usage.sessions == len(set(mine)),
                "each discount code is counted": usage.discount_codes >= len(usage.codes_tried),
            },
        )
