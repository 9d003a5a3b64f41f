"""What may still be captured, refunded or reversed, in minor units.

The same rules stand as conditions in the reserving UPDATE; these functions say them to people beforehand
and explain a refusal afterwards. They never replace the condition in the statement.
"""

from __future__ import annotations

from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import Reversal, Sums


def capturable(sums: Sums) -> int:
    """Minor units that may still be captured."""
    if sums.is_frozen or sums.reversal is not Reversal.NONE:
        return 0
    return sums.authorized - sums.captured - sums.capture_reserved


def refundable(sums: Sums) -> int:
    """Minor units that may still be refunded; a capture still under way does not count."""
    return 0 if sums.is_frozen else sums.captured - sums.refunded - sums.refund_reserved


def reversible(sums: Sums) -> int:
    """Minor units a reversal would give back: the whole authorization, or nothing once a capture began."""
    untouched = sums.captured == 0 and sums.capture_reserved == 0 and sums.reversal is Reversal.NONE
    return sums.authorized if untouched and not sums.is_frozen else 0


def why_not_capture(sums: Sums, wanted: int) -> str:
    """Say in plain words why `wanted` cannot be captured; empty when it can."""
    if sums.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if sums.reversal is not Reversal.NONE:
        return "the authorization has been, or is being, reversed"
    if sums.authorized == 0:
        return "nothing is authorized"
    return "" if wanted <= capturable(sums) else "the amount is above what is left to capture"


def why_not_refund(sums: Sums, wanted: int) -> str:
    """Say in plain words why `wanted` cannot be refunded; empty when it can."""
    if sums.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if sums.captured == 0:
        return "nothing is captured"
    return "" if wanted <= refundable(sums) else "the amount is above what is left to refund"


def why_not_reverse(sums: Sums) -> str:
    """Say in plain words why the authorization cannot be reversed; empty when it can."""
    if sums.is_frozen:
        return "the payment is frozen until a person has looked at it"
    if sums.authorized == 0:
        return "nothing is authorized"
    if sums.reversal is not Reversal.NONE:
        return "it has been, or is being, reversed already"
    return "" if reversible(sums) else "a capture has been made or is under way; refund it instead"


def available(kind: TransactionKind, sums: Sums) -> int:
    """Return the minor units that are left of a payment for a capture, a refund or a reversal."""
    left = {
        TransactionKind.CAPTURE: capturable,
        TransactionKind.REFUND: refundable,
        TransactionKind.REVERSAL: reversible,
    }
    return left[kind](sums)


def why_nothing_left(kind: TransactionKind, sums: Sums) -> str:
    """Say why nothing is left for a capture, a refund or a reversal; what else forbids it comes first."""
    if kind is TransactionKind.CAPTURE:
        return why_not_capture(sums, 0) or "nothing is left to capture"
    if kind is TransactionKind.REFUND:
        return why_not_refund(sums, 0) or "nothing is left to refund"
    return why_not_reverse(sums)
