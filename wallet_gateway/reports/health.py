"""The current health of payments in counts and ages, for monitors. No personal data, no references."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db.models import Count, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.polling_schedule import QUERIES_ARE_BEHIND, QueryPriority
from wallet_gateway.findings import Code, Finding, error, warning
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, PaymentOrder, SweepHeartbeat
from wallet_gateway.models.test_rows import not_left_alone, with_money
from wallet_gateway.reports.attention import (
    NOT_FINAL_STATES,
    left_to_person,
    orphaned,
    unattended,
    unreleased,
    unseen_refusals,
)
from wallet_gateway.reports.batches import idle_batches
from wallet_gateway.reports.pauses import SendingPause, sending_pauses

SWEEP_IS_LATE = timedelta(minutes=5)
UNKNOWN_IS_OLD = timedelta(minutes=15)
FACT_IS_LATE = timedelta(minutes=15)
BUTTONS_CLOSED_WITHIN = timedelta(hours=1)
NO_WRONG_ACCOUNTS: Mapping[str, str] = MappingProxyType({})
MANY_BUTTONS_CLOSED = 3
"""One closed button is one customer, and no alarm: anybody with an order could raise it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldByWord:
    """A word of a gateway that the interface does not name as a state."""

    gateway: str
    word: str
    held: int
    """Transactions that have not ended and whose last record has this word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The values that a monitor needs."""

    now: datetime
    swept_at: Mapping[str, datetime | None]
    """When each gateway was last swept; None if never. Without those that only the next sweep will know."""
    queries_behind: Mapping[str, int]
    """For each gateway, the queries about what has ended, repeated ones above all, that are a day late."""
    unknown: int
    oldest_unknown_since: datetime | None
    anomalies: int
    waiting_for_a_person: int
    unattended: int
    """Transactions that have not ended and that nobody goes on with: neither a sweep nor a person."""
    refused_afterwards: int
    """Operations that were refused after the call that made them had returned; nobody has seen them yet."""
    discrepancies: int
    mix_ups: int
    """Of those, amounts that differ by exactly the factor between major and minor units."""
    undocumented_states: tuple[HeldByWord, ...]
    """Words that the interface does not name as a state, each with what it holds."""
    sharing: tuple[str, ...]
    """Gateways that show one operation in their answers about two payments."""
    overpaid: int
    """Orders that were paid more than once."""
    unreleased: int
    """Orders that are not released long after they were cancelled, or their time to pay was over."""
    orphans: int
    """Unfinished transactions at gateways that are not in the settings: their status is not queried."""
    wrong_accounts: Mapping[str, str]
    """What is wrong with each account that cannot be used, by alias; under an empty one, with all of them."""
    events_overdue: int
    pauses: tuple[SendingPause, ...]
    buttons_closed: int
    """Orders whose wallet button a limit has closed within the last hour: many are a sign of card testing."""
    idle_batches: int
    """Running batches that neither a sweep nor an open page processes."""

    @property
    def has_many_closed(self) -> bool:
        """Return whether so many wallet buttons were closed that somebody seems to test cards."""
        return self.buttons_closed >= MANY_BUTTONS_CLOSED

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Return everything that a person should check."""
        found = list(_problems_of_sweeps(self.now, self.swept_at, self.queries_behind))
        since = self.oldest_unknown_since
        if since and self.now - since > UNKNOWN_IS_OLD:
            found.append(warning(Code.OUTCOME_UNKNOWN, "work", since=since.isoformat(timespec="seconds")))
        counts = {
            Code.CONTRADICTIONS: self.anomalies,
            Code.TRANSACTIONS_WAITING: self.waiting_for_a_person,
            Code.TRANSACTIONS_UNATTENDED: self.unattended,
            Code.OPERATIONS_REFUSED: self.refused_afterwards,
            Code.DISCREPANCIES_OPEN: self.discrepancies,
            Code.UNIT_MIX_UPS: self.mix_ups,
            Code.ORDERS_OVERPAID: self.overpaid,
            Code.ORDERS_UNRELEASED: self.unreleased,
            Code.UNKNOWN_GATEWAY: self.orphans,
            Code.EVENTS_LATE: self.events_overdue,
            Code.BATCHES_IDLE: self.idle_batches,
            Code.WALLET_BUTTONS_CLOSED: self.buttons_closed if self.has_many_closed else 0,
        }
        found += [warning(code, "work", count=count) for code, count in counts.items() if count]
        found += [
            warning(Code.UNDOCUMENTED_STATE, "work", gateway=each.gateway, word=each.word, count=each.held)
            for each in self.undocumented_states
        ]
        found += [warning(Code.RECORDS_SHARED, "work", gateway=gateway) for gateway in self.sharing]
        found += account_problems(self.wrong_accounts)
        found += [warning(Code.SENDING_PAUSED, "work", gateway=pause.gateway) for pause in self.pauses]
        return tuple(found)


def account_problems(wrong: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each account that cannot be used, and for accounts that cannot be read at all."""
    for alias, problems in wrong.items():
        if alias:
            yield error(Code.ACCOUNT_WRONG, "accounts", gateway=alias, problems=problems)
        else:
            yield error(Code.ACCOUNTS_UNREADABLE, "accounts", error=problems)


def sweep_problems(now: datetime, aliases: Collection[str]) -> tuple[Finding, ...]:
    """Return what is wrong with the sweeps themselves. One SQL statement, for the dashboard.

    One more while a gateway was never swept although others are.
    """
    return tuple(_problems_of_sweeps(now, *_read_sweeps(now, aliases)))


