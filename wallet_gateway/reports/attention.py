"""What needs attention: the same conditions for health, work queue, metrics and tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from django.db.models import Count, Q

from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    OPENING_KINDS,
    UNENDED_STATES,
    OrderState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.polling_schedule import INSTANTS_ARE_LATE, SILENCE
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.orders import PAYABLE_STATES

POLLED_STATES = (
    TransactionState.UNKNOWN,
    TransactionState.OPEN,
    TransactionState.AWAITING_3DS,
    TransactionState.PENDING,
)
"""States that only status queries, or a person, end."""
NOT_FINAL_STATES = tuple(sorted(set(TransactionState) - FINAL_STATES))
"""The states of `left_to_person` and `unattended`."""


def left_to_person() -> Q:
    """Return the condition of a transaction that is left to a person."""
    return Q(state__in=NOT_FINAL_STATES, needs_operator=True)


def unseen_refusals() -> Q:
    """Return the condition of an operation that was refused afterwards, which no person has seen yet."""
    # Not `isnull`: without statistics SQLite reads the whole table for it, and the index for a range.
    return Q(refusal_unseen_since__gt=_BEFORE_ALL)


_BEFORE_ALL = datetime(1970, 1, 1, tzinfo=UTC)


def unattended(now: datetime) -> Q:
    """Return the condition of a transaction that waits without anybody. No row should match.

    It has not ended, is not left to a person, and has no next instant, or one that is long past: no sweep
    handled it, or each sweep failed to. A contradiction (`ANOMALY`) is always shown to people.
    """
    late = now - INSTANTS_ARE_LATE
    of_kind = (
        Q(kind=TransactionKind.CHECKOUT) & _none_or_late("expires_at", late)
        | Q(kind=TransactionKind.AUTHORIZATION, state_changed_at__lt=late)
        | ~Q(kind__in=OPENING_KINDS) & _none_or_late("next_send_at", late)
    )
    # Named first, the states are ranges of their index: few rows have not ended.
    return Q(state__in=NOT_FINAL_STATES, needs_operator=False) & (
        Q(state__in=POLLED_STATES) & _none_or_late("next_query_at", late)
        | Q(state=TransactionState.SENDING) & _none_or_late("leased_until", late)
        | Q(state=TransactionState.AWAITING_RESULT) & _none_or_late("expires_at", late)
        | Q(state=TransactionState.NOT_SENT) & of_kind
        | Q(state=TransactionState.CREATED, state_changed_at__lt=late)
    )


def orphaned(aliases: Collection[str]) -> Q:
    """Return the condition of a transaction that has not ended at a gateway other than these."""
    return Q(state__in=sorted(UNENDED_STATES)) & ~Q(gateway__in=aliases)


def unfinished_elsewhere(aliases: Collection[str]) -> Mapping[str, int]:
    """Return how many transactions have not ended at gateways other than these, by alias."""
    elsewhere = GatewayTransaction.objects.filter(orphaned(aliases)).order_by("gateway")
    return dict(elsewhere.values_list("gateway").annotate(Count("pk")))


CLOSED_BUTTONS_WAIT = timedelta(days=7)
"""How long a closed wallet button is work for a person; nobody tries to pay an older order."""


def closed_buttons(now: datetime) -> Q:
    """Return the condition of an order that may be paid and whose wallet button a limit has closed."""
    in_time = Q(payable_until__isnull=True) | Q(payable_until__gt=now)
    return in_time & Q(wallet_closed_at__gt=now - CLOSED_BUTTONS_WAIT, state__in=sorted(PAYABLE_STATES))


def unreleased(now: datetime) -> Q:
    """Return the condition of an order whose goods are not free long after its end. There must be none.

    No sweep has looked at it for an hour; or for a day no answer says whether a page of it was paid, as when
    the gateway refuses the query. What is pending or frozen waits for a person already.
    """
    ended = Q(cancelled_at__lt=now - SILENCE) | Q(payable_until__lt=now - SILENCE)
    kept = Q(release_check_at__isnull=False, released_at__isnull=True, state__in=_WITHOUT_MONEY)
    return Q(release_check_at__lt=now - INSTANTS_ARE_LATE) | kept & ended


_WITHOUT_MONEY = (OrderState.CANCELLED, OrderState.EXPIRED, OrderState.FAILED, OrderState.OPEN)


def _none_or_late(column: str, late: datetime) -> Q:
    return Q(**{f"{column}__isnull": True}) | Q(**{f"{column}__lt": late})
