"""The history on an order's page: each entry with its author, its reason and the messages behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.operation_registry import reason_in_words
from wallet_gateway.admin.visible_text import visible_body
from wallet_gateway.domain.states import UNSENT_STATES, TransactionOrigin, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.payments.follow_ups import shown_body
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.orders import Subject, TimelineEntry
from wallet_gateway.reports.work import made_elsewhere

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of the history."""

    occurred_at: datetime
    kind: str
    text: Label
    amount: Money | None
    attempt: int | None
    """The number of the attempt that it belongs to; None for the order itself."""
    reference: str
    """The reference of an operation, where it first appears; that of an attempt is with the attempt."""
    provider_id: str
    """The provider's id of the operation that began here; empty without one."""
    record_id: str
    """The gateway's id of an operation made elsewhere, which has no reference that was ever sent."""
    detail: str
    by: str
    bodies: tuple[tuple[Label, str], ...]


def lines_of(
    entries: Sequence[TimelineEntry], payments: Sequence[Payment], *, with_bodies: bool
) -> Iterator[Line]:
    """Yield the history, the newest entry first; each reference once, with the entry that began it."""
    attempts = _attempts_by_reference(entries, payments)
    told = {payment.reference for payment in payments}
    lines = []
    for entry in entries:
        attempt, is_new = attempts.get(entry.reference), entry.reference not in told
        told.add(entry.reference)
        lines.append(_line(entry, attempt, is_new=is_new, with_bodies=with_bodies))
    yield from reversed(lines)


def _attempts_by_reference(
    entries: Sequence[TimelineEntry], payments: Sequence[Payment]
) -> Mapping[str, int]:
    numbers = {payment.pk: payment.number for payment in payments}
    begun = [entry.subject for entry in entries if isinstance(entry.subject, GatewayTransaction)]
    of_operations = {row.reference: numbers[row.payment_id] for row in begun if row.payment_id in numbers}
    return of_operations | {payment.reference: payment.number for payment in payments}


def _line(entry: TimelineEntry, attempt: int | None, *, is_new: bool, with_bodies: bool) -> Line:
    begins = attempt is not None and is_new and isinstance(entry.subject, GatewayTransaction)
    record_id = _record_id(entry.subject)
    return Line(
        occurred_at=entry.occurred_at,
        kind=entry.kind.value.lower(),
        text=entry.text,
        amount=entry.amount,
        attempt=attempt,
        reference=visible(entry.reference) if begins and not record_id else "",
        provider_id=_provider_id(entry.subject) if begins else "",
        record_id=record_id,
        detail=visible(reason_in_words(entry.reason_code, entry.detail)),
        by=visible(entry.by),
        bodies=tuple(_bodies(entry.subject)) if with_bodies else (),
    )


def _provider_id(subject: Subject | None) -> str:
    return visible(subject.provider_transaction_id) if isinstance(subject, GatewayTransaction) else ""


def _record_id(subject: Subject | None) -> str:
    if isinstance(subject, GatewayTransaction) and subject.origin == TransactionOrigin.ELSEWHERE:
        return visible(subject.record_id or "")
    elsewhere = made_elsewhere(subject) if isinstance(subject, Discrepancy) else None
    return visible(elsewhere.record_id) if elsewhere else ""


_NOT_GONE = UNSENT_STATES | {TransactionState.SENDING}


def _bodies(subject: Subject | None) -> Iterator[tuple[Label, str]]:
    if isinstance(subject, TransactionEvent):
        if subject.request_body:
            yield _("Request"), visible_body(subject.request_body)
        if subject.answer_body:
            yield _answer_label(subject), visible_body(subject.answer_body)
    elif isinstance(subject, GatewayTransaction) and subject.request_body and subject.state in _NOT_GONE:
        # The transaction events show what was sent.
        yield _("Request"), visible_body(shown_body(subject.request_body))


def _answer_label(row: TransactionEvent) -> str:
    parts = [_("Answer")]
    if row.http_status is not None:
        parts.append(f"HTTP {row.http_status}")
    if row.elapsed_ms is not None:
        parts.append(f"{row.elapsed_ms} ms")
    return ", ".join(parts)
