"""Book an operation made elsewhere by a person's decision, from what the gateway reports at that moment."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.elsewhere import booking_order
from wallet_gateway.domain.error_codes import (
    DISCREPANCY_CLOSED,
    GATEWAY_SILENT,
    NOT_BOOKABLE,
    NOT_REPORTED,
    RECORD_TAKEN,
    STATE_CHANGED,
    ErrorCode,
)
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import (
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import INCONCLUSIVE, Finding
from wallet_gateway.domain.record_attribution import KINDS
from wallet_gateway.ledger.apply import Change, apply, is_taken, reread
from wallet_gateway.ledger.discrepancies import (
    closing_columns,
    elsewhere_fingerprint,
    fingerprint_of,
    is_closed,
    resume_after_mix_up,
)
from wallet_gateway.ledger.repair import Bookkeeper, book_elsewhere, release_freeze
from wallet_gateway.models import Discrepancy, GatewayTransaction, TransactionEventKind
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, InvalidState
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.operations.polling.status_query import query_status
from wallet_gateway.protocol.status import StatusRecord


def book_discrepancy(
    discrepancy: Discrepancy, *, reason: str, by: By, context: GatewayContext
) -> GatewayTransaction:
    """Book what a discrepancy is about, and close it; return the transaction.

    That is an operation made elsewhere, also one whose discrepancy was closed before; or the amount of a
    capture or refund of ours that the gateway carried out with another amount than requested. The gateway
    is asked first: booked is what it reports now. Nothing that moves money is sent. Raises `InvalidInput`
    without an author or a reason, `InvalidState` if the discrepancy is closed or no rule books its record,
    and `GatewayUnreachable` without an answer.
    """
    actor = check_decision(by=by, reason=reason)
    discrepancy.refresh_from_db()
    if discrepancy.transaction is None or discrepancy.kind not in BOOKABLE:
        raise InvalidState(*NOT_BOOKABLE)
    is_elsewhere = discrepancy.kind == DiscrepancyKind.MADE_ELSEWHERE
    if discrepancy.booked_as_id is not None or (discrepancy.closed_at is not None and not is_elsewhere):
        raise InvalidState(*DISCREPANCY_CLOSED)
    transaction = reread(discrepancy.transaction)
    finding = query_status(transaction, context=context)
    if finding is None:
        raise GatewayUnreachable(*GATEWAY_SILENT, gateway=context.alias, address=context.policy.address)
    if not is_elsewhere:
        return _book_amount(discrepancy, transaction, finding, reason, actor, context)
    record = _reported(discrepancy, transaction, finding)
    others = (*finding.elsewhere, *finding.unknown_references)
    if any(_is_open_capture(other, transaction) for other in others if _precedes(other, record)):
        raise InvalidState(
            _("A capture of this payment was made elsewhere, too. Book that one first: it can be refunded."),
            ErrorCode.NOT_BOOKABLE,
        )
    return book_elsewhere(transaction, record, who=Bookkeeper(actor=actor, reason=reason), context=context)


BOOKABLE = frozenset(
    {DiscrepancyKind.MADE_ELSEWHERE, DiscrepancyKind.AMOUNT_DIFFERS, DiscrepancyKind.UNIT_MIX_UP}
)
"""Kinds about an approved record whose amount can be booked."""


def _book_amount(
    discrepancy: Discrepancy,
    transaction: GatewayTransaction,
    finding: Finding,
    reason: str,
    actor: Actor,
    context: GatewayContext,
) -> GatewayTransaction:
    """Record a capture or refund of ours as approved with the amount that the gateway reports.

    An order is never paid by another amount, and a reversal has only one. An answer that approved it had no
    amount, so the requested one may have been booked already. Raises `InvalidState` if more of a capture was
    given back than the gateway has captured.
    """
    if transaction.kind not in {TransactionKind.CAPTURE, TransactionKind.REFUND}:
        raise InvalidState(*NOT_BOOKABLE)
    named = {fingerprint_of(transaction, one): one for one in finding.discrepancies}
    found = named.get(discrepancy.fingerprint)
    if found is None:
        raise InvalidState(*NOT_REPORTED)
    if not found.amount or _is_below_refunds(transaction, found.amount):
        raise InvalidState(*NOT_BOOKABLE)
    if is_taken(transaction, found.record_id):
        raise InvalidState(*RECORD_TAKEN)

    def close() -> None:
        columns = closing_columns(actor=actor, reason=reason, now=context.clock.now())
        Discrepancy.objects.filter(pk=discrepancy.pk).update(**columns, booked_as=transaction)

    change = Change(
        kind=TransactionEventKind.DECISION,
        event=LifecycleEvent.ACCEPTED_BY_PERSON,
        finding=replace(INCONCLUSIVE, record_id=found.record_id, amount=found.amount),
        explanation=explain(ExplanationCode.COMMENT, said=reason),
        actor=actor,
        decided_on=TransactionState.ANOMALY,
        columns={"decided_by_person": True},
        write_with=close,
    )
    try:
        settled = apply(transaction, change, context=context)
    except IllegalTransition as error:
        raise InvalidState(*STATE_CHANGED) from error
    resume_after_mix_up(transaction.gateway, by=actor.name, now=context.clock.now())
    release_freeze(settled, context=context)
    return reread(settled)


def _is_below_refunds(transaction: GatewayTransaction, amount: int) -> bool:
    """Return whether a capture of this amount would leave less captured than was given back."""
    payment = transaction.payment
    if payment is None or transaction.kind != TransactionKind.CAPTURE:
        return False
    counted = (transaction.approved_minor or 0) - transaction.excess_minor
    return payment.captured - counted + amount < payment.refunded + payment.refund_reserved


def _reported(discrepancy: Discrepancy, transaction: GatewayTransaction, finding: Finding) -> StatusRecord:
    for record in (*finding.elsewhere, *finding.unknown_references):
        if elsewhere_fingerprint(transaction, record) == discrepancy.fingerprint:
            return record
    raise InvalidState(*NOT_REPORTED)


def _precedes(other: StatusRecord, record: StatusRecord) -> bool:
    return booking_order(other) < booking_order(record)


def _is_open_capture(record: StatusRecord, transaction: GatewayTransaction) -> bool:
    """Return whether a capture waits for a decision; one that a person has closed is not booked."""
    if KINDS.get(record.type.lower()) is not TransactionKind.CAPTURE:
        return False
    return not is_closed(elsewhere_fingerprint(transaction, record))
