"""Record the discrepancies of a status update, each once however often it is seen."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from wallet_gateway.domain.discrepancies import (
    OF_GATEWAY,
    DiscrepancyKind,
    Explanation,
    ExplanationCode,
    explain,
    freezes,
)
from wallet_gateway.domain.evidence import (
    KINDS,
    Finding,
    FoundDiscrepancy,
    Verdict,
    is_placeholder,
    made_elsewhere,
    unknown_type_explanation,
    unreadable_explanation,
)
from wallet_gateway.domain.evidence import fingerprint_of as unreadable_records_fingerprint
from wallet_gateway.domain.people import Actor
from wallet_gateway.domain.polling_schedule import MIX_UP_PAUSE, MIX_UP_WINDOW
from wallet_gateway.domain.states import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.ledger.outbox import announce_pause, announce_resumption
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.models.fields import actor_columns, explanation_columns, explanation_text, note_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import StatusRecord, digest
from wallet_gateway.protocol.text import one_line, quote, storable

logger = logging.getLogger("wallet_gateway.operations")

_LONGEST_FINGERPRINT = 200
_ENDED_WITHOUT_MONEY = frozenset(
    {TransactionState.REJECTED, TransactionState.ABANDONED, TransactionState.NOT_SENT}
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
    alarms: tuple[Explanation, ...] = ()
    """What is new about the gateway itself: log it as an error after the commit."""


NOTHING_RECORDED = Recorded()


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
    alarms: list[Explanation] = []
    # This update's own sums are not written yet.
    was_approved = transaction.payment is None or transaction.payment.authorized > 0
    found = chain(
        _differences(transaction, finding, before=before, after=after, excess=excess, is_late=is_late),
        _end_those_shared(transaction, finding, now),
    )
    for kind, why, fingerprint in found:
        is_freezing = freezes(kind, is_news_of_approved=was_approved)
        row, created = _record_once(transaction, kind, why, fingerprint, is_freezing=is_freezing, now=now)
        is_new = is_new or created
        is_signalled = is_signalled or (created and kind in _SIGNALLED)
        if created and kind in OF_GATEWAY and why is not None:
            alarms.append(why)
        if row.closed_at is not None:
            continue
        freeze = freeze or row.is_freezing
        if created and kind is DiscrepancyKind.UNIT_MIX_UP:
            stopped = pause_after_mix_up(transaction, why, in_own_answer=in_own_answer, now=now)
            if stopped is None and why is not None and is_further_mix_up(transaction, now):
                alarms.append(why)
    return Recorded(
        freeze=freeze, is_new=is_new, is_signalled=is_signalled, stopped=stopped, alarms=tuple(alarms)
    )


_SIGNALLED = OF_GATEWAY | {DiscrepancyKind.UNKNOWN_TYPE}


def report_unrecorded(transaction: GatewayTransaction, failure: str, *, now: datetime) -> None:
    """Let a person see that an answer about a transaction that has ended could not be recorded."""
    kind, why = DiscrepancyKind.RECORD_UNREADABLE, explain(ExplanationCode.COMMENT, said=failure)
    fingerprint = f"{kind}:{transaction.reference}:{digest(failure)}"
    _record_once(transaction, kind, why, fingerprint, is_freezing=False, now=now)


def _record_once(
    transaction: GatewayTransaction,
    kind: DiscrepancyKind,
    why: Explanation | None,
    fingerprint: str,
    *,
    is_freezing: bool,
    now: datetime,
) -> tuple[Discrepancy, bool]:
    """Return the discrepancy with a fingerprint, and whether it was not known before."""
    is_of_gateway = kind in OF_GATEWAY
    return Discrepancy.objects.get_or_create(
        fingerprint=_fitting(fingerprint),
        defaults={
            "kind": kind,
            "gateway": transaction.gateway,
            "payment_id": None if is_of_gateway else transaction.payment_id,
            "deposit_id": None if is_of_gateway else transaction.deposit_id,
            "transaction": transaction,
            **explanation_columns(why),
            "is_freezing": is_freezing,
            "found_at": now,
        },
    )


def _fitting(fingerprint: str) -> str:
    """Shorten a long fingerprint and keep it unique by a digest of the whole."""
    if len(fingerprint) <= _LONGEST_FINGERPRINT:
        return fingerprint
    digest = hashlib.sha256(fingerprint.encode()).hexdigest()
    return f"{fingerprint[: _LONGEST_FINGERPRINT - len(digest) - 1]}:{digest}"


def is_settled_by_person(transaction: GatewayTransaction, finding: Finding) -> bool:
    """Return whether a person has closed all that contradicts, so that it is not reported again."""
    fingerprints = [fingerprint_of(transaction, one) for one in finding.discrepancies]
    if not fingerprints or any(one.is_judged_anew for one in finding.discrepancies):
        return False
    closed = Discrepancy.objects.filter(fingerprint__in=fingerprints, closed_at__isnull=False)
    return closed.count() == len(set(fingerprints))


def closed_records(transaction: GatewayTransaction) -> frozenset[str]:
    """Return the fingerprints of the records whose discrepancies with a transaction a person has closed."""
    closed = Discrepancy.objects.filter(transaction=transaction, closed_at__isnull=False)
    names = closed.exclude(kind=DiscrepancyKind.MADE_ELSEWHERE).values_list("fingerprint", flat=True)
    return frozenset(name.rpartition(":")[2] for name in names)


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


def fingerprint_of(transaction: GatewayTransaction, found: FoundDiscrepancy) -> str:
    """Return the fingerprint of a discrepancy about one record: a third execution differs from the second."""
    name = f"{found.kind}:{transaction.reference}:{found.fingerprint}"
    if not found.is_judged_anew:
        return _fitting(name)
    decided = Discrepancy.objects.filter(fingerprint__startswith=name, closed_at__isnull=False).count()
    return f"{name}:{decided}"


def _unreadable_fingerprint(transaction: GatewayTransaction, finding: Finding) -> str:
    kind = DiscrepancyKind.RECORD_UNREADABLE
    return _fitting(f"{kind}:{transaction.reference}:{unreadable_records_fingerprint(finding.unreadable)}")


_Named = tuple[DiscrepancyKind, Explanation | None, str]
"""A difference: its kind, its explanation and its fingerprint."""


def _differences(
    transaction: GatewayTransaction,
    finding: Finding,
    *,
    before: TransactionState,
    after: TransactionState,
    excess: int,
    is_late: bool,
) -> Iterator[_Named]:
    if excess:
        kind = DiscrepancyKind.ABOVE_LIMIT
        approved = transaction.approved_minor or transaction.amount_minor
        why = explain(
            ExplanationCode.ABOVE_LIMIT,
            excess=Money.from_minor_units(excess, transaction.currency).to_wire(),
            given=Money.from_minor_units(approved, transaction.currency).to_wire(),
            currency=transaction.currency,
        )
        yield kind, why, f"{kind}:{transaction.reference}"
    for found in finding.discrepancies:
        yield found.kind, found.explanation, fingerprint_of(transaction, found)
    is_refunded = after is TransactionState.APPROVED and before is not after
    is_refunded = is_refunded and transaction.kind == TransactionKind.DETACHED_REFUND
    if is_refunded and finding.amount is not None and finding.amount < transaction.amount_minor:
        kind = DiscrepancyKind.REFUND_SHORT
        why = explain(
            ExplanationCode.REFUND_SHORT,
            given=Money.from_minor_units(finding.amount, transaction.currency).to_wire(),
            requested=transaction.amount.to_wire(),
            currency=transaction.currency,
            said=finding.explanation.said if finding.explanation else "",
        )
        yield kind, why, f"{kind}:{transaction.reference}"
    turned = before in _ENDED_WITHOUT_MONEY and after is TransactionState.ANOMALY
    if turned and finding.verdict is Verdict.APPROVED:
        kind = DiscrepancyKind.APPROVED_AFTER_END
        why = explain(ExplanationCode.APPROVED_AFTER_END, state=before.value)
        yield kind, why, f"{kind}:{transaction.reference}:{finding.record}"
    if finding.unreadable:
        kind = DiscrepancyKind.RECORD_UNREADABLE
        yield kind, unreadable_explanation(finding.unreadable), _unreadable_fingerprint(transaction, finding)
    for record in (*finding.elsewhere, *finding.unknown_references):
        kind = DiscrepancyKind.MADE_ELSEWHERE
        is_shared_one = record in finding.unknown_references and is_shared(transaction, record)
        if not is_shared_one and not _is_booked(transaction, record):
            yield kind, made_elsewhere(record), elsewhere_fingerprint(transaction, record)
    for record in finding.unknown_types:
        kind = DiscrepancyKind.UNKNOWN_TYPE
        # Not with its state: a dispute goes through several, and is one task for a person.
        fingerprint = f"{kind}:{transaction.gateway}:{record.type.lower()}:{record.id}"
        if is_placeholder(storable(record.id)):
            # Two payments may have such a record, each its own.
            fingerprint += f":{transaction.parent_key}"
        yield kind, unknown_type_explanation(record), storable(fingerprint)
    if is_late:
        kind = DiscrepancyKind.LATE_PAYMENT
        yield kind, explain(ExplanationCode.LATE_PAYMENT), f"{kind}:{transaction.reference}"
    word = finding.undocumented_state
    if word and transaction.undocumented_state != note_of(GatewayTransaction, "undocumented_state", word):
        # A new payment with the word, after a person has closed the alarm, is a new alarm.
        kind = DiscrepancyKind.UNKNOWN_STATE
        name = f"{kind}:{transaction.gateway}:{digest(word.lower())}"
        closed = Discrepancy.objects.filter(fingerprint__startswith=name, closed_at__isnull=False).count()
        yield kind, explain(ExplanationCode.UNKNOWN_STATE, given=quote(word), word=word), f"{name}:{closed}"


def _end_those_shared(transaction: GatewayTransaction, finding: Finding, now: datetime) -> Iterator[_Named]:
    """End the discrepancies about operations that two payments show; yield the gateway's own instead.

    An operation under an unknown reference that the answers about two payments show belongs to nobody that we
    know: the discrepancy about the first payment ends, and neither payment is held.
    """
    gateway = transaction.gateway
    for record in finding.unknown_references:
        if not is_shared(transaction, record):
            continue
        kind = DiscrepancyKind.RECORDS_SHARED
        why = explain(ExplanationCode.RECORDS_SHARED, type=record.type, record=record.id)
        open_ones = Discrepancy.objects.filter(
            fingerprint__startswith=f"{operation_fingerprint(gateway, record)}:", closed_at__isnull=True
        )
        open_ones.update(closed_at=now, reason=explanation_text(why))
        yield kind, why, f"{kind}:{gateway}"


def is_shared(transaction: GatewayTransaction, record: StatusRecord) -> bool:
    """Return whether an operation under an unknown reference was shown for another payment, too."""
    seen = Discrepancy.objects.filter(
        fingerprint__startswith=f"{operation_fingerprint(transaction.gateway, record)}:",
        payment__isnull=False,
    )
    return seen.exclude(payment=transaction.payment_id).exists()


def _is_booked(transaction: GatewayTransaction, record: StatusRecord) -> bool:
    """Return whether another process has booked a record since it was read."""
    kind = KINDS.get(record.type.lower())
    if kind is None or transaction.payment_id is None:
        return False
    rows = GatewayTransaction.objects.filter(payment=transaction.payment_id, kind=kind)
    return rows.filter(record_id=storable(record.id), state=TransactionState.APPROVED).exists()


def elsewhere_fingerprint(transaction: GatewayTransaction, record: StatusRecord) -> str:
    """Return the fingerprint of the discrepancy about a record that none of our transactions requested."""
    # As the record stands: with another amount it is other news.
    operation = operation_fingerprint(transaction.gateway, record)
    return f"{operation}:{transaction.parent_key}:{record.fingerprint}"


def operation_fingerprint(gateway: str, record: StatusRecord) -> str:
    """Return the beginning of those fingerprints, which is the same whatever payment shows the record."""
    return f"{DiscrepancyKind.MADE_ELSEWHERE}:{gateway}:{digest(record.type.lower(), record.id or '')}"


# Unit mix-ups
#
# A customer who has the browser's key can create an odd record under the reference of an order, and of as
# many orders as they care to make. So the record of a checkout or an authorization stops its own payment
# only; the second one within the hour is an alarm. No browser knows the reference of a capture, refund,
# reversal or detached refund, and only the gateway answers our own request: a mix-up there shows that the
# gateway itself misreads our amounts.


def pause_after_mix_up(
    transaction: GatewayTransaction, why: Explanation | None, *, in_own_answer: bool, now: datetime
) -> Explanation | None:
    """Stop sending for 15 minutes after a new mix-up that no browser can have made.

    Returns the reason, for `warn_of_mix_up` after the commit; None if nothing was stopped. A longer pause
    is kept.
    """
    if not in_own_answer and transaction.kind in OPENING_KINDS:
        return None
    until = now + MIX_UP_PAUSE
    code = PauseCode.UNIT_MIX_UP
    GatewayPause.pause_sending(transaction.gateway, now=now, until=until, code=code, explanation=why)
    return why


def is_further_mix_up(transaction: GatewayTransaction, now: datetime) -> bool:
    """Return whether another payment of the gateway had a mix-up within the last hour."""
    recent = _open_mix_ups(transaction.gateway).filter(found_at__gt=now - MIX_UP_WINDOW)
    return recent.exclude(transaction=transaction).exists()


def warn_of_mix_up(gateway: str, why: Explanation, *, now: datetime) -> None:
    """Log an error about a pause that was set, and send the signal."""
    minutes = int(MIX_UP_PAUSE.total_seconds() // 60)
    text, fields = "sending to %s is stopped for %d minutes: unit mix-up: %s", {"gateway": gateway}
    logger.error(text, gateway, minutes, one_line(why), extra=fields | {"code": PauseCode.UNIT_MIX_UP.value})
    announce_pause(
        gateway, until=now + MIX_UP_PAUSE, code=PauseCode.UNIT_MIX_UP, reason=explanation_text(why)
    )


def resume_after_mix_up(gateway: str, *, by: str, now: datetime) -> None:
    """Resume sending once a person has closed the last unit mix-up of a gateway.

    Nobody is told if the pause has ended already, or if a person's stop goes on.
    """
    if _open_mix_ups(gateway).exists():
        return
    paused = GatewayPause.objects.filter(gateway=gateway, pause_code=PauseCode.UNIT_MIX_UP)
    ends_now = paused.filter(~GatewayPause.stopped_by_person(now), sending_until__gt=now).exists()
    if paused.update(sending_until=None, pause_code="", **explanation_columns(None)) and ends_now:
        announce_resumption(gateway, by=by)


def _open_mix_ups(gateway: str) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(
        gateway=gateway, kind=DiscrepancyKind.UNIT_MIX_UP, closed_at__isnull=True
    )
