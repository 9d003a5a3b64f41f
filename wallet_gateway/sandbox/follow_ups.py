"""Capture, refund and reversal, by the merchant or in the provider's portal, and detached refunds.

A violation of a limit is a refusal and leaves no record. For refunds the interface says: "Must not exceed
the remaining refundable amount of the parent deposit; exceeding it yields the refund-limit error." Detached
refunds refer to deposits of an earlier provider, which a migration file names.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from django.db.models import Sum

from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.faults import refund_amount_exceeded
from wallet_gateway.protocol.follow_ups import (
    DETACHED_REFUND_TYPE,
    DetachedRefundRequest,
    DetachedRefundResponse,
    FollowUpRequest,
    FollowUpType,
)
from wallet_gateway.protocol.migration_file import RowError, read_rows
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.checkouts import follow_up_details
from wallet_gateway.sandbox.models import (
    Deposit,
    FaultKind,
    Outcome,
    PortalReference,
    RecordOrigin,
    RecordState,
    TransactionRecord,
)
from wallet_gateway.sandbox.records import (
    PaymentTotals,
    ProviderDecision,
    answer_once,
    decide_request,
    decision_for_outcome,
    display_name,
    find_original,
    response_to_request,
    totals_of,
    write_record,
    written_id,
    written_state,
)
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext, current_conditions, write_lock


def amounts_left(original: TransactionRecord) -> Iterator[tuple[FollowUpType, Money]]:
    """Yield each follow-up that the limits allow now, with the largest amount that it may have."""
    if original.state != RecordState.APPROVED:
        return
    totals = totals_of(original)
    for follow_up in FollowUpType:
        with suppress(Refusal):
            left = _largest(follow_up, original, totals)
            if left > 0:
                yield follow_up, Money.from_minor_units(left, original.currency)


def _largest(follow_up: FollowUpType, original: TransactionRecord, totals: PaymentTotals) -> int:
    """Return the largest amount that a follow-up of an approved payment may have; raises a ``Refusal``."""
    match follow_up:
        case FollowUpType.CAPTURE:
            if original.type == CheckoutType.SALE:
                raise Refusal("NothingToCapture", "A sale is captured at once.")
            if totals.reversed:
                raise Refusal("NothingToCapture", "The authorization was reversed.")
            return original.amount_minor - totals.capturing
        case FollowUpType.REFUND:
            return totals.captured - totals.refunded
        case FollowUpType.REVERSAL_PREAUTHORIZATION:
            if original.type == CheckoutType.SALE or totals.capturing:
                raise Refusal("AlreadyCaptured", "What is captured can be refunded, not reversed.")
            if totals.reversed:
                text = f"The payment {quote(original.reference)} was reversed before."
                raise Refusal("OriginalNotApproved", text)
            return original.amount_minor


def _check_limits(follow_up: FollowUpType, original: TransactionRecord, amount: Money) -> None:
    """Check a follow-up of an approved payment, in its currency; raises a ``Refusal``."""
    totals = totals_of(original)
    left = _largest(follow_up, original, totals)
    if follow_up is FollowUpType.REFUND:
        captured = Money.from_minor_units(totals.captured, original.currency)
        _check_refund(captured, totals.refunded, amount)
    elif follow_up is FollowUpType.REVERSAL_PREAUTHORIZATION and amount != original.amount:
        text = f"A reversal takes the whole {original.amount}, not {amount}."
        raise Refusal("ReversalNotWhole", text)
    elif amount.minor_units > left:
        capturable = Money.from_minor_units(left, amount.currency)
        text = f"{amount} was asked for, {capturable} of {original.amount} can be captured."
        raise Refusal("CaptureAmountExceeded", text)


def _check_refund(deposit: Money, refunded: int, requested: Money) -> None:
    """Check a refund, ``refunded`` minor units having been refunded before."""
    refundable = deposit.minor_units - refunded
    if requested.minor_units > refundable:
        error = refund_amount_exceeded(
            deposit,
            Money.from_minor_units(refunded, deposit.currency),
            Money.from_minor_units(refundable, deposit.currency),
            requested,
        )
        raise Refusal("RefundAmountExceeded", error.message.removeprefix("RefundAmountExceeded: "))


def execute_follow_up(context: RequestContext, request: FollowUpRequest) -> dict[str, Any]:
    """Execute a capture, refund or reversal and return the follow-up response; raises a ``Refusal``."""
    behaviour = context.conditions.behaviour

    def execute() -> dict[str, Any]:
        record = _follow_up(
            find_original(context.merchant, request.client_system_invoice_id),
            request.type,
            request.money,
            decide_request(request.type, request.money, context.fault),
            reference=request.client_system_transaction_id,
            now=context.conditions.now,
        )
        return response_to_request(record, behaviour)

    has_original_reference = request.client_system_transaction_id == request.client_system_invoice_id
    shared = has_original_reference and behaviour.share_references
    return answer_once(context, request, execute, shared=shared)


def make_portal_follow_up(
    original: TransactionRecord, follow_up: FollowUpType, amount: Money
) -> TransactionRecord:
    """Create a follow-up of the portal, under the reference that the behaviour says; raises a ``Refusal``."""
    with write_lock():
        conditions = current_conditions()
        has_own = conditions.behaviour.portal_references == PortalReference.OWN
        return _follow_up(
            original,
            follow_up,
            amount,
            decision_for_outcome(follow_up, Outcome.SUCCESS),
            reference=f"PORTAL-{secrets.token_hex(8).upper()}" if has_own else original.reference,
            now=conditions.now,
            origin=RecordOrigin.PORTAL,
        )


def _follow_up(
    original: TransactionRecord,
    follow_up: FollowUpType,
    amount: Money,
    decision: ProviderDecision,
    *,
    reference: str,
    **others: Any,
) -> TransactionRecord:
    """Create a follow-up that state and amounts of its original allow; raises a ``Refusal``."""
    if original.state != RecordState.APPROVED:
        raise Refusal("OriginalNotApproved", f"The payment {quote(original.reference)} is {original.state}.")
    if amount.currency != original.currency:
        text = f"The payment is in {original.currency}, the request in {amount.currency}."
        raise Refusal("CurrencyDiffers", text)
    _check_limits(follow_up, original, amount)
    provider, email = original.merchant.provider, original.details["apmPayerEmailAddress"]
    return write_record(
        original.merchant,
        reference,
        follow_up,
        amount,
        decision,
        details=follow_up_details(provider=provider, email=email),
        original=original,
        original_reference=original.reference,
        **others,
    )


_RESPONSE_CODES: Final[dict[str, str]] = {RecordState.APPROVED: "00", RecordState.ERRORED: "05"}


def execute_detached_refund(context: RequestContext, request: DetachedRefundRequest) -> dict[str, Any]:
    """Refund an imported deposit and return the detached refund response; raises a ``Refusal``."""
    requested, merchant, behaviour = request.money, context.merchant, context.conditions.behaviour

    def execute() -> dict[str, Any]:
        parent = request.parent_transaction_id
        deposit = Deposit.objects.filter(
            merchant_id=merchant.merchant_id, parent_transaction_id=parent
        ).first()
        if deposit is None:
            raise Refusal(
                "UnknownOriginal",
                f"No migration file of this sandbox had a deposit {quote(parent)}. "
                "Give it the file: POST /_sandbox/migration-file.",
            )
        if requested.currency != deposit.currency:
            text = f"The deposit is in {deposit.currency}, the request in {requested.currency}."
            raise Refusal("CurrencyDiffers", text)
        _check_refund(deposit.amount, refunded_of(deposit), requested)
        money = requested
        if context.fault is FaultKind.PARTIAL:
            # At least one unit: an approved refund of zero is not a refund.
            money = Money.from_minor_units(max(1, requested.minor_units // 2), requested.currency)
        record = write_record(
            merchant,
            request.client_system_transaction_id,
            DETACHED_REFUND_TYPE,
            money,
            decide_request(DETACHED_REFUND_TYPE, requested, context.fault),
            now=context.conditions.now,
            details=follow_up_details(provider=merchant.provider),
            deposit=deposit,
            original_reference=parent,
        )
        given_back = money
        if record.state == RecordState.ERRORED:
            given_back = Money.from_minor_units(0, money.currency)
        response = DetachedRefundResponse.build(
            state=record.state,
            provider_response_code=_RESPONSE_CODES.get(record.state, ""),
            provider_authorization_id=record.record_id,
            provider_response_message=f"{record.provider_state_code}: {given_back} of {requested}",
            currency_code=record.currency,
            client_system_transaction_id=record.reference,
            response_message=f"{record.state}: requested refund {requested}, actual refund {given_back}.",
            amount=given_back.to_wire(),
            apm_details={"apm_provider_name": display_name(merchant.provider)},
        ).to_wire()
        return response | {
            "providerAuthorizationID": written_id(record, record.state, behaviour),
            "state": written_state(record.state, behaviour),
        }

    return answer_once(context, request, execute)


def import_migration_file(
    lines: Iterable[bytes], *, merchant_id: str, keep_good: bool
) -> tuple[int, list[RowError]]:
    """Import a merchant's file and return the number of rows imported, and those rejected.

    All rows are imported or none, or with ``keep_good`` all valid rows. A known
    deposit is updated, unless more has been refunded here than its new amount allows.
    """
    good: list[Deposit] = []
    rejected: list[RowError] = []
    with write_lock():
        for line, row in read_rows(lines):
            if isinstance(row, str):
                rejected.append(RowError(line, row))
                continue
            parent = row.parent_transaction_id
            known = Deposit.objects.filter(merchant_id=merchant_id, parent_transaction_id=parent).first()
            if known is not None and known.currency != row.currency:
                text = f"{quote(parent)} is known in {known.currency} already"
                rejected.append(RowError(line, text))
                continue
            deposit = known or Deposit(merchant_id=merchant_id, parent_transaction_id=parent)
            deposit.provider_transaction_id = row.provider_transaction_id
            deposit.paid_at = row.transacted_at
            deposit.amount_minor = row.money.minor_units
            deposit.currency = row.currency
            deposit.refunded_before_minor = row.refunded.minor_units
            if known is not None and refunded_of(deposit) > deposit.amount_minor:
                text = f"more than {row.money} of {quote(parent)} was refunded here already"
                rejected.append(RowError(line, text))
                continue
            good.append(deposit)
        if rejected and not keep_good:
            good = []
        for deposit in good:
            deposit.save()
    return len(good), rejected


def refunded_of(deposit: Deposit) -> int:
    """Return what was refunded of a deposit before and after the migration, in minor units."""
    since = deposit.refunds.exclude(state=RecordState.ERRORED).aggregate(total=Sum("amount_minor"))["total"]
    return deposit.refunded_before_minor + (since or 0)
