"""The error codes of refused and failed operations, and the sentences that more than one place says.

A code is stable, and exists where somebody acts differently by it: a shop's program, a script, an operator.
What exactly was wrong is the sentence beside it, in English; `operation_errors` translates it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Self


class StoredEnum(StrEnum):
    """An enumeration that accepts a stored value which this version does not know.

    Its values are in rows that outlive the version that wrote them. Such a member has the value for its name,
    and equals no member: a list shows the row, and no rule applies to it. It is not among the members when
    they are listed.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str) or not value:
            return None
        member = str.__new__(cls, value)
        member._name_ = member._value_ = value
        return member


class ErrorCode(StoredEnum):
    """Error codes, grouped by the exception that has them."""

    # InsideTransaction
    INSIDE_TRANSACTION = "inside_transaction"

    # InvalidInput
    ARGUMENT_INVALID = "argument_invalid"
    AMOUNT_INVALID = "amount_invalid"
    FIELDS_INVALID = "fields_invalid"
    SEVERAL_PAYMENTS = "several_payments"
    AMBIGUOUS_REFERENCE = "ambiguous_reference"
    WALLET_SESSION_UNKNOWN = "wallet_session_unknown"

    # IdempotencyConflict
    ORDER_CONTENT_DIFFERS = "order_content_differs"
    REFERENCE_AT_OTHER_GATEWAY = "reference_at_other_gateway"
    KEY_TAKEN = "key_taken"

    # OrderNotPayable
    ORDER_NOT_PAYABLE = "order_not_payable"
    ORDER_ENDED = "order_ended"

    # SendingStopped
    SENDING_STOPPED = "sending_stopped"

    # OperationOutstanding
    OPERATION_OUTSTANDING = "operation_outstanding"

    # AwaitingApproval
    AWAITING_APPROVAL = "awaiting_approval"

    # InvalidState
    PAYMENT_FROZEN = "payment_frozen"
    NOTHING_LEFT = "nothing_left"
    AMOUNT_TOO_HIGH = "amount_too_high"
    REFUND_NEEDED = "refund_needed"
    REVERSAL_NEEDED = "reversal_needed"
    ORDER_REFUNDED = "order_refunded"
    MERCHANT_ACCOUNT_CHANGED = "merchant_account_changed"
    CHANGED_MEANWHILE = "changed_meanwhile"
    WRONG_STATE = "wrong_state"
    REQUEST_UNREADABLE = "request_unreadable"
    TOO_EARLY = "too_early"
    NOT_BOOKABLE = "not_bookable"
    NOT_PERMITTED = "not_permitted"
    APPROVAL_PENDING = "approval_pending"
    TOO_MANY_RESULTS = "too_many_results"

    # CardRefused
    CARD_REFUSED = "card_refused"
    THREE_DS_FAILED = "three_ds_failed"

    # PriceChanged
    PRICE_CHANGED = "price_changed"

    # TryAgain
    ORDER_STORED_MEANWHILE = "order_stored_meanwhile"
    CHECKOUT_IN_PROGRESS = "checkout_in_progress"
    TRY_AGAIN = "try_again"

    # WalletUnavailable
    WALLET_UNAVAILABLE = "wallet_unavailable"
    WALLET_LIMIT_REACHED = "wallet_limit_reached"

    # GatewayRefused
    GATEWAY_REFUSED = "gateway_refused"

    # GatewayUnreachable
    NOTHING_SENT = "nothing_sent"
    GATEWAY_SILENT = "gateway_silent"

    # OperationError itself, an error in the shop's pricing function
    PRICING_INVALID = "pricing_invalid"


class Refusal(NamedTuple):
    """A rule that forbids something: its code, and the sentence for a person.

    An exception is made of it with the values in the sentence: `InvalidState(*NOT_BOOKABLE)`.
    """

    sentence: str
    code: ErrorCode


def gettext_noop(text: str) -> str:
    """Mark a sentence for translation, as Django's function does, which the domain does not import."""
    return text


_ = gettext_noop
ARGUMENT_CHOICE = Refusal(_("%(argument)s must be one of: %(known)s."), ErrorCode.ARGUMENT_INVALID)
ITEMS_INVALID = Refusal(_("The items are not valid. %(problems)s"), ErrorCode.FIELDS_INVALID)
AMBIGUOUS_REFERENCE = Refusal(
    _(
        "Reference %(reference)s alone does not say which order is meant: gateways that "
        "number their orders separately have it (%(gateways)s). Pass gateway= as well."
    ),
    ErrorCode.AMBIGUOUS_REFERENCE,
)
KEY_TAKEN = Refusal(_("Idempotency key %(key)s belongs to another operation."), ErrorCode.KEY_TAKEN)
ORDER_NOT_PAYABLE = Refusal(
    _("Order %(order)s has the state “%(state)s”. It must not be paid again."), ErrorCode.ORDER_NOT_PAYABLE
)
SENDING_PAUSED = Refusal(_("Sending to this gateway is paused. Try again later."), ErrorCode.SENDING_STOPPED)
OPERATION_OUTSTANDING = Refusal(
    _("Another operation on this payment has no outcome yet. The gateway is being asked; try again later."),
    ErrorCode.OPERATION_OUTSTANDING,
)
PAYMENT_FROZEN = Refusal(
    _("The payment is frozen because of a difference. Decide on the difference first."),
    ErrorCode.PAYMENT_FROZEN,
)
DEPOSIT_FROZEN = Refusal(
    _("The deposit is frozen because of a difference. Decide on the difference first."),
    ErrorCode.PAYMENT_FROZEN,
)
CHANGED_MEANWHILE = Refusal(
    _("Another user changed this payment. Reload the page."), ErrorCode.CHANGED_MEANWHILE
)
STATE_CHANGED = Refusal(_("The state has changed. Reload the page."), ErrorCode.CHANGED_MEANWHILE)
APPROVAL_CLOSED = Refusal(
    _("This request no longer waits for approval. Reload the page."), ErrorCode.CHANGED_MEANWHILE
)
DISCREPANCY_CLOSED = Refusal(_("This difference is already closed."), ErrorCode.CHANGED_MEANWHILE)
NOT_BOOKABLE = Refusal(
    _(
        "Only a capture, a refund or a whole reversal of an approved payment, in its "
        "currency, can be booked. Decide what to do about it, then close the difference."
    ),
    ErrorCode.NOT_BOOKABLE,
)
NOT_REPORTED = Refusal(
    _(
        "The gateway does not report this operation as an unbooked one any more. If nothing "
        "is left to book, close the difference."
    ),
    ErrorCode.NOT_BOOKABLE,
)
RECORD_TAKEN = Refusal(
    _("The gateway's record belongs to a transaction of another payment."), ErrorCode.NOT_BOOKABLE
)
BOOKING_OUTSTANDING = Refusal(
    _("Another operation on this payment is not finished. Book this one when it is."), ErrorCode.TOO_EARLY
)
WALLET_BUSY = Refusal(
    _("Other requests are changing this order at the same time. Nothing was charged. Try again."),
    ErrorCode.WALLET_UNAVAILABLE,
)
GATEWAY_KEY_EXPIRED = Refusal(
    _("The key of this page has expired. Reload the page."), ErrorCode.WALLET_UNAVAILABLE
)
GATEWAY_SILENT = Refusal(
    _("Gateway %(gateway)s at %(address)s does not answer. Nothing was changed. Try again later."),
    ErrorCode.GATEWAY_SILENT,
)
