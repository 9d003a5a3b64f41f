"""When a cancelled order is released: nothing that was begun for it can pay it any more. Pure.

What was begun before the cancellation cannot be recalled at the gateway. It is queried until it has ended,
by the same schedule as ever; only then may the shop sell the goods to somebody else.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from wallet_gateway.domain.polling_schedule import SETTLE_TIME, PollState, instants, page_end
from wallet_gateway.domain.states import FINAL_STATES, UNSENT_STATES, TransactionKind, TransactionState

SOONEST_CHECK = timedelta(minutes=1)
LATEST_CHECK = timedelta(hours=1)
"""How soon, and how late, the sweep looks again whether an order can be released."""


def may_still_pay(position: PollState, *, has_page: bool) -> bool:
    """Return whether a transaction that opens a payment may still be approved, by the rules of its schedule.

    `has_page` means that the address of its hosted page was received. A checkout of which no byte left does
    not count, nor a button that waits: a cancelled order sends nothing. An authorization of which no byte
    left is given up within minutes, and its order is pending until then. A refused card does not close its
    page, so a refused page counts until a query after its end, and after the time in which a record may still
    appear, has found no payment.
    """
    state, is_checkout = position.state, position.kind is TransactionKind.CHECKOUT
    if state is TransactionState.REJECTED and is_checkout and has_page:
        return not _is_answered_after_end(position)
    if state is TransactionState.NOT_SENT:
        return not is_checkout
    return state not in FINAL_STATES | UNSENT_STATES


def _is_answered_after_end(position: PollState) -> bool:
    """Return whether a scheduled query was answered after the page's end and the settle time.

    Only an answered query advances the step. A refusal that was found later than that is such an answer.
    """
    settled = page_end(position) + SETTLE_TIME
    return position.step >= sum(1 for instant in instants(position) if instant <= settled)


def next_release_check(now: datetime, due: Iterable[datetime | None]) -> datetime:
    """Return when to look again at an order of which attempts are queried at the instants `due`."""
    soonest = min((instant for instant in due if instant is not None), default=now)
    return min(max(soonest, now + SOONEST_CHECK), now + LATEST_CHECK)
