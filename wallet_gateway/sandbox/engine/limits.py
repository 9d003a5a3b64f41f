"""What may be captured, refunded and reversed. A rule that is broken is a refusal and leaves no record.

The rules are the same for the merchant's requests and for the provider's portal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.follow_ups import FollowUpType
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.engine.records import PaymentTotals, sums_of
from wallet_gateway.sandbox.engine.refusals import (
    AlreadyCaptured,
    CaptureAmountExceeded,
    CurrencyDiffers,
    NothingToCapture,
    OriginalNotApproved,
    RefundAmountExceeded,
    ReversalNotWhole,
)
from wallet_gateway.sandbox.models import RecordState, TransactionRecord


def check_follow_up(original: TransactionRecord, follow_up: FollowUpType, amount: Money) -> None:
    """Make sure a follow-up is within what its original allows; raises one of the refusals imported above."""
    if original.state != RecordState.APPROVED:
        raise OriginalNotApproved(f"The payment {excerpt(original.reference)} is {original.state}.")
    if amount.currency != original.currency:
        raise CurrencyDiffers(f"The payment is in {original.currency}, the request in {amount.currency}.")
    _RULES[follow_up](original, sums_of(original), amount)


def check_refund(*, deposit: Money, refunded: int, requested: Money) -> None:
    """Make sure a refund leaves its deposit at zero or above; raises ``RefundAmountExceeded``.

    ``refunded`` is what was given back before, in minor units.
    """
    refundable = deposit.minor_units - refunded
    if requested.minor_units > refundable:
        raise RefundAmountExceeded(
            deposit=deposit,
            refunded=Money.from_minor_units(refunded, deposit.currency),
            maximum=Money.from_minor_units(refundable, deposit.currency),
            requested=requested,
        )


def _check_capture(original: TransactionRecord, sums: PaymentTotals, amount: Money) -> None:
    if original.type == CheckoutType.SALE:
        raise NothingToCapture("A sale is captured at once.")
    if sums.reversed:
        raise NothingToCapture("The authorization was reversed.")
    left = original.amount_minor - sums.capturing
    if amount.minor_units > left:
        capturable = Money.from_minor_units(left, amount.currency)
        raise CaptureAmountExceeded(
            f"{amount} was asked for, {capturable} of {original.amount} can be captured."
        )


def _check_linked_refund(original: TransactionRecord, sums: PaymentTotals, amount: Money) -> None:
    captured = Money.from_minor_units(sums.captured, original.currency)
    check_refund(deposit=captured, refunded=sums.refunded, requested=amount)


def _check_reversal(original: TransactionRecord, sums: PaymentTotals, amount: Money) -> None:
    if original.type == CheckoutType.SALE or sums.capturing:
        raise AlreadyCaptured("What is captured can be refunded, not reversed.")
    if sums.reversed:
        raise OriginalNotApproved(f"The payment {excerpt(original.reference)} was reversed before.")
    if amount != original.amount:
        raise ReversalNotWhole(f"A reversal takes the whole {original.amount}, not {amount}.")


_RULES: Final[dict[FollowUpType, Callable[[TransactionRecord, PaymentTotals, Money], None]]] = {
    FollowUpType.CAPTURE: _check_capture,
    FollowUpType.REFUND: _check_linked_refund,
    FollowUpType.REVERSAL_PREAUTHORIZATION: _check_reversal,
}
