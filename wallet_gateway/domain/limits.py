"""What may still be captured, refunded or reversed, in minor units.

The same rules stand as conditions in the reserving UPDATE; these functions name the rule that forbids an
operation, beforehand or after a refusal. They never replace the condition in the statement.
"""

from __future__ import annotations

from wallet_gateway.domain.error_codes import ErrorCode
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


def why_not_capture(sums: Sums, wanted: int) -> ErrorCode | None:
    """Return the code of the rule by which `wanted` cannot be captured; None when it can."""
    if sums.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if sums.reversal is not Reversal.NONE:
        return ErrorCode.AUTHORIZATION_REVERSED
    if sums.authorized == 0:
        return ErrorCode.NOTHING_AUTHORIZED
    return None if wanted <= capturable(sums) else ErrorCode.ABOVE_CAPTURABLE


def why_not_refund(sums: Sums, wanted: int) -> ErrorCode | None:
    """Return the code of the rule by which `wanted` cannot be refunded; None when it can."""
    if sums.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if sums.captured == 0:
        return ErrorCode.NOTHING_CAPTURED
    return None if wanted <= refundable(sums) else ErrorCode.ABOVE_REFUNDABLE


def why_not_reverse(sums: Sums) -> ErrorCode | None:
    """Return the code of the rule by which the authorization cannot be reversed; None when it can."""
    if sums.is_frozen:
        return ErrorCode.PAYMENT_FROZEN
    if sums.authorized == 0:
        return ErrorCode.NOTHING_AUTHORIZED
    if sums.reversal is not Reversal.NONE:
        return ErrorCode.AUTHORIZATION_REVERSED
    return None if reversible(sums) else ErrorCode.ALREADY_CAPTURED
