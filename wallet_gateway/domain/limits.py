"""What may still be captured, refunded or reversed, in minor units.

The same rules stand as conditions in the reserving UPDATE; these functions say them to people beforehand
and explain a refusal afterwards. They never replace the condition in the statement.
"""

from __future__ import annotations

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import PaymentTotals, Reversal


def capturable(totals: PaymentTotals) -> int:
    """Minor units that may still be captured."""
    if totals.is_frozen or totals.reversal is not Reversal.NONE:
        return 0
    return totals.authorized - totals.captured - totals.capture_reserved


def refundable(totals: PaymentTotals) -> int:
    """Minor units that may still be refunded; a capture still under way does not count."""
    return 0 if totals.is_frozen else totals.captured - totals.refunded - totals.refund_reserved


def reversible(totals: PaymentTotals) -> int:
    """Minor units a reversal would give back: the whole authorization, or nothing once a capture began."""
    untouched = totals.captured == 0 and totals.capture_reserved == 0 and totals.reversal is Reversal.NONE
    return totals.authorized if untouched and not totals.is_frozen else 0


def why_not_capture(totals: PaymentTotals, wanted: int) -> str:
    """Say in plain words why `wanted` cannot be captured; empty when it can."""
    if totals.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if totals.reversal is not Reversal.NONE:
        return "the authorization has been, or is being, reversed"
    if totals.authorized == 0:
        return "nothing is authorized"
    return "" if wanted <= capturable(totals) else "the amount is above what is left to capture"


def why_not_refund(totals: PaymentTotals, wanted: int) -> str:
    """Say in plain words why `wanted` cannot be refunded; empty when it can."""
    if totals.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if totals.captured == 0:
        return "nothing is captured"
    return "" if wanted <= refundable(totals) else "the amount is above what is left to refund"


def why_not_reverse(totals: PaymentTotals) -> str:
    """Say in plain words why the authorization cannot be reversed; empty when it can."""
    if totals.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if totals.authorized == 0:
        return "nothing is authorized"
    if totals.reversal is not Reversal.NONE:
        return "it has been, or is being, reversed already"
    return "" if reversible(totals) else "a capture has been made or is under way; refund it instead"


def available(kind: TransactionKind, totals: PaymentTotals) -> int:
    """Return the minor units that are left of a payment for a capture, a refund or a reversal."""
    left = {
        TransactionKind.CAPTURE: capturable,
        TransactionKind.REFUND: refundable,
        TransactionKind.REVERSAL: reversible,
    }
    return left[kind](totals)


def why_nothing_left(kind: TransactionKind, totals: PaymentTotals) -> str:
    """Say why nothing is left for a capture, a refund or a reversal; what else forbids it comes first."""
    if kind is TransactionKind.CAPTURE:
        return why_not_capture(totals, 0) or "nothing is left to capture"
    if kind is TransactionKind.REFUND:
        return why_not_refund(totals, 0) or "nothing is left to refund"
    return why_not_reverse(totals)
