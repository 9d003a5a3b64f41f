"""Record the discrepancies of a status update, each once however often it is seen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.discrepancies import DiscrepancyKind, freezes
from wallet_gateway.domain.elsewhere import KINDS
from wallet_gateway.domain.explanations import Explanation, ExplanationCode, explain
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.outcomes import Finding, Verdict, made_elsewhere
from wallet_gateway.domain.unknown_types import unknown_type_explanation
from wallet_gateway.domain.unreadable_records import fingerprint_of, unreadable_explanation
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.fields import note_of
from wallet_gateway.operations.settlement.unit_mix_ups import pause_after_mix_up
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.protocol.text import storable

_LONGEST_FINGERPRINT = 200
_ENDED_WITHOUT_MONEY = frozenset(
    {
        TransactionState.REJECTED,
        TransactionState.ABANDONED,
        TransactionState.CREATED,
        TransactionState.NOT_SENT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The result of recording the discrepancies of one status update."""

    freeze: bool = False
    """The payment must be frozen: a discrepancy of a freezing kind is open."""
    is_new: bool = False
    """At least one discrepancy was not known before."""
    is_signalled: bool = False
    """A new one is signalled to the shop even if the payment is frozen already."""
    stopped: Explanation | None = None
    """Why all sending was stopped; None if it was not stopped."""


def record_discrepancies(
    transaction: GatewayTransaction,
    finding: Finding,
    *,
    before: TransactionState,
    after: TransactionState,
    now: datetime,
    excess: int = 0,
    in_own_answer: bool = False,
    is_late: bool = False,
) -> Recorded:
    """Record each discrepancy once; one that a person has closed stays closed.

    `excess` is the approved amount above the limit, in minor units. `in_own_answer` means that it was found
    in the answer to our own request, not to a status query; `is_late` that its order was cancelled before.
    """
    freeze, is_new, is_signalled, stopped = False, False, False, None
    found = chain(
        _above_limit(transaction, excess),
        _differences(transaction, finding, before=before, after=after),
        _late_payment(transaction) if is_late else (),
    )
    for kind, why, fingerprint in found:
        row, created = Discrepancy.objects.get_or_create(
            fingerprint=_fitting(fingerprint),
            defaults={
                "kind": kind,
                "gateway": transaction.gateway,
                "payment_id": transaction.payment_id,
                "deposit_id": transaction.deposit_id,
                "transaction": transaction,
                **explanation_columns(why),
                "is_freezing": freezes(kind, is_news_of_approved=_was_approved(transaction)),
                "found_at": now,
            },
        )
        is_new = is_new or created
        is_signalled = is_signalled or (created and kind is DiscrepancyKind.UNKNOWN_TYPE)
        if row.closed_at is not None:
            continue
        freeze = freeze or row.is_freezing
        if created and kind is DiscrepancyKind.UNIT_MIX_UP:
            stopped = pause_after_mix_up(transaction, why, in_own_answer=in_own_answer, now=now)
    return Recorded(freeze=freeze, is_new=is_new, is_signalled=is_signalled, stopped=stopped)


def _fitting(fingerprint: str) -> str:
    """Shorten a long fingerprint and keep it unique by a digest of the whole."""
    if len(fingerprint) <= _LONGEST_FINGERPRINT:
        return fingerprint
    digest = hashlib.sha256(fingerprint.encode()).hexdigest()
    return f"{fingerprint[: _LONGEST_FINGERPRINT - len(digest) - 1]}:{digest}"


def is_settled_by_person(transaction: GatewayTransaction, finding: Finding) -> bool:
    """Return whether a person has already closed this contradiction, so that it is not reported again."""
    return finding.discrepancy is not None and is_closed(_fingerprint(transaction, finding))


def is_read_by_person(transaction: GatewayTransaction, finding: Finding) -> bool:
    """Return whether a person has closed the discrepancy about the unreadable records of an answer."""
    return bool(finding.unreadable) and is_closed(_unreadable_fingerprint(transaction, finding))


def is_closed(fingerprint: str) -> bool:
    """Return whether a person, or a booking, has closed the discrepancy with this fingerprint."""
    return Discrepancy.objects.filter(fingerprint=fingerprint, closed_at__isnull=False).exists()


def closing_columns(*, actor: Actor, reason: str, now: datetime) -> dict[str, Any]:
    """Return the columns that close a discrepancy."""
    return {
        "closed_at": now,
        **actor_columns(Discrepancy, "closed_by", actor),
        "reason": note_of(Discrepancy, "reason", reason),
    }


