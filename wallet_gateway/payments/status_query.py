"""Query the gateway for a transaction's status. Reads only: `status_result` records the answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from wallet_gateway.client.errors import GatewayError, OutcomeUnknown
from wallet_gateway.client.exchange import Answer
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.evidence import (
    Expectation,
    ExpectedRecord,
    Finding,
    Verdict,
    minor_units,
    read_records,
    unreadable_explanation,
    wire_type,
)
from wallet_gateway.domain.polling_schedule import OPERATOR_ABSENT_ANSWERS, pause_end
from wallet_gateway.domain.states import (
    FINAL_STATES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    PaymentType,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.ledger.discrepancies import closed_records
from wallet_gateway.models import Discrepancy, ForgottenReference, GatewayPause, GatewayTransaction
from wallet_gateway.protocol.status import StatusAnswer, StatusRecord
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

_UNAPPROVED = FINAL_STATES - {TransactionState.APPROVED}
_MAY_HAVE_A_RECORD = OUTSTANDING_STATES | {TransactionState.APPROVED, TransactionState.ANOMALY}


def expectation_of(transaction: GatewayTransaction) -> Expectation:
    """Return the values that a transaction's records must echo, as far as its own row defines them."""
    return Expectation(
        reference=transaction.reference,
        wire_type=type_of(transaction),
        currency=transaction.currency,
        # Once an amount is approved, a record of another amount contradicts it.
        amount=transaction.approved_minor or transaction.amount_minor,
        may_be_less=transaction.kind == TransactionKind.DETACHED_REFUND
        and transaction.approved_minor is None,
        approved_id=(transaction.record_id or "") if transaction.approved_minor else "",
        is_accepted=transaction.decided_by_person and transaction.state == TransactionState.APPROVED,
    )


def type_of(transaction: GatewayTransaction) -> str:
    """Return a transaction's wire type in lower case, for comparison."""
    payment_type = PaymentType(transaction.payment.type) if transaction.payment else PaymentType.SALE
    return wire_type(TransactionKind(transaction.kind), payment_type)


def query_status(transaction: GatewayTransaction, *, context: GatewayContext) -> Finding | None:
    """Query a transaction's status and return the finding; None if there was no usable answer."""
    try:
        answers = _answers(transaction, context)
    except GatewayError as error:
        # A refused or unreadable status query says nothing about the money, so it changes no state.
        logger.warning("no usable answer about %s: %s", transaction.reference, one_line(error))
        if isinstance(error, OutcomeUnknown) and error.retry_after is not None:
            GatewayPause.pause_queries(context.alias, until=pause_end(context.clock.now(), error.retry_after))
        return None
    finding = _judge(transaction, answers, context)
    return _with_answers(transaction, finding, answers) if finding.unreadable else finding


def _answers(transaction: GatewayTransaction, context: GatewayContext) -> list[Answer[StatusAnswer]]:
    original = _shared_original(transaction, context)
    references = [transaction.reference, original] if original else [transaction.reference]
    return [context.gateway.status(reference) for reference in references]


def _judge(
    transaction: GatewayTransaction, answers: list[Answer[StatusAnswer]], context: GatewayContext
) -> Finding:
    told = (record for answer in answers for record in answer.message.records)
    records = tuple(one for one in told if one.type.lower() not in context.policy.ignored_record_types)
    unreadable = tuple(record for answer in answers for record in answer.message.unreadable)
    expected = expectation_of(transaction)
    # A record of what has ended without money may have been booked as made elsewhere in the meantime.
    ended = transaction.state in _UNAPPROVED
    if ended or unreadable or not _is_plain(records, expected):
        expected = _full_expectation(transaction, expected, records, context)
    found = read_records(records, expected, unreadable)
    contradicts = found.discrepancies or (ended and found.verdict is Verdict.APPROVED)
    if contradicts and (closed := closed_records(transaction)):
        return read_records(records, expected, unreadable, closed=closed)
    return found


def others_told_otherwise(
    transaction: GatewayTransaction, finding: Finding
) -> list[tuple[GatewayTransaction, Finding]]:
    """Return the other transactions of a payment that an answer contradicts, each with what it says of it.

    A gateway may file a follow-up under the payment's reference alone, and carry out another amount than it
    was asked for: the answer about the follow-up's own reference never shows that.
    """
    if not finding.of_others:
        return []
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit").filter(
        payment=transaction.payment_id,
        state=TransactionState.APPROVED,
        record_id__in=[record.id for record in finding.of_others],
    )
    booked, found = {(row.record_id, type_of(row)): row for row in rows}, []
    for record in finding.of_others:
        other = booked.get((record.id, record.type.lower()))
        told = (minor_units(record), record.currency_code)
        if other is None or told == (other.approved_minor, other.currency):
            continue
        named = frozenset({record.client_system_transaction_id or ""})
        expected = replace(expectation_of(other), other_references=named, reported_id=other.record_id or "")
        judged = read_records([record], expected, closed=closed_records(other))
        if judged.discrepancies:
            found.append((other, judged))
    return found


