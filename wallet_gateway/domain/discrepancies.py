"""How our records and the gateway's can differ, and why a transaction is in its state. Pure.

Each discrepancy is a task for a person. Its explanation, and that of a state, is a code with parameters.
Stored are the code and its parameters, never a sentence: `models.fields` has the sentence for each
code, in the reader's language.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.protocol.card_numbers import mask_card_numbers
from wallet_gateway.protocol.text import storable

MAX_PARAM_LENGTH = 200
MAX_SAID_LENGTH = 500
MAX_LISTED = 3
"""Parts of a list that are stored; the count beside it says how many there are."""


class ExplanationCode(StoredEnum):
    """Codes of explanations, grouped by their source."""

    # The gateway's answer or record
    GATEWAY_MESSAGE = "gateway_message"
    ERRORED = "errored"
    STATE_UNDOCUMENTED = "state_undocumented"
    REFERENCE_NOT_ECHOED = "reference_not_echoed"
    CURRENCY_NOT_ECHOED = "currency_not_echoed"
    AMOUNT_UNREADABLE = "amount_unreadable"
    NO_RECORD = "no_record"
    RECORDS_UNREADABLE = "records_unreadable"
    RECORD_ID_TOO_LONG = "record_id_too_long"
    RECORD_ID_PLACEHOLDER = "record_id_placeholder"

    # How it differs from our records
    AMOUNT_DIFFERS = "amount_differs"
    CURRENCY_DIFFERS = "currency_differs"
    APPROVED_ABOVE_REQUEST = "approved_above_request"
    REFUND_SHORT = "refund_short"
    EXECUTED_TWICE = "executed_twice"
    RECORD_TAKEN = "record_taken"
    MADE_ELSEWHERE = "made_elsewhere"
    ABOVE_LIMIT = "above_limit"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_STATE = "unknown_state"
    RECORDS_SHARED = "records_shared"
    APPROVED_AFTER_END = "approved_after_end"
    LATE_PAYMENT = "late_payment"
    STATE_DIFFERS = "state_differs"
    REPEATED_ON_THE_WIRE = "repeated_on_the_wire"
    HOST_UNEXPECTED = "host_unexpected"
    SCHEME_UNEXPECTED = "scheme_unexpected"

    # A call without a usable answer, or with a refusal
    NOT_SENT = "not_sent"
    OUTCOME_UNKNOWN = "outcome_unknown"
    REFUSED = "refused"
    REFUND_AMOUNT_EXCEEDED = "refund_amount_exceeded"

    # The sweep
    PAGE_ENDED = "page_ended"
    SENDER_SILENT = "sender_silent"
    NOT_RETRIED = "not_retried"
    RESULT_NOT_RECEIVED = "result_not_received"
    PRESSED_AGAIN = "pressed_again"
    UNREACHABLE_GIVEN_UP = "unreachable_given_up"

    # A person
    COMMENT = "comment"
    RESEND_REQUESTED = "resend_requested"
    REFUSAL_SEEN = "refusal_seen"
    RECONCILED = "reconciled"
    DATA_ERASED = "data_erased"
    WALLET_LIMITS_RAISED = "wallet_limits_raised"

    # A limit of the wallet button
    WALLET_LIMIT_REACHED = "wallet_limit_reached"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A code with its parameters, and what another party said."""

    code: ExplanationCode
    params: Mapping[str, Any] = field(default_factory=dict)
    """Texts, whole numbers, and lists of such mappings: what JSON can store."""
    said: str = ""
    """The words of the gateway, of a library or of a person, without card numbers."""
    fingerprint: str = ""
    """A digest of the code and of the values before they were cut; no sentence's wording matters to it."""

    @property
    def stored_params(self) -> dict[str, Any]:
        """Return the parameters as they are stored, with `said` among them."""
        return {**self.params, "said": self.said} if self.said else dict(self.params)

    def __str__(self) -> str:
        values = " ".join(f"{name}={value!r}" for name, value in self.stored_params.items())
        return f"{self.code} {values}".rstrip()


def explain(code: ExplanationCode, *, said: str | None = "", **params: object) -> Explanation:
    """Return an explanation that every database can store: texts and lists cut to their maximum length.

    Card numbers in what another party said are reduced to their last four digits.
    """
    words = mask_card_numbers(said or "")
    bounded = {name: _bounded(value, MAX_PARAM_LENGTH) for name, value in params.items()}
    whole = json.dumps([code, params, words], sort_keys=True)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
    return Explanation(code, bounded, _bounded(words, MAX_SAID_LENGTH), digest)


def _bounded(value: Any, length: int) -> Any:  # noqa: ANN401 - whatever JSON can store
    if isinstance(value, list):
        return [_bounded(part, length) for part in value[:MAX_LISTED]]
    if isinstance(value, Mapping):
        return {name: _bounded(part, length) for name, part in value.items()}
    return storable(value[:length]) if isinstance(value, str) else value


