"""Limits of capture, refund and reversal; a violation is a refusal and leaves no record.

The same limits apply to requests of the merchant and to the provider's portal. For refunds the interface
says: "Must not exceed the remaining refundable amount of the parent deposit; exceeding it yields the
refund-limit error."
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.faults import refund_amount_exceeded
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.models import RecordState, TransactionRecord
from wallet_gateway.sandbox.payments.records import PaymentTotals, totals_of
from wallet_gateway.sandbox.refusals import Refusal


def check_follow_up(original: TransactionRecord, follow_up: FollowUpType, amount: Money) -> None:
    """Check a follow-up against the state and amounts of its original; raises a ``Refusal``."""
    if original.state != RecordState.APPROVED:
        raise Refusal("OriginalNotApproved", f"The payment {quote(original.reference)} is {original.state}.")
    if amount.currency != original.currency:
        raise Refusal(
            "CurrencyDiffers", f"The payment is in {original.currency}, the request in {amount.currency}."
        )
    _RULES[follow_up](original, totals_of(original), amount)


def amounts_left(original: TransactionRecord) -> Iterator[tuple[FollowUpType, Money]]:
    """Yield each follow-up that the limits allow now, with the largest amount that it may have."""
    if original.state != RecordState.APPROVED:
        return
    totals = totals_of(original)
    largest = {
        FollowUpType.CAPTURE: original.amount_minor - totals.capturing,
        FollowUpType.REFUND: totals.captured - totals.refunded,
        FollowUpType.REVERSAL_PREAUTHORIZATION: original.amount_minor,
    }
    for follow_up, minor_units in largest.items():
        if minor_units > 0:
            amount = Money.from_minor_units(minor_units, original.currency)
            try:
                _RULES[follow_up](original, totals, amount)
            except Refusal:
                continue
            yield follow_up, amount


def check_refund(*, deposit: Money, refunded: int, requested: Money) -> None:
    """Check that a refund does not exceed the remaining amount; raises ``RefundAmountExceeded``.

    ``refunded`` is the amount refunded before, in minor units.
    """
    refundable = deposit.minor_units - refunded
    if requested.minor_units > refundable:
        error = refund_amount_exceeded(
            deposit,
            Money.from_minor_units(refunded, deposit.currency),
            Money.from_minor_units(refundable, deposit.currency),
            requested,
        )
        raise Refusal("RefundAmountExceeded", error.message.removeprefix("RefundAmountExceeded: "))


def _check_capture(original: TransactionRecord, totals: PaymentTotals, amount: Money) -> None:
    if original.type == CheckoutType.SALE:
        raise Refusal("NothingToCapture", "A sale is captured at once.")
    if totals.reversed:
        raise Refusal("NothingToCapture", "The authorization was reversed.")
    left = original.amount_minor - totals.capturing
    if amount.minor_units > left:
        capturable = Money.from_minor_units(left, amount.currency)
        raise Refusal(
            "CaptureAmountExceeded",
            f"{amount} was asked for, {capturable} of {original.amount} can be captured.",
        )


def _check_linked_refund(original: TransactionRecord, totals: PaymentTotals, amount: Money) -> None:
    captured = Money.from_minor_units(totals.captured, original.currency)
    check_refund(deposit=captured, refunded=totals.refunded, requested=amount)


def _check_reversal(original: TransactionRecord, totals: PaymentTotals, amount: Money) -> None:
    if original.type == CheckoutType.SALE or totals.capturing:
        raise Refusal("AlreadyCaptured", "What is captured can be refunded, not reversed.")
    if totals.reversed:
        raise Refusal("OriginalNotApproved", f"The payment {quote(original.reference)} was reversed before.")
    if amount != original.amount:
        raise Refusal("ReversalNotWhole", f"A reversal takes the whole {original.amount}, not {amount}.")


_RULES: Final[dict[FollowUpType, Callable[[TransactionRecord, PaymentTotals, Money], None]]] = {
    FollowUpType.CAPTURE: _check_capture,
    FollowUpType.REFUND: _check_linked_refund,
    FollowUpType.REVERSAL_PREAUTHORIZATION: _check_reversal,
}
