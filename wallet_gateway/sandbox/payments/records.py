"""Transaction records: create, change, settle, find and add them up.

References are unique per merchant, so a caller of the control interface may have to name the merchant. If a
merchant's reference matches several rows, the one that can still be acted on is found, otherwise the newest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, Sum

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import (
    Authentication,
    Checkout,
    Merchant,
    Outcome,
    RecordOrigin,
    RecordState,
    TransactionRecord,
)
from wallet_gateway.sandbox.payments.provider_decision import ProviderDecision, decision_for_outcome
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import current_conditions

_TYPES_OF_ORIGINALS = frozenset({*CheckoutType, *AuthorizationType})
SETTLING_OUTCOMES = (Outcome.SUCCESS, Outcome.REFUSED, Outcome.ERROR)
"""The outcomes that settle a pending transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStep:
    """One state change of a transaction that belongs to a payment."""

    at: datetime
    record: TransactionRecord
    state: str
    provider_state_code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """Totals of an original's follow-ups in minor units; pending ones count as spent, but not as captured."""

    captured: int
    """Approved captures: the amount available for refunds."""
    capturing: int
    """Approved and pending captures: the amount no longer available for capture."""
    refunded: int
    reversed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceQuery:
    """A reference, with the merchant and store if the caller named them."""

    reference: str
    merchant_id: str | None = None
    store_id: str | None = None


def write_record(
    *,
    merchant: Merchant,
    reference: str,
    record_type: str,
    money: Money,
    decision: ProviderDecision,
    now: datetime,
    origin: RecordOrigin,
    details: dict[str, Any],
    **links: Any,
) -> TransactionRecord:
    """Create a transaction; ``links`` are its foreign keys and the reference of its original."""
    return TransactionRecord.objects.create(
        merchant=merchant,
        reference=reference,
        type=record_type,
        state=decision.state,
        provider_state_code=decision.provider_state_code,
        amount_minor=money.minor_units,
        currency=money.currency,
        created_at=now,
        origin=origin,
        details=details,
        history=[_history_entry(decision, now)],
        **links,
    )


def change_state(record: TransactionRecord, decision: ProviderDecision, *, now: datetime) -> None:
    """Change the state of a transaction and append it to the history."""
    record.state = decision.state
    record.provider_state_code = decision.provider_state_code
    record.history = [*record.history, _history_entry(decision, now)]
    record.save(update_fields=["state", "provider_state_code", "history"])


def settle_pending(record: TransactionRecord, outcome: Outcome) -> None:
    """Settle a pending transaction; raises ``NotPending``."""
    with write_lock():
        record.refresh_from_db()
        if record.state != RecordState.PENDING:
            raise Refusal("NotPending", f"The transaction {quote(record.reference)} is {record.state}.")
        change_state(record, decision_for_outcome(record.type, outcome), now=current_conditions().now)


def find_original(merchant: Merchant, reference: str) -> TransactionRecord:
    """Find the payment under a reference, preferring an approved one; raises ``UnknownOriginal``."""
    found = merchant.records.filter(reference=reference, type__in=_TYPES_OF_ORIGINALS)
    originals = list(found.order_by("pk"))
    if not originals:
        raise Refusal(
            "UnknownOriginal",
            f"No payment was made under {quote(reference)} at this sandbox. If it was paid before the "
            "sandbox was started anew or in another folder, pay a new order.",
        )
    return next((one for one in originals if one.state == RecordState.APPROVED), originals[0])


def totals_of(original: TransactionRecord) -> PaymentTotals:
    """Return the totals of an original's follow-ups."""
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


def transaction_history(record: TransactionRecord) -> tuple[HistoryStep, ...]:
    """Return the state changes of a payment and all its follow-ups, oldest first."""
    original_id = record.original_id or record.pk
    family = TransactionRecord.objects.filter(Q(pk=original_id) | Q(original_id=original_id)).order_by("pk")
    steps = (step for member in family for step in steps_of(member))
    return tuple(sorted(steps, key=lambda step: step.at))


def steps_of(record: TransactionRecord) -> tuple[HistoryStep, ...]:
    """Return the state changes of one transaction, oldest first."""
    return tuple(
        HistoryStep(
            at=datetime.fromisoformat(entry["at"]),
            record=record,
            state=entry["state"],
            provider_state_code=entry["providerStateCode"],
        )
        for entry in record.history
    )


def find_checkout(query: ReferenceQuery) -> Checkout:
    """Find the checkout under a reference; raises ``UnknownReference`` or ``AmbiguousReference``."""
    merchant = _merchant_of(query, "checkouts__reference")
    checkouts = list(merchant.checkouts.filter(reference=query.reference).order_by("-pk"))
    return next((one for one in reversed(checkouts) if not one.decided_outcome), checkouts[0])


def find_pending(query: ReferenceQuery) -> TransactionRecord:
    """Find the pending transaction under a reference; raises what ``find_checkout`` raises."""
    merchant = _merchant_of(query, "records__reference")
    records = list(merchant.records.filter(reference=query.reference).order_by("-pk"))
    return next((one for one in reversed(records) if one.state == RecordState.PENDING), records[0])


def find_authentication(query: ReferenceQuery) -> Authentication:
    """Find the 3-D Secure page of an authorization; raises what ``find_checkout`` raises."""
    merchant = _merchant_of(query, "records__reference")
    authentication = (
        Authentication.objects.filter(record__merchant=merchant, record__reference=query.reference)
        .select_related("record")
        .order_by("-pk")
        .first()
    )
    if authentication is None:
        raise Refusal("UnknownReference", f"{quote(query.reference)} has no 3-D Secure page.")
    return authentication


def find_payment(query: ReferenceQuery) -> TransactionRecord:
    """Find the original transaction under a reference; raises a ``Refusal``."""
    return find_original(_merchant_of(query, "records__reference"), query.reference)


def _history_entry(decision: ProviderDecision, now: datetime) -> dict[str, str]:
    return {
        "at": now.isoformat(),
        "state": decision.state,
        "providerStateCode": decision.provider_state_code,
    }


def _merchant_of(query: ReferenceQuery, path: str) -> Merchant:
    named = {"merchant_id": query.merchant_id, "store_id": query.store_id}
    conditions = {name: value for name, value in named.items() if value is not None}
    merchants = list(Merchant.objects.filter(**conditions, **{path: query.reference}).distinct()[:2])
    if not merchants:
        raise Refusal("UnknownReference", f"Nothing is known under {quote(query.reference)}.")
    if len(merchants) > 1:
        raise Refusal(
            "AmbiguousReference",
            f"Several merchants use {quote(query.reference)}; say merchantId and storeId.",
        )
    return merchants[0]
