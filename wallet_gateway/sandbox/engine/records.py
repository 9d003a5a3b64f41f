"""Transactions in the gateway's books: writing them, finding them, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, Sum

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.engine.provider_decision import Verdict
from wallet_gateway.sandbox.engine.refusals import UnknownOriginal
from wallet_gateway.sandbox.models import (
    Deposit,
    Merchant,
    RecordOrigin,
    RecordState,
    TransactionRecord,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStep:
    """One change in the life of a payment: which transaction came to which state, and when."""

    at: datetime
    record: TransactionRecord
    state: str
    provider_state_code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """What was done with an original, in minor units; what is pending counts as spent and not as gained."""

    captured: int
    """Captured and approved: what refunds draw on."""
    capturing: int
    """Captured or about to be: what is gone from the authorization."""
    refunded: int
    reversed: bool


def write_record(
    *,
    merchant: Merchant,
    reference: str,
    record_type: str,
    money: Money,
    verdict: Verdict,
    now: datetime,
    origin: RecordOrigin,
    details: dict[str, Any],
    **links: Any,
) -> TransactionRecord:
    """Enter a transaction; ``links`` are its checkout, original, deposit or account, and how it was named."""
    return TransactionRecord.objects.create(
        merchant=merchant,
        reference=reference,
        type=record_type,
        state=verdict.state,
        provider_state_code=verdict.provider_state_code,
        amount_minor=money.minor_units,
        currency=money.currency,
        created_at=now,
        origin=origin,
        details=details,
        history=[_history_entry(verdict, now)],
        **links,
    )


def change_state(record: TransactionRecord, verdict: Verdict, *, now: datetime) -> None:
    """Move a transaction on to another state and remember when."""
    record.state = verdict.state
    record.provider_state_code = verdict.provider_state_code
    record.history = [*record.history, _history_entry(verdict, now)]
    record.save(update_fields=["state", "provider_state_code", "history"])


def find_original(merchant: Merchant, reference: str) -> TransactionRecord:
    """Find the payment a reference stands for, an approved one before others; raises ``UnknownOriginal``."""
    originals = list(
        TransactionRecord.objects.filter(
            merchant=merchant, reference=reference, type__in=[*CheckoutType, *AuthorizationType]
        ).order_by("pk")
    )
    if not originals:
        raise UnknownOriginal(f"No payment was made under {excerpt(reference)}.")
    return next((one for one in originals if one.state == RecordState.APPROVED), originals[0])


def sums_of(original: TransactionRecord) -> PaymentTotals:
    """Add up what was done with an original."""
    rows = (
        original.follow_ups.exclude(state=RecordState.ERRORED)
        .values("type")
        .annotate(spent=Sum("amount_minor"), gained=Sum("amount_minor", filter=Q(state=RecordState.APPROVED)))
    )
    spent = {row["type"]: row["spent"] for row in rows}
    gained = {row["type"]: row["gained"] or 0 for row in rows}
    at_once = original.amount_minor if original.type == CheckoutType.SALE else 0
    return PaymentTotals(
        captured=at_once + gained.get(FollowUpType.CAPTURE, 0),
        capturing=at_once + spent.get(FollowUpType.CAPTURE, 0),
        refunded=spent.get(FollowUpType.REFUND, 0),
        reversed=FollowUpType.REVERSAL_PREAUTHORIZATION in spent,
    )


def refunded_of(deposit: Deposit) -> int:
    """Add up what was given back of a deposit, before the migration and since, in minor units."""
    since = deposit.refunds.exclude(state=RecordState.ERRORED).aggregate(total=Sum("amount_minor"))["total"]
    return deposit.refunded_before_minor + (since or 0)


def transaction_history(record: TransactionRecord) -> tuple[HistoryStep, ...]:
    """Tell the life of the payment a record belongs to, all its transactions together, oldest step first."""
    original_id = record.original_id or record.pk
    family = TransactionRecord.objects.filter(Q(pk=original_id) | Q(original_id=original_id)).order_by("pk")
    steps = (step for member in family for step in steps_of(member))
    return tuple(sorted(steps, key=lambda step: step.at))


def steps_of(record: TransactionRecord) -> tuple[HistoryStep, ...]:
    """Tell the states one transaction went through, oldest first."""
    return tuple(
        HistoryStep(
            at=datetime.fromisoformat(entry["at"]),
            record=record,
            state=entry["state"],
            provider_state_code=entry["providerStateCode"],
        )
        for entry in record.history
    )


def _history_entry(verdict: Verdict, now: datetime) -> dict[str, str]:
    return {
        "at": now.isoformat(),
        "state": verdict.state,
        "providerStateCode": verdict.provider_state_code,
    }
