"""The amounts that can still be captured, refunded or reversed, in minor units.

The reserving UPDATE has the same rules as conditions; these functions name the rule that forbids an
operation, beforehand or after a refusal. They never replace the condition in the statement.
"""

from __future__ import annotations

from wallet_gateway.domain.error_codes import OPERATION_OUTSTANDING, PAYMENT_FROZEN, ErrorCode, Refusal
from wallet_gateway.domain.error_codes import gettext_noop as _
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import PaymentTotals, Reversal

_NOTHING_AUTHORIZED = Refusal(_("Nothing is authorized."), ErrorCode.NOTHING_LEFT)
_AUTHORIZATION_REVERSED = Refusal(
    _("The authorization has been reversed, or a reversal is under way."), ErrorCode.NOTHING_LEFT
)


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


def why_not_capture(totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids capturing `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.reversal is not Reversal.NONE:
        return _AUTHORIZATION_REVERSED
    if totals.authorized == 0:
        return _NOTHING_AUTHORIZED
    if wanted <= capturable(totals):
        return None
    return Refusal(_("The amount is higher than what is left to capture."), ErrorCode.AMOUNT_TOO_HIGH)


def why_not_refund(totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids refunding `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.captured == 0:
        return Refusal(_("Nothing is captured."), ErrorCode.NOTHING_LEFT)
    if wanted <= refundable(totals):
        return None
    return Refusal(_("The amount is higher than what is left to refund."), ErrorCode.AMOUNT_TOO_HIGH)


def why_not_reverse(totals: PaymentTotals) -> Refusal | None:
    """Return the rule that forbids reversing the authorization; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.authorized == 0:
        return _NOTHING_AUTHORIZED
    if totals.reversal is not Reversal.NONE:
        return _AUTHORIZATION_REVERSED
    if reversible(totals):
        return None
    return Refusal(
        _("A capture has been made or is under way. Refund it instead of reversing."), ErrorCode.REFUND_NEEDED
    )


def available(kind: TransactionKind, totals: PaymentTotals) -> int:
    """Return the minor units of a payment that are left for a capture, a refund or a reversal."""
    left = {
        TransactionKind.CAPTURE: capturable,
        TransactionKind.REFUND: refundable,
        TransactionKind.REVERSAL: reversible,
    }
    return left[kind](totals)


def why_not(kind: TransactionKind, totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids an operation of `wanted`; None if it is allowed."""
    if kind is TransactionKind.CAPTURE:
        return why_not_capture(totals, wanted)
    if kind is TransactionKind.REFUND:
        return why_not_refund(totals, wanted)
    return why_not_reverse(totals)


def why_not_begin(kind: TransactionKind, totals: PaymentTotals, *, awaits_outcome: bool) -> Refusal | None:
    """Return the reason why an operation of any amount cannot begin; None if one can.

    `awaits_outcome` means that another operation has no outcome yet: it may hold the amount that is missing.
    """
    if awaits_outcome and not totals.is_frozen:
        return OPERATION_OUTSTANDING
    if available(kind, totals) > 0:
        return None
    return why_not(kind, totals, 0) or _NOTHING_LEFT[kind]


_NOTHING_LEFT = {
    TransactionKind.CAPTURE: Refusal(_("Nothing is left to capture."), ErrorCode.NOTHING_LEFT),
    TransactionKind.REFUND: Refusal(_("Nothing is left to refund."), ErrorCode.NOTHING_LEFT),
}
