"""How orders were paid: on the hosted page or by the wallet button."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.domain.ways_of_paying import WAY_OF, Way
from wallet_gateway.models import GatewayTransaction


def ways_of_paying(orders: Collection[int]) -> Mapping[int, frozenset[Way]]:
    """Return the ways by which payments of these orders were approved, by the order's key. One SQL statement.

    An order that nobody has paid is left out.
    """
    opened = GatewayTransaction.objects.filter(
        payment__order__in=orders, kind__in=OPENING_KINDS, state=TransactionState.APPROVED
    )
    found: dict[int, frozenset[Way]] = {}
    for order, kind in opened.values_list("payment__order_id", "kind"):
        found[order] = found.get(order, frozenset()) | {WAY_OF[TransactionKind(kind)]}
    return found
