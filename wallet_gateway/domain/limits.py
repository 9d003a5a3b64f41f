"""The amounts that can still be captured, refunded or reversed, in minor units.

The reserving UPDATE has the same rules as conditions; these functions name the rule that forbids an
operation, beforehand or after a refusal. They never replace the condition in the statement.
"""

from __future__ import annotations

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import PaymentTotals, Reversal


def capturable(totals: PaymentTotals) -> int:
    """Return the minor units that can still be captured."""
    if totals.is_frozen or totals.reversal is not Reversal.NONE:
        return 0
    return totals.authorized - totals.captured - totals.capture_reserved


def refundable(totals: PaymentTotals) -> int:
    """Return the minor units that can still be refunded; a capture in progress does not count."""
    return 0 if totals.is_frozen else totals.captured - totals.refunded - totals.refund_reserved


def reversible(totals: PaymentTotals) -> int:
    """Return the minor units a reversal would release: the full authorization, or 0 once a capture began."""
    untouched = totals.captured == 0 and totals.capture_reserved == 0 and totals.reversal is Reversal.NONE
    return totals.authorized if untouched and not totals.is_frozen else 0


def why_not_capture(totals: PaymentTotals, wanted: int) -> ErrorCode | None:
    """Return the code of the rule that forbids capturing `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if totals.reversal is not Reversal.NONE:
        return ErrorCode.AUTHORIZATION_REVERSED
    if totals.authorized == 0:
        return ErrorCode.NOTHING_AUTHORIZED
    return None if wanted <= capturable(totals) else ErrorCode.ABOVE_CAPTURABLE


def why_not_refund(totals: PaymentTotals, wanted: int) -> ErrorCode | None:
    """Return the code of the rule that forbids refunding `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if totals.captured == 0:
        return ErrorCode.NOTHING_CAPTURED
    return None if wanted <= refundable(totals) else ErrorCode.ABOVE_REFUNDABLE


def why_not_reverse(totals: PaymentTotals) -> ErrorCode | None:
    """Return the code of the rule that forbids reversing the authorization; None if it is allowed."""
    if totals.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if totals.authorized == 0:
        return ErrorCode.NOTHING_AUTHORIZED
    if totals.reversal is not Reversal.NONE:
        return ErrorCode.AUTHORIZATION_REVERSED
    return None if reversible(totals) else ErrorCode.ALREADY_CAPTURED


def available(kind: TransactionKind, totals: PaymentTotals) -> int:
    """Return the minor units of a payment that are left for a capture, a refund or a reversal."""
    left = {
        TransactionKind.CAPTURE: capturable,
        TransactionKind.REFUND: refundable,
        TransactionKind.REVERSAL: reversible,
    }
    return left[kind](totals)


def why_not_begin(kind: TransactionKind, totals: PaymentTotals, *, awaits_outcome: bool) -> ErrorCode | None:
    """Return the code of the reason why an operation of any amount cannot begin; None if one can.

    `awaits_outcome` means that another operation has no outcome yet: it may hold the amount that is missing.
    """
    if awaits_outcome and not totals.is_frozen:
        return ErrorCode.OPERATION_OUTSTANDING
    if available(kind, totals) > 0:
        return None
    if kind is TransactionKind.CAPTURE:
        return why_not_capture(totals, 0) or ErrorCode.NOTHING_TO_CAPTURE
    if kind is TransactionKind.REFUND:
        return why_not_refund(totals, 0) or ErrorCode.NOTHING_TO_REFUND
    return why_not_reverse(totals)