def _fingerprint(transaction: GatewayTransaction, finding: Finding) -> str:
    """Return a fingerprint of a discrepancy's values: a third execution differs from the second."""
    values = finding.explanation.fingerprint if finding.explanation else ""
    return f"{finding.discrepancy}:{transaction.reference}:{values}"


def _unreadable_fingerprint(transaction: GatewayTransaction, finding: Finding) -> str:
    kind = DiscrepancyKind.RECORD_UNREADABLE
    return _fitting(f"{kind}:{transaction.reference}:{fingerprint_of(finding.unreadable)}")


def _was_approved(transaction: GatewayTransaction) -> bool:
    """Return whether the payment was approved before this update, whose sums are not written yet."""
    return transaction.payment is None or transaction.payment.authorized > 0


_Named = tuple[DiscrepancyKind, Explanation | None, str]
"""A difference: its kind, its explanation and its fingerprint."""


def _above_limit(transaction: GatewayTransaction, excess: int) -> Iterator[_Named]:
    if excess == 0:
        return
    kind = DiscrepancyKind.ABOVE_LIMIT
    approved = transaction.approved_minor or transaction.amount_minor
    why = explain(
        ExplanationCode.ABOVE_LIMIT,
        excess=Money.from_minor_units(excess, transaction.currency).to_wire(),
        given=Money.from_minor_units(approved, transaction.currency).to_wire(),
        currency=transaction.currency,
    )
    yield kind, why, f"{kind}:{transaction.reference}"


def _late_payment(transaction: GatewayTransaction) -> Iterator[_Named]:
    kind = DiscrepancyKind.LATE_PAYMENT
    yield kind, explain(ExplanationCode.LATE_PAYMENT), f"{kind}:{transaction.reference}"


def _differences(
    transaction: GatewayTransaction, finding: Finding, *, before: TransactionState, after: TransactionState
) -> Iterator[_Named]:
    if finding.discrepancy is not None:
        yield finding.discrepancy, finding.explanation, _fingerprint(transaction, finding)
    if after is TransactionState.APPROVED and before is not after and _is_short(transaction, finding):
        kind = DiscrepancyKind.REFUND_SHORT
        yield kind, _shortfall(transaction, finding), f"{kind}:{transaction.reference}"
    turned = before in _ENDED_WITHOUT_MONEY and after is TransactionState.ANOMALY
    if turned and finding.verdict is Verdict.APPROVED:
        kind = DiscrepancyKind.APPROVED_AFTER_END
        why = explain(ExplanationCode.APPROVED_AFTER_END, state=before.value)
        yield kind, why, f"{kind}:{transaction.reference}"
    if finding.unreadable:
        kind = DiscrepancyKind.RECORD_UNREADABLE
        yield kind, unreadable_explanation(finding.unreadable), _unreadable_fingerprint(transaction, finding)
    for record in finding.elsewhere:
        kind = DiscrepancyKind.MADE_ELSEWHERE
        if not _is_booked(transaction, record):
            yield kind, made_elsewhere(record), elsewhere_fingerprint(transaction, record)
    for record in finding.unknown_types:
        kind = DiscrepancyKind.UNKNOWN_TYPE
        # Not with its state: a dispute goes through several, and is one task for a person.
        fingerprint = f"{kind}:{transaction.gateway}:{record.type.lower()}:{record.id}"
        yield kind, unknown_type_explanation(record), storable(fingerprint)


def _is_booked(transaction: GatewayTransaction, record: StatusRecord) -> bool:
    """Return whether another process has booked a record since it was read."""
    kind = KINDS.get(record.type.lower())
    if kind is None or transaction.payment_id is None:
        return False
    rows = GatewayTransaction.objects.filter(payment=transaction.payment_id, kind=kind)
    return rows.filter(record_id=storable(record.id), state=TransactionState.APPROVED).exists()


def elsewhere_fingerprint(transaction: GatewayTransaction, record: StatusRecord) -> str:
    """Return the fingerprint of the discrepancy about a record that none of our transactions requested."""
    kind, gateway = DiscrepancyKind.MADE_ELSEWHERE, transaction.gateway
    return _fitting(storable(f"{kind}:{gateway}:{transaction.parent_key}:{record.type.lower()}:{record.id}"))


def _is_short(transaction: GatewayTransaction, finding: Finding) -> bool:
    return finding.amount is not None and finding.amount < transaction.amount_minor


def _shortfall(transaction: GatewayTransaction, finding: Finding) -> Explanation:
    return explain(
        ExplanationCode.REFUND_SHORT,
        given=Money.from_minor_units(finding.amount or 0, transaction.currency).to_wire(),
        requested=transaction.amount.to_wire(),
        currency=transaction.currency,
        said=finding.explanation.said if finding.explanation else "",
    )
