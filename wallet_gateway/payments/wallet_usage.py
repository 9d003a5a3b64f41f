"""Count how often one order's wallet button is used: conditional UPDATEs of a row of its own.

A counter is never read and then written: the UPDATE has the limit in its condition, so that it is exact
however many requests come at once, from whatever sessions and machines. What fails afterwards stays counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.error_codes import WALLET_BUSY
from wallet_gateway.domain.policy import WalletLimit, WalletLimits
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import PaymentOrder, WalletUsage
from wallet_gateway.models.transactions import MOST_ORDER_EVENTS
from wallet_gateway.operation_errors import WalletUnavailable

_HASH_LENGTH = 16


class LimitReached(Exception):
    """A limit of an order is used up; nothing was counted."""

    def __init__(self, limit: WalletLimit) -> None:
        super().__init__(limit)
        self.limit = limit


def limits_of(context: GatewayContext) -> WalletLimits:
    """Return the limits of a gateway's buttons; the default ones if it has no buttons any more."""
    return WalletLimits() if context.wallet is None else context.wallet.limits


def count_attempt(
    order: PaymentOrder, usage: WalletUsage | None, *, is_new_session: bool, limits: WalletLimits
) -> None:
    """Count an attempt that is inserted in the same transaction, under the order's lock.

    `usage` is the order's row as last read, if it had one. Raises `LimitReached`.
    """
    if usage is None:
        _insert_row(order)
    _count(order, {WalletLimit.ATTEMPTS: 1, WalletLimit.SESSIONS: int(is_new_session)}, limits)


def count_result(order: PaymentOrder, *, limits: WalletLimits) -> None:
    """Count a result, before anything else is done with it. Raises `LimitReached`."""
    in_transaction(lambda: _count(order, {WalletLimit.RESULTS: 1}, limits))


def count_price(
    order: PaymentOrder, usage: WalletUsage | None, offers: Sequence[str], *, limits: WalletLimits
) -> int:
    """Count a price, and its discount codes that are new for the order: all or none of one request.

    Return the price's number; no other of the order has it, and one counted later has a higher one. Call it
    before the shop's function sees the codes. Raises `LimitReached`.
    """
    usage = usage or _row(order)
    hashes = [_hash_of_code(order, code) for code in dict.fromkeys(offers)]
    # The write fails only after another request has added a code, for which there is room so often.
    for _ in range(1 + limits.maximum(WalletLimit.DISCOUNT_CODES, raised=usage.raised)):
        new = [code for code in hashes if code not in usage.codes_tried]
        counted = {WalletLimit.PRICES: 1, WalletLimit.DISCOUNT_CODES: len(new)}
        if number := _add_price(usage, new, counted, limits):
            return number
        _check_room(usage, counted, limits)
        usage = _row(order)
    raise WalletUnavailable(*WALLET_BUSY)


def _add_price(
    usage: WalletUsage, new: Sequence[str], counted: Mapping[WalletLimit, int], limits: WalletLimits
) -> int:
    """Return the number of the price, from one on; zero if it was not counted."""
    # The list is as it was read as long as no further code was counted.
    where = {"discount_codes": usage.discount_codes} if new else None
    columns = {"codes_tried": [*usage.codes_tried, *new]} if new else None

    def add() -> int:
        if not _add(usage.order_id, counted, limits, where=where, columns=columns):
            return 0
        # The count locks the row until the transaction ends, so that no two prices read the same number.
        rows = WalletUsage.objects.select_for_update().filter(order=usage.order_id)
        return rows.values_list("prices", flat=True).get()

    return in_transaction(add)


def count_event(order_id: int) -> bool:
    """Count a browser's report; return False if the order has as many as are stored of one order."""
    rows = WalletUsage.objects.filter(order=order_id, events__lt=MOST_ORDER_EVENTS)
    return bool(rows.update(events=F("events") + 1))


def _count(order: PaymentOrder, counted: Mapping[WalletLimit, int], limits: WalletLimits) -> None:
    if _add(order.pk, counted, limits):
        return
    _check_room(_row(order), counted, limits)
    # A person has raised the limits at this moment, or there was no row.
    if not _add(order.pk, counted, limits):
        raise WalletUnavailable(*WALLET_BUSY)


def _add(
    order_id: int,
    counted: Mapping[WalletLimit, int],
    limits: WalletLimits,
    *,
    where: Mapping[str, Any] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> bool:
    """Add to counters if all of it is within the limits; also check and write other columns."""
    added = {limit: number for limit, number in counted.items() if number}
    within = {
        f"{limit.lower()}__lte": (1 + F("raised")) * limits.maximum(limit) - number
        for limit, number in added.items()
    }
    rows = WalletUsage.objects.filter(order=order_id, **within, **(where or {}))
    totals = {limit.lower(): F(limit.lower()) + number for limit, number in added.items()}
    return bool(rows.update(**totals, **(columns or {})))


def _check_room(usage: WalletUsage, counted: Mapping[WalletLimit, int], limits: WalletLimits) -> None:
    for limit, number in counted.items():
        if number and number > room_left(usage, limit, limits):
            raise LimitReached(limit)


def room_left(usage: WalletUsage, limit: WalletLimit, limits: WalletLimits) -> int:
    """Return how much of a limit is left, as the row was read; below zero after it was lowered."""
    used: int = getattr(usage, limit.lower())
    return limits.maximum(limit, raised=usage.raised) - used


def _row(order: PaymentOrder) -> WalletUsage:
    row = WalletUsage.objects.filter(order=order).first()
    if row is not None:
        return row
    _insert_row(order)
    return WalletUsage.objects.get(order=order)


def _insert_row(order: PaymentOrder) -> None:
    """Insert the order's row, unless another request has just done so."""
    WalletUsage.objects.bulk_create([WalletUsage(order=order)], ignore_conflicts=True)


def _hash_of_code(order: PaymentOrder, code: str) -> str:
    return hashlib.sha256(f"{order.pk}:{code}".encode()).hexdigest()[:_HASH_LENGTH]
