"""Transaction records: how the provider decides them, and to create, settle, find, report and add them up.

Special amounts always have the same result, for people who test a shop by hand without control calls. Rows
keep the documented state, the id and the amount, by which the rules go; answers and status records are
written as the configured behaviour says. A reference belongs to one request of a merchant, so a caller of
the control interface may have to name the merchant. If a merchant's reference matches several rows, the one
that can still be acted on is found, otherwise the newest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet, Sum

from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import write_timestamp
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.models import (
    AMOUNT_AS_REQUESTED,
    NO_AMOUNT,
    AcceptedRequest,
    Authentication,
    Checkout,
    DuplicatePolicy,
    FaultKind,
    Merchant,
    Outcome,
    PlaceholderId,
    RecordOrigin,
    RecordState,
    SandboxState,
    TransactionRecord,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext, current_conditions, write_lock

# How the provider decides

SLOW_AMOUNT: Final = Decimal("6660.04")
"""The answer to this special amount is slow; the result is normal."""
_SPECIAL_OUTCOMES: Final = {
    Decimal("6660.01"): Outcome.REFUSED,
    Decimal("6660.02"): Outcome.PENDING,
    Decimal("6660.03"): Outcome.ERROR,
}
UNDOCUMENTED_STATE: Final = "Quarantined"
"""A state that the interface does not define; a client must not treat it as final."""


class ProviderDecision(NamedTuple):
    """A transaction's state and the ``providerStateCode``, of which the interface names one."""

    state: str
    provider_state_code: str


_SUCCESS: Final[dict[str, str]] = {
    CheckoutType.SALE: "CapturedByProvider",
    CheckoutType.PREAUTHORIZATION: "AuthorizedByProvider",
    AuthorizationType.PREAUTHORIZATION: "AuthorizedByProvider",
    FollowUpType.CAPTURE: "CapturedByProvider",
    FollowUpType.REFUND: "RefundedByProvider",
    FollowUpType.REVERSAL_PREAUTHORIZATION: "ReversedByProvider",
    DETACHED_REFUND_TYPE: "RefundedByProvider",
}
PENDING: Final = ProviderDecision(RecordState.PENDING, "PendingAtProvider")
NOT_AUTHENTICATED: Final = ProviderDecision(RecordState.ERRORED, "NotAuthenticated")
ABANDONED: Final = ProviderDecision(RecordState.ERRORED, "AbandonedByCustomer")
QUARANTINED: Final = ProviderDecision(UNDOCUMENTED_STATE, "QuarantinedByProvider")
_BY_OUTCOME: Final[dict[str, ProviderDecision]] = {
    Outcome.PENDING: PENDING,
    Outcome.REFUSED: ProviderDecision(RecordState.ERRORED, "RefusedByProvider"),
    Outcome.CANCELLED: ProviderDecision(RecordState.ERRORED, "CancelledByCustomer"),
    Outcome.ERROR: ProviderDecision(RecordState.ERRORED, "FailedAtProvider"),
}


def outcome_of_amount(money: Money) -> Outcome:
    """Return the outcome of a special amount, in major units of any currency; success for any other."""
    return _SPECIAL_OUTCOMES.get(money.amount, Outcome.SUCCESS)


def decision_for_outcome(record_type: str, outcome: Outcome) -> ProviderDecision:
    """Return the decision that corresponds to an outcome of a page or of settling."""
    return _BY_OUTCOME.get(outcome) or ProviderDecision(RecordState.APPROVED, _SUCCESS[record_type])


def decide_request(record_type: str, money: Money, fault: FaultKind | None) -> ProviderDecision:
    """Return the decision on a merchant's request; a fault mode takes precedence over a special amount."""
    if fault is FaultKind.UNDOCUMENTED_STATE:
        return QUARANTINED
    outcome = Outcome.ERROR if fault is FaultKind.ERRORED else outcome_of_amount(money)
    return decision_for_outcome(record_type, outcome)


# Create, change and settle


def answer_once(
    context: RequestContext,
    request: TransactionRequest,
    execute: Callable[[], dict[str, Any]],
    *,
    shared: bool = False,
) -> dict[str, Any]:
    """Execute a request once and return its answer; answer a repetition as configured.

    With ``shared`` the request carries its original's reference on purpose, which is allowed once per type.
    Raises ``ReferenceAlreadyUsed`` and what ``execute`` raises; after that the reference is still unused.
    """
    fingerprint = hashlib.sha256(request.to_json()).hexdigest()
    reference, duplicates = request.client_system_transaction_id, context.conditions.behaviour.duplicates
    with write_lock():
        earlier = context.merchant.accepted_requests.filter(reference=reference)
        if shared:
            earlier = earlier.filter(type=request.type)
        if (first := earlier.first()) is not None:
            if first.fingerprint != fingerprint:
                raise Refusal("ReferenceAlreadyUsed", f"{quote(reference)} was used for another request.")
            if duplicates == DuplicatePolicy.REJECT:
                text = f"{quote(reference)} was used for this request before."
                raise Refusal("ReferenceAlreadyUsed", text)
            if duplicates == DuplicatePolicy.REPLAY:
                recorded: dict[str, Any] = first.answer
                return recorded
        answer = execute()
        AcceptedRequest.objects.create(
            merchant=context.merchant,
            reference=reference,
            type=request.type,
            fingerprint=fingerprint,
            answer=answer,
        )
    return answer


