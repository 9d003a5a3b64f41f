"""The error codes of refused and failed operations.

A code is stable: shops compare it, logs contain it. Its message and its HTTP status are in
`operations.errors`; the values for a message are passed with the code as parameters.
"""

from __future__ import annotations

from wallet_gateway.domain.stored_values import StoredEnum


class ErrorCode(StoredEnum):
    """Error codes, grouped by the exception that has them."""

    # InsideTransaction
    INSIDE_TRANSACTION = "inside_transaction"

    # InvalidInput
    ARGUMENT_TYPE = "argument_type"
    ARGUMENT_CHOICE = "argument_choice"
    AMOUNT_INVALID = "amount_invalid"
    AMOUNT_TYPE = "amount_type"
    AMOUNT_CURRENCY = "amount_currency"
    AMOUNT_MISSING = "amount_missing"
    CURRENCY_INVALID = "currency_invalid"
    TEXT_INVALID = "text_invalid"
    REASON_MISSING = "reason_missing"
    NAME_MISSING = "name_missing"
    STOP_END_INVALID = "stop_end_invalid"
    KEY_INVALID = "key_invalid"
    PARENT_ID_INVALID = "parent_id_invalid"
    PARENT_ID_CARD_NUMBER = "parent_id_card_number"
    PAYMENT_OF_OTHER_ORDER = "payment_of_other_order"
    SEVERAL_PAYMENTS = "several_payments"
    ORDER_INVALID = "order_invalid"
    AMBIGUOUS_REFERENCE = "ambiguous_reference"
    BILLING_ADDRESS_MISSING = "billing_address_missing"
    CURRENCY_NOT_ACCEPTED = "currency_not_accepted"
    ITEMS_INVALID = "items_invalid"
    WALLET_RESULT_INVALID = "wallet_result_invalid"
    WALLET_REFERENCE_UNKNOWN = "wallet_reference_unknown"
    REASON_CODE_UNKNOWN = "reason_code_unknown"
    BATCH_TOO_LARGE = "batch_too_large"
    WALLET_SESSION_MISSING = "wallet_session_missing"

    # IdempotencyConflict
    ORDER_CONTENT_DIFFERS = "order_content_differs"
    REFERENCE_AT_OTHER_GATEWAY = "reference_at_other_gateway"
    KEY_TAKEN = "key_taken"
    KEY_DECLINED = "key_declined"

    # OrderNotPayable
    ORDER_NOT_PAYABLE = "order_not_payable"
    ORDER_PAID_MEANWHILE = "order_paid_meanwhile"
    ORDER_CANCELLED = "order_cancelled"
    ORDER_TIME_OVER = "order_time_over"

    # SendingStopped
    SENDING_DISABLED = "sending_disabled"
    SENDING_PAUSED = "sending_paused"

    # OperationOutstanding
    OPERATION_OUTSTANDING = "operation_outstanding"

    # AwaitingApproval
    AWAITING_APPROVAL = "awaiting_approval"

    # InvalidState, captures, refunds and reversals
    PAYMENT_FROZEN = "payment_frozen"
    NO_AUTHORIZED_PAYMENT = "no_authorized_payment"
    NOTHING_AUTHORIZED = "nothing_authorized"
    NOTHING_CAPTURED = "nothing_captured"
    NOTHING_TO_CAPTURE = "nothing_to_capture"
    NOTHING_TO_REFUND = "nothing_to_refund"
    NOTHING_TO_REVERSE = "nothing_to_reverse"
    ABOVE_CAPTURABLE = "above_capturable"
    ABOVE_REFUNDABLE = "above_refundable"
    AUTHORIZATION_REVERSED = "authorization_reversed"
    ALREADY_CAPTURED = "already_captured"
    CHANGED_MEANWHILE = "changed_meanwhile"
    MERCHANT_ACCOUNT_CHANGED = "merchant_account_changed"
    # InvalidState, cancelling an order
    CANCEL_NEEDS_REFUND = "cancel_needs_refund"
    CANCEL_NEEDS_REVERSAL = "cancel_needs_reversal"
    CANCEL_REFUNDED = "cancel_refunded"
    # InvalidState, deposits of an earlier provider
    DEPOSIT_FROZEN = "deposit_frozen"
    DEPOSIT_CURRENCY = "deposit_currency"
    ABOVE_DEPOSIT = "above_deposit"
    # InvalidState, sending again
    CHECKOUT_NOT_RESENT = "checkout_not_resent"
    NOT_UNSENT = "not_unsent"
    BEING_SENT = "being_sent"
    REQUEST_UNREADABLE = "request_unreadable"
    # InvalidState, decisions
    STATE_CHANGED = "state_changed"
    NO_DECISION_NEEDED = "no_decision_needed"
    GATEWAY_MUST_APPROVE = "gateway_must_approve"
    TOO_EARLY_UNKNOWN = "too_early_unknown"
    TOO_EARLY_PENDING = "too_early_pending"
    OTHER_ACCOUNT = "other_account"
    APPROVED_BEFORE = "approved_before"
    NOTHING_APPROVED = "nothing_approved"
    DISCREPANCY_CLOSED = "discrepancy_closed"
    NOT_BOOKABLE = "not_bookable"
    BOOKING_OUTSTANDING = "booking_outstanding"
    NOT_REPORTED = "not_reported"
    RECORD_TAKEN = "record_taken"
    CAPTURES_FIRST = "captures_first"
    # InvalidState, approvals
    APPROVAL_NEEDED = "approval_needed"
    APPROVAL_CLOSED = "approval_closed"
    APPROVAL_OWN = "approval_own"
    APPROVER_NOT_PERMITTED = "approver_not_permitted"
    APPROVER_WITHOUT_ACCOUNT = "approver_without_account"
    APPROVAL_PENDING = "approval_pending"
    # InvalidState, maintenance
    BATCH_NOT_PERMITTED = "batch_not_permitted"
    TRANSACTION_NOT_ENDED = "transaction_not_ended"
    SENDING_NOT_STOPPED = "sending_not_stopped"
    # InvalidState, the wallet button
    TOO_MANY_RESULTS = "too_many_results"
    WALLET_LIMIT_NOT_REACHED = "wallet_limit_not_reached"

    # CardRefused
    CARD_NETWORK = "card_network"
    CARD_NOT_FOUND = "card_not_found"
    CRYPTOGRAM_MISSING = "cryptogram_missing"
    CRYPTOGRAM_UNEXPECTED = "cryptogram_unexpected"
    THREE_DS_FAILED = "three_ds_failed"
    THREE_DS_REJECTED = "three_ds_rejected"
    THREE_DS_UNFINISHED = "three_ds_unfinished"
    THREE_DS_WITHOUT_PROOF = "three_ds_without_proof"
    THREE_DS_ECI = "three_ds_eci"
    THREE_DS_UNREADABLE = "three_ds_unreadable"

    # PriceChanged
    PRICE_CHANGED = "price_changed"

    # TryAgain
    ORDER_STORED_MEANWHILE = "order_stored_meanwhile"
    CHECKOUT_IN_PROGRESS = "checkout_in_progress"
    PAGE_STATUS_UNKNOWN = "page_status_unknown"
    CARD_UNKNOWN = "card_unknown"
    CARD_MIXED_UP = "card_mixed_up"

    # WalletUnavailable
    WALLET_NOT_CONFIGURED = "wallet_not_configured"
    WALLET_CURRENCY = "wallet_currency"
    WALLET_BUSY = "wallet_busy"
    WALLET_LIMIT_REACHED = "wallet_limit_reached"
    FERNET_KEYS_MISSING = "fernet_keys_missing"
    GATEWAY_KEY_MISSING = "gateway_key_missing"
    GATEWAY_KEY_EXPIRED = "gateway_key_expired"
    SECRET_UNREADABLE = "secret_unreadable"  # noqa: S105 - a code

    # GatewayRefused
    CHECKOUT_REFUSED = "checkout_refused"
    CHECKOUT_HOST = "checkout_host"
    CHECKOUT_SCHEME = "checkout_scheme"
    RECORDS_REFUSED = "records_refused"

    # GatewayUnreachable
    NOTHING_SENT = "nothing_sent"
    PAGE_NOT_RECEIVED = "page_not_received"
    PAGE_TOO_LATE = "page_too_late"
    GATEWAY_SILENT = "gateway_silent"
    RECORDS_NOT_RECEIVED = "records_not_received"

    # OperationError itself, an error in the shop's pricing function
    PRICING_TYPE = "pricing_type"
    PRICING_NOTHING_TO_PAY = "pricing_nothing_to_pay"
    PRICING_AMOUNT_TYPE = "pricing_amount_type"
    PRICING_AMOUNT_INVALID = "pricing_amount_invalid"
    PRICING_CALLBACK_MISSING = "pricing_callback_missing"