def _problems_of_sweeps(
    now: datetime, swept_at: Mapping[str, datetime | None], queries_behind: Mapping[str, int]
) -> Iterator[Finding]:
    for alias, at in swept_at.items():
        if at is None:
            yield error(Code.NEVER_SWEPT, "sweep", gateway=alias)
        elif now - at > SWEEP_IS_LATE:
            minutes = round((now - at).total_seconds() / 60)
            yield error(Code.SWEEP_LATE, "sweep", gateway=alias, minutes=minutes)
    for alias, count in queries_behind.items():
        if count:
            yield warning(Code.QUERIES_BEHIND, "sweep", gateway=alias, count=count)


def _read_sweeps(
    now: datetime, aliases: Collection[str]
) -> tuple[Mapping[str, datetime | None], Mapping[str, int]]:
    """Return when each gateway was last swept, and how many of its queries have fallen behind."""
    rows = SweepHeartbeat.objects.filter(gateway__in=aliases)
    swept = {row[0]: row[1:] for row in rows.values_list("gateway", "swept_at", _queries_behind(now))}
    new = _new_gateways(now, set(aliases) - set(swept), [at for at, _ in swept.values()])
    found = {alias: swept.get(alias, (None, 0)) for alias in aliases if alias not in new}
    return {alias: at for alias, (at, _) in found.items()}, {alias: n for alias, (_, n) in found.items()}


def _new_gateways(now: datetime, unswept: Collection[str], swept_at: Collection[datetime]) -> Collection[str]:
    """Return the gateways that the next sweep will come to: an account may appear at any time.

    A sweep runs, and none of their transactions has waited for it for long.
    """
    if not unswept or not any(now - at <= SWEEP_IS_LATE for at in swept_at):
        return ()
    waiting = GatewayTransaction.objects.filter(gateway__in=unswept, created_at__lt=now - SWEEP_IS_LATE)
    return set(unswept) - set(waiting.order_by().values_list("gateway", flat=True).distinct())


def health(
    now: datetime,
    aliases: Collection[str],
    wrong_accounts: Mapping[str, str] = NO_WRONG_ACCOUNTS,
    live: Collection[str] = (),
) -> Health:
    """Read the health of payments. Twelve SQL statements, however many payments there are.

    One more while a gateway was never swept although others are. `wrong_accounts` says what is wrong with
    each account that cannot be used, by alias. Tests of the `live` gateways are left out.
    """
    counted = not_left_alone(live)
    swept_at, queries_behind = _read_sweeps(now, aliases)
    unknown = Q(state=TransactionState.UNKNOWN)
    of_transactions = GatewayTransaction.objects.filter(counted, state__in=NOT_FINAL_STATES).aggregate(
        unknown=Count("pk", filter=unknown),
        oldest=Min("state_changed_at", filter=unknown),
        anomalies=Count("pk", filter=Q(state=TransactionState.ANOMALY)),
        waiting=Count("pk", filter=left_to_person()),
        unattended=Count("pk", filter=unattended(now)),
        orphans=Count("pk", filter=orphaned(aliases)),
    )
    mixed_up = Q(kind=DiscrepancyKind.UNIT_MIX_UP)
    differences = Discrepancy.objects.filter(counted, closed_at__isnull=True).aggregate(
        open=Count("pk"), mix_ups=Count("pk", filter=mixed_up)
    )
    shared = Discrepancy.objects.filter(closed_at__isnull=True, kind=DiscrepancyKind.RECORDS_SHARED)
    return Health(
        now=now,
        swept_at=swept_at,
        queries_behind=queries_behind,
        unknown=of_transactions["unknown"],
        oldest_unknown_since=of_transactions["oldest"],
        anomalies=of_transactions["anomalies"],
        waiting_for_a_person=of_transactions["waiting"],
        unattended=of_transactions["unattended"],
        refused_afterwards=GatewayTransaction.objects.filter(counted, unseen_refusals()).count(),
        discrepancies=differences["open"],
        mix_ups=differences["mix_ups"],
        undocumented_states=_undocumented_states(counted),
        sharing=tuple(sorted(shared.values_list("gateway", flat=True))),
        orphans=of_transactions["orphans"],
        wrong_accounts=dict(wrong_accounts),
        overpaid=PaymentOrder.objects.filter(with_money(live), state=OrderState.OVERPAID).count(),
        unreleased=PaymentOrder.objects.filter(unreleased(now)).count(),
        events_overdue=OutboxEvent.objects.filter(
            next_delivery_at__isnull=False, occurred_at__lt=now - FACT_IS_LATE
        ).count(),
        pauses=sending_pauses(now),
        buttons_closed=PaymentOrder.objects.filter(wallet_closed_at__gt=now - BUTTONS_CLOSED_WITHIN).count(),
        idle_batches=idle_batches(now).count(),
    )


def _undocumented_states(counted: Q) -> tuple[HeldByWord, ...]:
    held = GatewayTransaction.objects.filter(counted, left_to_person(), undocumented_state__gt="").order_by()
    groups = held.values_list("gateway", "undocumented_state").annotate(held=Count("pk"))
    return tuple(HeldByWord(gateway=gateway, word=word, held=held) for gateway, word, held in sorted(groups))


def _queries_behind(now: datetime) -> Coalesce:
    """Return how many of a gateway's queries about what has ended are late, as a column of its heartbeat."""
    behind = GatewayTransaction.objects.filter(
        gateway=OuterRef("gateway"),
        query_priority__in=(QueryPriority.WATCHED, QueryPriority.REPEATED),
        next_query_at__lt=now - QUERIES_ARE_BEHIND,
    )
    number = behind.order_by().values("gateway").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(number), 0)
