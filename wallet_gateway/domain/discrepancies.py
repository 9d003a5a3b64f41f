"""The ways in which our books and the gateway's can differ; each is a task for a person."""

from __future__ import annotations

from enum import StrEnum


class DiscrepancyKind(StrEnum):
    """What differs."""

    AMOUNT_DIFFERS = "AMOUNT_DIFFERS"
    """A record carries another amount than we asked for."""
    UNIT_MIX_UP = "UNIT_MIX_UP"
    """The amounts differ by exactly the factor between major and minor units."""
    CURRENCY_DIFFERS = "CURRENCY_DIFFERS"
    """A record carries another currency than we asked for."""
    EXECUTED_TWICE = "EXECUTED_TWICE"
    """More than one approved record stands under one reference."""
    RECORD_TAKEN = "RECORD_TAKEN"
    """The record that fits is already attributed to another transaction."""
    APPROVED_AFTER_END = "APPROVED_AFTER_END"
    """A transaction that had ended without money is approved at the gateway after all."""
    RECORD_UNUSABLE = "RECORD_UNUSABLE"
    """The record that fits has an id too long to be kept, so it could not be told from another."""
    RECORD_UNREADABLE = "RECORD_UNREADABLE"
    """A record on our payment cannot be read: it may be an approval, or a second execution."""
    MADE_ELSEWHERE = "MADE_ELSEWHERE"
    """The gateway has an operation on our payment that we did not ask for."""
    APPROVED_ABOVE_REQUEST = "APPROVED_ABOVE_REQUEST"
    """A refund was approved for more than was asked."""
    REPEATED_ON_THE_WIRE = "REPEATED_ON_THE_WIRE"
    """The gateway refused what it had already done: something between us repeats our requests."""
    REFUND_SHORT = "REFUND_SHORT"
    """A detached refund was approved for less than was asked: the rest is the shop's to settle otherwise."""
    UNEXPECTED_HOST = "UNEXPECTED_HOST"
    """The gateway named a payment page on a host that is not allowed."""
    MISSING_THERE = "MISSING_THERE"
    """Approved here, and the gateway has no record of it any more."""
    STATE_DIFFERS = "STATE_DIFFERS"
    """Approved here, and the gateway's record says refused or pending."""


OTHER_AMOUNT = frozenset(
    {
        DiscrepancyKind.AMOUNT_DIFFERS,
        DiscrepancyKind.UNIT_MIX_UP,
        DiscrepancyKind.CURRENCY_DIFFERS,
        DiscrepancyKind.APPROVED_ABOVE_REQUEST,
    }
)
"""Kinds in which what the gateway reports is not what was asked for."""

FREEZING = frozenset(DiscrepancyKind) - {
    DiscrepancyKind.REPEATED_ON_THE_WIRE,
    DiscrepancyKind.REFUND_SHORT,
    DiscrepancyKind.UNEXPECTED_HOST,
    # What the readable records beside it say is booked and told: a paid order is not held back for it.
    DiscrepancyKind.RECORD_UNREADABLE,
    # A gateway may put old records away.
    DiscrepancyKind.MISSING_THERE,
}
"""Kinds after which no further operation may touch the payment until a person has decided."""
