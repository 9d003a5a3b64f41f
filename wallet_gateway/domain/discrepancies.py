"""How our records and the gateway's can differ; each discrepancy is a task for a person."""

from __future__ import annotations

from wallet_gateway.domain.stored_values import StoredEnum


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
