"""The message and the HTTP status of each error code, in the language of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.gateway_address import GatewayAddress
from wallet_gateway.models.explanations import REASONS, explanation_text
from wallet_gateway.models.labels import label_of


def message_of(code: ErrorCode, **params: object) -> str:
    """Return the message of a code in the active language.

    :param code: one of `ErrorCode`, as the `code` of an exception.
    :param params: the values in it by name, as the `params` of an exception.
    :returns: one or more sentences, as `str(error)` has them.
    """
    if code not in DESCRIPTIONS:
        return code  # a row of another version
    shown = {name: _shown(value) for name, value in params.items()}
    return str(DESCRIPTIONS[code].message) % shown


def _shown(value: object) -> object:
    """Return a parameter in readable form: states and durations in the active language."""
    if isinstance(value, NotSentReason):
        return str(REASONS[value])
    if isinstance(value, GatewayAddress):
        return _address(value)
    if isinstance(value, StrEnum):
        return str(label_of(value))
    if isinstance(value, Explanation):
        return explanation_text(value)
    if isinstance(value, timedelta):
        if value.days > 1:
            return ngettext("%(count)d day", "%(count)d days", value.days) % {"count": value.days}
        hours = int(value.total_seconds() // 3600)
        return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}
    return value


def _address(address: GatewayAddress) -> str:
    if not address.start_command:
        return str(address)
    shown = {"address": address, "command": address.start_command}
    return gettext("%(address)s (the sandbox; start it with `%(command)s`)") % shown


class Description(NamedTuple):
    """The HTTP status and message of a code."""

    status: int
    """The HTTP status for a view that has no better one."""
    message: Promise
    """With named parameters: `%(amount)s`."""


_E = ErrorCode
DESCRIPTIONS: Mapping[ErrorCode, Description] = {
    # InsideTransaction
    _E.INSIDE_TRANSACTION: Description(
        500,
        _(
            "%(call)s must not run inside a database transaction: what it sends must be committed first. "
            "Move the call behind the end of the `transaction.atomic` block. With ATOMIC_REQUESTS every view "
            "is such a block: decorate a function with `@transaction.non_atomic_requests`, and a class-based "
            'view with `@method_decorator(transaction.non_atomic_requests, name="dispatch")`. '
            "A middleware may open one, too: RevisionMiddleware of django-reversion needs a subclass with "
            "`atomic = False`."
        ),
    ),
    # InvalidInput
    _E.ARGUMENT_TYPE: Description(400, _("%(argument)s must be %(expected)s, not %(given)s.")),
    _E.ARGUMENT_CHOICE: Description(400, _("%(argument)s must be one of: %(known)s.")),
    _E.AMOUNT_INVALID: Description(400, _("This is not a valid amount in %(currency)s: %(problem)s")),
    _E.AMOUNT_TYPE: Description(400, _("The amount must be a Decimal or Money, not %(type)s.")),
    _E.AMOUNT_CURRENCY: Description(
        400, _("The amount is in %(given)s, but the payment is in %(currency)s.")
    ),
    _E.AMOUNT_MISSING: Description(400, _("The amount is missing. A detached refund needs one.")),
    _E.CURRENCY_INVALID: Description(400, _("This is not a valid currency: %(problem)s")),
    _E.TEXT_INVALID: Description(
        400, _("%(field)s must be text without NUL characters and without halves of surrogate pairs.")
    ),
    _E.REASON_MISSING: Description(400, _("The reason is missing. Say why.")),
    _E.NAME_MISSING: Description(400, _("The name of the person who decides is missing.")),
    _E.STOP_END_INVALID: Description(
        400,
        _(
            "The end of a stop must lie in the future, within a year, and have a time zone. "
            "Leave it out if the stop has no end."
        ),
    ),
    _E.KEY_INVALID: Description(
        400, _("An idempotency key has 1 to 64 visible ASCII characters and no spaces.")
    ),
    _E.PARENT_ID_CARD_NUMBER: Description(
        400, _("parent_transaction_id has the form of a card number, which is neither stored nor sent.")
    ),
    _E.PARENT_ID_INVALID: Description(
        400, _("parent_transaction_id must have 1 to 128 visible ASCII characters and no spaces.")
    ),
    _E.PAYMENT_OF_OTHER_ORDER: Description(400, _("Payment %(payment)s does not belong to order %(order)s.")),
    _E.SEVERAL_PAYMENTS: Description(400, _("Order %(order)s has %(count)s payments. Name one of them.")),
    _E.ORDER_INVALID: Description(400, _("The order is not valid. %(problems)s")),
    _E.AMBIGUOUS_REFERENCE: Description(
        400,
        _(
            "Reference %(reference)s alone does not say which order is meant: gateways that number their "
            "orders separately have it (%(gateways)s). Pass gateway= as well."
        ),
    ),
    _E.BILLING_ADDRESS_MISSING: Description(400, _("The gateway requires a billing address. %(problems)s")),
    _E.CURRENCY_NOT_ACCEPTED: Description(
        400, _("Gateway %(gateway)s takes no %(currency)s. The settings allow: %(known)s.")
    ),
    _E.ITEMS_INVALID: Description(400, _("The items are not valid. %(problems)s")),
    _E.WALLET_RESULT_INVALID: Description(400, _("The wallet's result is not valid. %(problems)s")),
    _E.WALLET_REFERENCE_UNKNOWN: Description(
        404, _("No wallet button was shown under this reference in this session.")
    ),
    _E.REASON_CODE_UNKNOWN: Description(
        400, _("This reason code is not known for the operation. It may be empty or one of: %(known)s.")
    ),
    _E.BATCH_TOO_LARGE: Description(400, _("A batch has at most %(limit)s rows. Choose fewer.")),
    _E.WALLET_SESSION_MISSING: Description(404, _("A wallet button needs a session to be bound to.")),
    # IdempotencyConflict
    _E.ORDER_CONTENT_DIFFERS: Description(
        409,
        _(
            "Reference %(reference)s belongs to an order with other content (%(fields)s). "
            "An order that has changed needs its own reference."
        ),
    ),
    _E.REFERENCE_AT_OTHER_GATEWAY: Description(
        409,
        _(
            "Reference %(reference)s belongs to an order at gateway %(other)s, so none was stored at "
            "%(gateway)s: the customer could pay twice. Use that order or, if the two gateways number their "
            "orders separately, give one of them a NUMBERING of its own."
        ),
    ),
    _E.KEY_TAKEN: Description(409, _("Idempotency key %(key)s belongs to another operation.")),
    _E.KEY_DECLINED: Description(
        409, _("A request under this idempotency key was not approved. A new request needs a new key.")
    ),
    # OrderNotPayable
    _E.ORDER_NOT_PAYABLE: Description(
        409, _("Order %(order)s has the state “%(state)s”. It must not be paid again.")
    ),
    _E.ORDER_PAID_MEANWHILE: Description(
        409, _("Order %(order)s has been paid in the meantime. It must not be paid again.")
    ),
    _E.ORDER_CANCELLED: Description(
        409, _("Order %(order)s is cancelled. It can no longer be paid; create a new order.")
    ),
    _E.ORDER_TIME_OVER: Description(
        409, _("Order %(order)s can be paid until %(until)s. It is too late to begin another payment.")
    ),
    # SendingStopped
    _E.SENDING_DISABLED: Description(503, _("Sending to the gateway is switched off in the settings.")),
    _E.SENDING_PAUSED: Description(503, _("Sending to this gateway is paused. Try again later.")),
    # OperationOutstanding
    _E.OPERATION_OUTSTANDING: Description(
        409,
        _(
            "Another operation on this payment has no outcome yet. "
            "The gateway is being asked; try again later."
        ),
    ),
    # AwaitingApproval
    _E.AWAITING_APPROVAL: Description(
        409, _("%(amount)s needs a second person. The request waits for approval; nothing was sent.")
    ),
    # InvalidState, captures, refunds and reversals
    _E.PAYMENT_FROZEN: Description(
        409, _("The payment is frozen because of a difference. Decide on the difference first.")
    ),
    _E.NO_AUTHORIZED_PAYMENT: Description(409, _("Order %(order)s has no authorized payment.")),
    _E.NOTHING_AUTHORIZED: Description(409, _("Nothing is authorized.")),
    _E.NOTHING_CAPTURED: Description(409, _("Nothing is captured.")),
    _E.NOTHING_TO_CAPTURE: Description(409, _("Nothing is left to capture.")),
    _E.NOTHING_TO_REFUND: Description(409, _("Nothing is left to refund.")),
    _E.NOTHING_TO_REVERSE: Description(409, _("Nothing is left to reverse.")),
    _E.ABOVE_CAPTURABLE: Description(409, _("The amount is higher than what is left to capture.")),
    _E.ABOVE_REFUNDABLE: Description(409, _("The amount is higher than what is left to refund.")),
    _E.AUTHORIZATION_REVERSED: Description(
        409, _("The authorization has been reversed, or a reversal is under way.")
    ),
    _E.ALREADY_CAPTURED: Description(
        409, _("A capture has been made or is under way. Refund it instead of reversing.")
    ),
    _E.MERCHANT_ACCOUNT_CHANGED: Description(
        409,
        _(
            "The payment was made with the account %(used)s, but gateway %(gateway)s has another account "
            "now: %(now)s. Nothing was sent. Give the gateway its former account back, and the new account "
            "an alias of its own."
        ),
    ),
    _E.CHANGED_MEANWHILE: Description(409, _("Another user changed this payment. Reload the page.")),
    # InvalidState, cancelling an order
    _E.CANCEL_NEEDS_REFUND: Description(
        409,
        _("Order %(order)s has the state “%(state)s” and holds money. Refund it instead of cancelling it."),
    ),
    _E.CANCEL_NEEDS_REVERSAL: Description(
        409,
        _(
            "Order %(order)s has the state “%(state)s”: an amount is reserved. "
            "Reverse the authorization instead of cancelling the order."
        ),
    ),
    _E.CANCEL_REFUNDED: Description(
        409, _("Order %(order)s was paid and refunded. There is nothing to cancel.")
    ),
    # InvalidState, deposits of an earlier provider
    _E.DEPOSIT_FROZEN: Description(
        409, _("The deposit is frozen because of a difference. Decide on the difference first.")
    ),
    _E.DEPOSIT_CURRENCY: Description(409, _("The deposit is in %(currency)s, not in %(given)s.")),
    _E.ABOVE_DEPOSIT: Description(409, _("Only %(left)s is left to refund.")),
    # InvalidState, sending again
    _E.CHECKOUT_NOT_RESENT: Description(
        409, _("An attempt to pay is not sent again. The customer starts a new one.")
    ),
    _E.NOT_UNSENT: Description(
        409,
        _("The transaction has the state “%(state)s”. Only a request that was never sent can be sent again."),
    ),
    _E.BEING_SENT: Description(409, _("This request is already being sent. Reload the page.")),
    _E.REQUEST_UNREADABLE: Description(
        409,
        _(
            "The stored request of %(reference)s can no longer be read, so it cannot be sent. "
            "Nothing was sent. Give it up and begin a new one."
        ),
    ),
    # InvalidState, decisions
    _E.STATE_CHANGED: Description(409, _("The state has changed. Reload the page.")),
    _E.NO_DECISION_NEEDED: Description(409, _("A transaction in the state “%(state)s” needs no decision.")),
    _E.GATEWAY_MUST_APPROVE: Description(
        409, _("Only the gateway can approve a transaction in the state “%(state)s”.")
    ),
    _E.TOO_EARLY_UNKNOWN: Description(
        409,
        _(
            "It is too early. A person may decide after %(after)s and %(needed)s empty answers in a row. "
            "Empty answers so far: %(count)s."
        ),
    ),
    _E.TOO_EARLY_PENDING: Description(
        409,
        _(
            "It is too early. A person may decide after %(after)s and %(needed)s answers in a row without a "
            "result. Answers so far: %(count)s."
        ),
    ),
    _E.OTHER_ACCOUNT: Description(
        409,
        _(
            "The request was sent for %(account)s, but the gateway was asked for another account. "
            "Restore the account in the gateway's settings and ask again."
        ),
    ),
    _E.APPROVED_BEFORE: Description(
        409, _("The transaction was approved before the contradiction was found. It cannot be undone here.")
    ),
    _E.NOTHING_APPROVED: Description(
        409,
        _(
            "The gateway has shown no approval with the requested amount and currency, so it cannot be "
            "accepted. Ask the gateway again, or decide that it did not happen. If it captured or refunded "
            "another amount, book that amount."
        ),
    ),
    _E.DISCREPANCY_CLOSED: Description(409, _("This difference is already closed.")),
    _E.NOT_BOOKABLE: Description(
        409,
        _(
            "Only a capture, a refund or a whole reversal of an approved payment, in its currency, can be "
            "booked. Decide what to do about it, then close the difference."
        ),
    ),
    _E.BOOKING_OUTSTANDING: Description(
        409, _("Another operation on this payment is not finished. Book this one when it is.")
    ),
    _E.NOT_REPORTED: Description(
        409,
        _(
            "The gateway does not report this operation as an unbooked one any more. If nothing is left to "
            "book, close the difference."
        ),
    ),
    _E.RECORD_TAKEN: Description(409, _("The gateway's record belongs to a transaction of another payment.")),
    _E.CAPTURES_FIRST: Description(
        409, _("A capture of this payment was made elsewhere, too. Book that one first: it can be refunded.")
    ),
    # InvalidState, approvals
    _E.APPROVAL_NEEDED: Description(409, _("This amount needs a second person.")),
    _E.APPROVAL_CLOSED: Description(409, _("This request no longer waits for approval. Reload the page.")),
    _E.APPROVAL_OWN: Description(409, _("This is your own request. Another person must approve it.")),
    _E.APPROVER_NOT_PERMITTED: Description(
        403,
        _(
            "%(name)s may not agree to this: the account is deleted or inactive, or lacks a permission. "
            "Somebody else who has “%(permission)s” and “wallet_gateway.approve_operation” must agree."
        ),
    ),
    _E.APPROVER_WITHOUT_ACCOUNT: Description(
        403, _("“%(name)s” is a name without an account. Only a person with an account can agree to this.")
    ),
    _E.APPROVAL_PENDING: Description(
        409, _("Another request for this payment waits for approval. Decide on that request first.")
    ),
    # InvalidState, maintenance
    _E.BATCH_NOT_PERMITTED: Description(
        403, _("%(name)s does not have the permission for this batch. Nothing was started.")
    ),
    _E.TRANSACTION_NOT_ENDED: Description(
        409, _("Transaction %(transaction)s has the state “%(state)s”. Wait until it has ended.")
    ),
    _E.SENDING_NOT_STOPPED: Description(409, _("No person has stopped sending to %(gateway)s.")),
    # InvalidState, the wallet button
    _E.TOO_MANY_RESULTS: Description(
        429, _("Reference %(reference)s has brought %(count)s results already. Load the page again.")
    ),
    _E.WALLET_LIMIT_NOT_REACHED: Description(
        409, _("No limit has closed the wallet button of order %(order)s. Reload the page.")
    ),
    # CardRefused
    _E.CARD_NETWORK: Description(409, _("Cards of this network are not accepted.")),
    _E.CARD_NOT_FOUND: Description(
        409, _("The gateway does not know this card. Nothing was charged. Take another card.")
    ),
    _E.CRYPTOGRAM_MISSING: Description(409, _("The cryptogram of a tokenized card is missing.")),
    _E.CRYPTOGRAM_UNEXPECTED: Description(409, _("The card is not tokenized but came with a cryptogram.")),
    _E.THREE_DS_FAILED: Description(409, _("3-D Secure failed: the customer was not authenticated.")),
    _E.THREE_DS_REJECTED: Description(409, _("3-D Secure failed: the card's issuer rejected it.")),
    _E.THREE_DS_UNFINISHED: Description(
        409, _("3-D Secure is not finished: the customer must be challenged.")
    ),
    _E.THREE_DS_WITHOUT_PROOF: Description(
        409, _("3-D Secure gave no proof (status %(status)s). The settings require one.")
    ),
    _E.THREE_DS_ECI: Description(
        409, _("The ECI %(eci)s does not fit the 3-D Secure status %(status)s of %(network)s.")
    ),
    _E.THREE_DS_UNREADABLE: Description(
        409, _("The shop's 3-D Secure function returned an invalid result. Wrong fields: %(fields)s.")
    ),
    # PriceChanged
    _E.PRICE_CHANGED: Description(
        409, _("The price on the wallet's sheet is out of date. Nothing was charged.")
    ),
    # TryAgain
    _E.ORDER_STORED_MEANWHILE: Description(
        503,
        _(
            "Another process has just stored order %(reference)s, and your database transaction began too "
            "early to see it. Repeat the whole transaction."
        ),
    ),
    _E.CHECKOUT_IN_PROGRESS: Description(
        503, _("Another request is opening the payment page. Try again in a moment.")
    ),
    _E.PAGE_STATUS_UNKNOWN: Description(
        503, _("The gateway did not say whether the payment page is paid. Nothing was charged. Try again.")
    ),
    _E.CARD_UNKNOWN: Description(
        503, _("The gateway did not say which card it is. Nothing was charged. Try again.")
    ),
    _E.CARD_MIXED_UP: Description(503, _("The gateway named another card. Nothing was charged. Try again.")),
    # WalletUnavailable
    _E.WALLET_NOT_CONFIGURED: Description(503, _("Gateway %(gateway)s has no WALLET in the settings.")),
    _E.WALLET_CURRENCY: Description(503, _("Wallets cannot show an amount in %(currency)s.")),
    _E.WALLET_BUSY: Description(
        503, _("Other requests are changing this order at the same time. Nothing was charged. Try again.")
    ),
    _E.WALLET_LIMIT_REACHED: Description(
        403,
        _("The wallet button of order %(order)s is closed; limit reached: %(limit)s. A person can raise it."),
    ),
    _E.FERNET_KEYS_MISSING: Description(
        503, _("FERNET_KEYS are not set, so wallet secrets cannot be encrypted.")
    ),
    _E.GATEWAY_KEY_MISSING: Description(503, _("The gateway's key service gives no key at present.")),
    _E.GATEWAY_KEY_EXPIRED: Description(503, _("The key of this page has expired. Reload the page.")),
    _E.SECRET_UNREADABLE: Description(503, _("None of the FERNET_KEYS opens a stored secret.")),
    # GatewayRefused
    _E.CHECKOUT_REFUSED: Description(502, _("The gateway refused to open a payment page: %(answer)s")),
    _E.CHECKOUT_HOST: Description(
        502, _("The gateway named a payment page on the host %(host)s, which the settings do not allow.")
    ),
    _E.CHECKOUT_SCHEME: Description(
        502, _("The gateway named a payment page at %(scheme)s://%(host)s, but only https is allowed.")
    ),
    _E.RECORDS_REFUSED: Description(502, _("The gateway refused the status query: %(answer)s")),
    # GatewayUnreachable
    _E.NOTHING_SENT: Description(
        503, _("The gateway at %(address)s cannot be reached: %(reason)s. Nothing was sent.")
    ),
    _E.PAGE_NOT_RECEIVED: Description(503, _("The gateway gave no payment page: %(fault)s")),
    _E.PAGE_TOO_LATE: Description(503, _("The payment page arrived too late to be used.")),
    _E.GATEWAY_SILENT: Description(
        503, _("Gateway %(gateway)s at %(address)s does not answer. Nothing was changed. Try again later.")
    ),
    _E.RECORDS_NOT_RECEIVED: Description(
        503,
        _("Gateway %(gateway)s at %(address)s gave no usable answer to the status query. Try again later."),
    ),
    # OperationError itself
    _E.PRICING_TYPE: Description(503, _("The pricing function returned %(type)s, not SheetPricing.")),
    _E.PRICING_NOTHING_TO_PAY: Description(503, _("The pricing function left nothing to pay.")),
    _E.PRICING_AMOUNT_TYPE: Description(
        503, _("An amount of the pricing function is %(type)s, not Decimal.")
    ),
    _E.PRICING_AMOUNT_INVALID: Description(
        503, _("An amount of the pricing function is not valid: %(problem)s")
    ),
    _E.PRICING_CALLBACK_MISSING: Description(
        503, _("The pricing function returned options, but CALLBACKS leaves out SHIPPING_OPTION.")
    ),
}