def write_record(
    merchant: Merchant,
    reference: str,
    record_type: str,
    money: Money,
    decision: ProviderDecision,
    *,
    now: datetime,
    origin: RecordOrigin = RecordOrigin.API,
    **others: Any,
) -> TransactionRecord:
    """Create a transaction; ``others`` are its details, foreign keys and the reference of its original."""
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
        history=[_history_entry(decision, now)],
        **others,
    )


def change_state(record: TransactionRecord, decision: ProviderDecision, *, now: datetime) -> None:
    """Change the state of a transaction and append it to the history."""
    record.state, record.provider_state_code = decision
    record.history = [*record.history, _history_entry(decision, now)]
    record.save(update_fields=["state", "provider_state_code", "history"])


def _history_entry(decision: ProviderDecision, now: datetime) -> dict[str, str]:
    return {
        "at": now.isoformat(),
        "state": decision.state,
        "providerStateCode": decision.provider_state_code,
    }


SETTLING_OUTCOMES = (Outcome.SUCCESS, Outcome.REFUSED, Outcome.ERROR)
"""The outcomes that settle a pending transaction."""


def settle_pending(record: TransactionRecord, outcome: Outcome) -> None:
    """Settle a pending transaction; raises ``NotPending``."""
    with write_lock():
        record.refresh_from_db()
        if record.state != RecordState.PENDING:
            raise Refusal("NotPending", f"The transaction {quote(record.reference)} is {record.state}.")
        change_state(record, decision_for_outcome(record.type, outcome), now=current_conditions().now)


# Find


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceQuery:
    """A reference, with the merchant and store if the caller named them."""

    reference: str
    merchant_id: str | None = None
    store_id: str | None = None

    def among(self, rows: QuerySet[Any]) -> list[Any]:
        """Return one merchant's rows, newest first; raises ``UnknownReference`` or ``AmbiguousReference``."""
        named = {"merchant__merchant_id": self.merchant_id, "merchant__store_id": self.store_id}
        conditions = {name: value for name, value in named.items() if value is not None}
        found = list(rows.filter(reference=self.reference, **conditions).order_by("-pk"))
        if not found:
            raise Refusal("UnknownReference", f"Nothing is known under {quote(self.reference)}.")
        if len({row.merchant_id for row in found}) > 1:
            text = f"Several merchants use {quote(self.reference)}; say merchantId and storeId."
            raise Refusal("AmbiguousReference", text)
        return found


def find_checkout(query: ReferenceQuery) -> Checkout:
    """Find the checkout under a reference; raises what ``among`` raises."""
    checkouts: list[Checkout] = query.among(Checkout.objects.all())
    return next((one for one in reversed(checkouts) if not one.decided_outcome), checkouts[0])


def find_pending(query: ReferenceQuery) -> TransactionRecord:
    """Find the pending transaction under a reference; raises what ``among`` raises."""
    records: list[TransactionRecord] = query.among(TransactionRecord.objects.all())
    return next((one for one in reversed(records) if one.state == RecordState.PENDING), records[0])


def find_authentication(query: ReferenceQuery) -> Authentication:
    """Find the 3-D Secure page of an authorization; raises what ``among`` raises."""
    records = query.among(TransactionRecord.objects.all())
    pages = Authentication.objects.filter(record__in=records).select_related("record")
    if (authentication := pages.order_by("-pk").first()) is None:
        raise Refusal("UnknownReference", f"{quote(query.reference)} has no 3-D Secure page.")
    return authentication


def find_payment(query: ReferenceQuery) -> TransactionRecord:
    """Find the original transaction under a reference; raises a ``Refusal``."""
    return find_original(query.among(TransactionRecord.objects.all())[0].merchant, query.reference)


