"""Which transactions a main figure of the dashboard counts, and which of their times is its day.

The figures add up these rows (`statistics.py`), and the admin lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from django.db.models import Q

from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind, TransactionState
from wallet_gateway.domain.ways_of_paying import WAY_OF, Way


class Counted(StrEnum):
    """A figure that counts approved transactions."""

    TAKEN = "TAKEN"
    RESERVED = "RESERVED"
    REFUNDED = "REFUNDED"
    DETACHED_REFUNDS = "DETACHED_REFUNDS"
    HOSTED_PAGE = "HOSTED_PAGE"
    WALLET_BUTTON = "WALLET_BUTTON"


BY_WAY: Mapping[Way, Counted] = MappingProxyType({way: Counted(way.value) for way in Way})
"""The figures of attempts to pay; the others are of money."""
_BY_KIND = {
    TransactionKind.CAPTURE: Counted.TAKEN,
    TransactionKind.REFUND: Counted.REFUNDED,
    TransactionKind.DETACHED_REFUND: Counted.DETACHED_REFUNDS,
}
_IS_RESERVED = Q(payment_type=PaymentType.PREAUTHORIZATION)


def money_figure_of(kind: TransactionKind, payment_type: str) -> Counted | None:
    """Return the figure that the approved amount of a transaction is added to; None for none."""
    if kind in WAY_OF:
        return Counted.RESERVED if payment_type == PaymentType.PREAUTHORIZATION else Counted.TAKEN
    return _BY_KIND.get(kind)


def day_column(figure: Counted) -> str:
    """Return the column of the day: attempts count on the day they began, money on that of its approval."""
    return "created_at" if figure in BY_WAY.values() else "state_changed_at"


def transactions_of(figure: Counted) -> Q:
    """Return the condition of the transactions that a figure counts, whatever their day and currency."""
    opening = Q(kind__in=[kind.value for kind in WAY_OF])
    kinds = Q(kind__in=[kind.value for kind, counted in _BY_KIND.items() if counted is figure])
    if figure is Counted.TAKEN:
        kinds |= opening & ~_IS_RESERVED
    elif figure is Counted.RESERVED:
        kinds = opening & _IS_RESERVED
    elif figure in BY_WAY.values():
        kinds = Q(kind__in=[kind.value for kind, way in WAY_OF.items() if BY_WAY[way] is figure])
    return Q(state=TransactionState.APPROVED) & kinds
