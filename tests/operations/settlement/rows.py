"""Rows in the states that settlements leave them in, made directly, and the updates that they get."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    OUTSTANDING_STATES,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import Finding, FoundDiscrepancy, Verdict
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import (
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.settle import reread, settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate

S, E, K = TransactionState, LifecycleEvent, TransactionKind
WHY = explain(ExplanationCode.COMMENT, said="as told")


def update(event: LifecycleEvent | None = None, **given: Any) -> StatusUpdate:
    fields = {"kind": TransactionEventKind.RECORDS, "event": event, "explanation": WHY}
    return StatusUpdate(**fields | given)


def approval(amount: int, record_id: str = "g1") -> StatusUpdate:
    found = Finding(verdict=Verdict.APPROVED, record_id=record_id, amount=amount)
    return update(E.APPROVED, finding=found)


def contradiction(kind: DiscrepancyKind | None, *, shown: int | None = 500) -> Finding:
    return Finding(
        verdict=Verdict.CONTRADICTION,
        discrepancies=(FoundDiscrepancy(kind=kind, explanation=WHY),) if kind else (),
        explanation=WHY,
        shown_amount=shown,
    )


def in_state(kind: TransactionKind, state: TransactionState, **columns: Any) -> GatewayTransaction:
    """A transaction that has come to a state, with an event that says so."""
    given = {"body_hash": hashlib.sha256(b"").hexdigest(), **explanation_columns(WHY)}
    transaction = a_transaction(kind=kind, state=state, **given | columns)
    if state in OUTSTANDING_STATES and kind is not K.CHECKOUT:
        GatewayTransaction.objects.filter(pk=transaction.pk).update(outstanding_key=transaction.parent_key)
    occurred = {"kind": "RECORDS", "state_after": state, "occurred_at": transaction.created_at}
    TransactionEvent.objects.create(transaction=transaction, **occurred)
    return reread(transaction)


def a_page(
    state: TransactionState = S.OPEN, *, order: PaymentOrder | None = None, **columns: Any
) -> GatewayTransaction:
    payment = a_payment(order)
    given = {"reference": payment.reference, "amount_minor": 2000, "redirect_url": "https://page/"}
    kind = columns.pop("kind", K.CHECKOUT)
    return in_state(kind, state, payment=payment, **given | columns)


def a_reservation(context: GatewayContext) -> GatewayTransaction:
    """The checkout of an order of 20.00, all of it reserved and nothing captured."""
    page = a_page(order=an_order(type="preauthorization"))
    return settle(page, approval(2000, "opened"), context=context)


def a_follow_up(
    opening: GatewayTransaction, kind: TransactionKind, state: TransactionState = S.UNKNOWN, **columns: Any
) -> GatewayTransaction:
    """A capture or refund of 5.00, or a reversal, by default one whose outcome is unknown."""
    assert opening.payment is not None
    payment = Payment.objects.select_related("order").get(pk=opening.payment.pk)
    if kind is K.REVERSAL:
        payment.reversal = Reversal.RESERVED
        payment.save(update_fields=["reversal"])
    elif columns.get("holds_reservation", True):
        reserved = "capture_reserved" if kind is K.CAPTURE else "refund_reserved"
        setattr(payment, reserved, columns.get("amount_minor", 500))
        payment.save(update_fields=[reserved])
    given: dict[str, Any] = {"payment": payment, "holds_reservation": True}
    return in_state(kind, state, **given | columns)
