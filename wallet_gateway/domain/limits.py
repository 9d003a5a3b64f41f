"""What may still be captured, refunded or reversed, in minor units.

The same rules stand as conditions in the reserving UPDATE; these functions say them to people beforehand
and explain a refusal afterwards. They never replace the condition in the statement.
"""

from __future__ import annotations

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