class DiscrepancyKind(StoredEnum):
    """The kind of a difference."""

    AMOUNT_DIFFERS = "AMOUNT_DIFFERS"
    """A record has a different amount than we requested."""
    UNIT_MIX_UP = "UNIT_MIX_UP"
    """The amounts differ by exactly the factor between major and minor units."""
    CURRENCY_DIFFERS = "CURRENCY_DIFFERS"
    """A record has a different currency than we requested."""
    EXECUTED_TWICE = "EXECUTED_TWICE"
    """There is more than one approved record under one reference."""
    RECORD_TAKEN = "RECORD_TAKEN"
    """The matching record is already attributed to another transaction."""
    APPROVED_AFTER_END = "APPROVED_AFTER_END"
    """A transaction that had ended without money is now approved at the gateway."""
    LATE_PAYMENT = "LATE_PAYMENT"
    """An order was paid after it had been cancelled: the money is given back, or the payment accepted."""
    RECORD_UNUSABLE = "RECORD_UNUSABLE"
    """An approved record has an id by which it cannot be known again: too long to store, or a placeholder."""
    RECORD_UNREADABLE = "RECORD_UNREADABLE"
    """A record on our payment cannot be read: it may be an approval, or a second execution."""
    MADE_ELSEWHERE = "MADE_ELSEWHERE"
    """The gateway has an operation on our payment that we did not request."""
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    """The gateway has a record on our payment of a type that the interface does not name: a chargeback?"""
    UNKNOWN_STATE = "UNKNOWN_STATE"
    """The gateway uses a word for a state that the interface does not name; it holds each payment with it."""
    RECORDS_SHARED = "RECORDS_SHARED"
    """The gateway shows one operation in its answers about two payments: nobody knows whose it is."""
    APPROVED_ABOVE_REQUEST = "APPROVED_ABOVE_REQUEST"
    """A refund was approved for more than was requested."""
    ABOVE_LIMIT = "ABOVE_LIMIT"
    """More was captured or refunded than the payment allows, or it was reversed although it was captured."""
    REPEATED_ON_THE_WIRE = "REPEATED_ON_THE_WIRE"
    """The gateway refused an operation it had executed before: something between us repeats our requests."""
    REFUND_SHORT = "REFUND_SHORT"
    """A detached refund was approved for less than was requested: the shop must settle the rest."""
    UNEXPECTED_HOST = "UNEXPECTED_HOST"
    """The gateway named a payment page on a host that is not allowed."""
    MISSING_THERE = "MISSING_THERE"
    """Approved here, and the gateway has no record of it any more."""
    STATE_DIFFERS = "STATE_DIFFERS"
    """Approved here, and the gateway's record says refused or pending."""


OF_GATEWAY = frozenset({DiscrepancyKind.UNKNOWN_STATE, DiscrepancyKind.RECORDS_SHARED})
"""Kinds that are about the gateway, whichever payment shows them first."""

OUTLASTS_DECISION = frozenset(
    {
        # The decision itself may show that more was approved than the limit allows.
        DiscrepancyKind.ABOVE_LIMIT,
        # Other operations on the payment, which were found by the same query.
        DiscrepancyKind.MADE_ELSEWHERE,
        DiscrepancyKind.UNKNOWN_TYPE,
        *OF_GATEWAY,
        # That the money moved is one decision, whether the cancelled order keeps it another.
        DiscrepancyKind.LATE_PAYMENT,
    }
)
"""Kinds that do not end with the decision on the transaction with which they were found."""

FREEZING = frozenset(DiscrepancyKind) - {
    DiscrepancyKind.REPEATED_ON_THE_WIRE,
    DiscrepancyKind.REFUND_SHORT,
    DiscrepancyKind.UNEXPECTED_HOST,
    # The order is frozen, and the payment is not: the money can be given back at once.
    DiscrepancyKind.LATE_PAYMENT,
    # The readable records beside it are settled and reported: a paid order is not held back for it.
    DiscrepancyKind.RECORD_UNREADABLE,
    # A gateway may archive old records.
    DiscrepancyKind.MISSING_THERE,
    *OF_GATEWAY,
}
"""Kinds after which no further operation may touch the payment until a person has decided."""


def freezes(kind: DiscrepancyKind, *, is_news_of_approved: bool) -> bool:
    """Return whether a new discrepancy freezes its payment.

    A record of an unknown type does if it appears later than the approval (`is_news_of_approved`): it may be
    a chargeback. One that came with the approval is a note of the gateway, and a paid order is not held back
    for it.
    """
    return kind in FREEZING and (is_news_of_approved or kind is not DiscrepancyKind.UNKNOWN_TYPE)