def find_original(merchant: Merchant, reference: str) -> TransactionRecord:
    """Find the payment under a reference, preferring an approved one; raises ``UnknownOriginal``."""
    types = [*CheckoutType, *AuthorizationType]
    originals = list(merchant.records.filter(reference=reference, type__in=types).order_by("pk"))
    if not originals:
        raise Refusal(
            "UnknownOriginal",
            f"No payment was made under {quote(reference)} at this sandbox. If it was paid before the "
            "sandbox was started anew or in another folder, pay a new order.",
        )
    return next((one for one in originals if one.state == RecordState.APPROVED), originals[0])


# Add up and report


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """Totals of an original's follow-ups in minor units; pending ones count as spent, but not as captured."""

    captured: int
    """Approved captures: the amount available for refunds."""
    capturing: int
    """Approved and pending captures: the amount no longer available for capture."""
    refunded: int
    reversed: bool


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


def transaction_history(
    record: TransactionRecord,
) -> list[tuple[datetime, TransactionRecord, dict[str, str]]]:
    """Return the state changes of a payment and all its follow-ups, oldest first, each with its time."""
    original_id = record.original_id or record.pk
    family = TransactionRecord.objects.filter(Q(pk=original_id) | Q(original_id=original_id)).order_by("pk")
    steps = [(datetime.fromisoformat(step["at"]), one, step) for one in family for step in one.history]
    return sorted(steps, key=lambda step: step[0])


_PLACEHOLDERS: Final[dict[str, str]] = {
    PlaceholderId.ZEROS: "00000000-0000-0000-0000-000000000000",
    PlaceholderId.ZERO: "0",
    PlaceholderId.EMPTY: "",
}


def written_state(state: str, behaviour: SandboxState) -> str:
    """Return the word for a state."""
    word: str = behaviour.state_words.get(state, state)
    return word


def written_id(record: TransactionRecord, state: str, behaviour: SandboxState) -> str:
    """Return the id of a transaction in this state; an approved one always has its own."""
    if state == RecordState.APPROVED:
        return record.record_id
    return _PLACEHOLDERS.get(behaviour.placeholder_ids, record.record_id)


def display_name(provider: str) -> str:
    """Return the display name of a provider constant: ``ExampleWallet`` for ``ExampleWalletV2``."""
    return provider.removesuffix("V2")


def response_to_request(record: TransactionRecord, behaviour: SandboxState) -> dict[str, Any]:
    """Return the response of a follow-up or an authorization, in wire form."""
    return {
        "id": written_id(record, record.state, behaviour),
        "state": written_state(record.state, behaviour),
        "providerStateCode": record.provider_state_code,
        "currencyCode": record.currency,
        "clientSystemTransactionId": record.reference,
        "apmDetails": {
            "apmProviderName": display_name(record.merchant.provider),
            "apmPaymentMethod": record.type,
        },
    }


def status_records(context: RequestContext, reference: str) -> list[dict[str, Any]]:
    """Return the visible records under a reference, oldest first unless the behaviour has another order.

    ``status_lag`` hides recent changes. Follow-ups that the portal made under references of its own belong to
    their original's.
    """
    behaviour = context.conditions.behaviour
    seen_until = context.conditions.now - behaviour.status_lag
    records = list(context.merchant.records.filter(reference=reference))
    originals = [record for record in records if not record.original_reference]
    if originals:
        by_portal = TransactionRecord.objects.filter(original__in=originals, origin=RecordOrigin.PORTAL)
        records += by_portal.exclude(reference=reference)
    answer = []
    for record in sorted(records, key=lambda record: record.pk):
        states = [
            step["state"] for step in record.history if datetime.fromisoformat(step["at"]) <= seen_until
        ]
        if states:
            answer.append(_status_record(record, states[-1], behaviour))
    if context.fault is FaultKind.UNDOCUMENTED_STATE:
        answer = [record | {"state": UNDOCUMENTED_STATE} for record in answer]
    return answer[::-1] if behaviour.newest_first else answer


def status_record(record: TransactionRecord) -> dict[str, Any]:
    """Return one record in wire form, in its current state."""
    return _status_record(record, record.state, current_conditions().behaviour)


def _status_record(record: TransactionRecord, state: str, behaviour: SandboxState) -> dict[str, Any]:
    details, amount = record.details, NumberText(record.amount.to_wire())
    if state == RecordState.ERRORED:
        # A failed transaction has neither a payer nor an id at the provider.
        details = {name: value if name == "apmName" else None for name, value in details.items()}
        if behaviour.errored_amount != AMOUNT_AS_REQUESTED:
            amount = NumberText(behaviour.errored_amount)
    return {
        "id": written_id(record, state, behaviour),
        "state": written_state(state, behaviour),
        "currencyCode": record.currency,
        "transactionAmount": None if amount == NO_AMOUNT else amount,
        "clientSystemTransactionId": record.reference,
        "type": record.type,
        "transactionDateTime": write_timestamp(record.created_at),
        "apmDetails": details,
    }