def _with_answers(
    transaction: GatewayTransaction, finding: Finding, answers: list[Answer[StatusAnswer]]
) -> Finding:
    """Return the finding with the redacted answers: a person has to read what could not be parsed."""
    logger.warning("%s: %s", transaction.reference, one_line(unreadable_explanation(finding.unreadable)))
    return replace(finding, answer="\n".join(answer.exchange.answer_body for answer in answers))


def _shared_original(transaction: GatewayTransaction, context: GatewayContext) -> str:
    """Return the original's reference when the gateway may file this follow-up under it.

    It is looked for there, too, before a person may give it up.
    """
    is_lost = (
        transaction.state == TransactionState.UNKNOWN
        and transaction.absent_count >= OPERATOR_ABSENT_ANSWERS - 1
    )
    if (
        not (context.policy.shares_references or is_lost)
        or transaction.payment is None
        or transaction.kind in OPENING_KINDS
    ):
        return ""
    return str(transaction.payment.reference)


def _is_plain(records: tuple[StatusRecord, ...], expected: Expectation) -> bool:
    """Return whether every record clearly belongs to the transaction, so that no other rows are needed."""
    return len(records) <= 1 and all(
        record.client_system_transaction_id == expected.reference
        and (record.type or "").lower() == expected.wire_type
        for record in records
    )


def _full_expectation(
    transaction: GatewayTransaction,
    expected: Expectation,
    records: Sequence[StatusRecord],
    context: GatewayContext,
) -> Expectation:
    """Return the expectation with the records that the payment's other transactions explain."""
    if transaction.payment is None:
        return expected
    siblings = list(transaction.payment.transactions.exclude(pk=transaction.pk).select_related("payment"))
    # A sibling with a known record explains only that record; one that was not executed explains none.
    seen = [s for s in siblings if s.record_id]
    unseen = [s for s in siblings if not s.record_id and s.state in _MAY_HAVE_A_RECORD]
    original = _shared_original(transaction, context)
    # "Several records carrying the same clientSystemTransactionId (an original and a follow-up)": a follow-up
    # may be shown there, too, even if it need not be looked for there.
    shared = transaction.payment.reference
    return replace(
        expected,
        other_references=frozenset({original} if original else set()),
        reported_id=transaction.record_id or transaction.reported_id,
        has_ended=transaction.state in _UNAPPROVED,
        is_paid=transaction.payment.authorized > 0,
        our_references=_our_references(records, expected),
        is_accepted_twice=_is_accepted_twice(transaction),
        taken=frozenset((s.record_id or "", type_of(s)) for s in seen),
        attributed=frozenset((type_of(s), s.approved_minor or s.amount_minor) for s in seen),
        expected_elsewhere=tuple(
            ExpectedRecord(
                references=frozenset({s.reference, shared}),
                wire_type=type_of(s),
                amount=s.approved_minor or s.amount_minor,
            )
            for s in unseen
        ),
    )


def _our_references(records: Sequence[StatusRecord], expected: Expectation) -> frozenset[str]:
    """Return the other references in an answer that the plugin has used, those of deleted tests included."""
    named = {record.client_system_transaction_id for record in records} - {expected.reference}
    rows = GatewayTransaction.objects.filter(reference__in=named) if named else ()
    known = {row.reference for row in rows}
    hashes = {ForgottenReference.hash_of(name): name for name in named - known}
    forgotten = ForgottenReference.objects.filter(reference_hash__in=hashes) if hashes else ()
    return frozenset(known | {hashes[row.reference_hash] for row in forgotten})


def _is_accepted_twice(transaction: GatewayTransaction) -> bool:
    """Return whether a person has accepted a capture or refund that the gateway has executed twice.

    Of the others a second execution cannot be booked: it is settled with the provider.
    """
    if not transaction.decided_by_person or transaction.state != TransactionState.APPROVED:
        return False
    if transaction.kind not in {TransactionKind.CAPTURE, TransactionKind.REFUND}:
        return False
    doubled = Discrepancy.objects.filter(transaction=transaction, kind=DiscrepancyKind.EXECUTED_TWICE)
    return doubled.filter(closed_at__isnull=False).exists()
