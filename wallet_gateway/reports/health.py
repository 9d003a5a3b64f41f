"""The health of payments in counts and ages, for monitors and the doctor. No personal data, no references."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.polling_schedule import QUERIES_ARE_BEHIND, QueryPriority
from wallet_gateway.domain.states import OPENING_KINDS, UNENDED_STATES, OrderState, TransactionState
from wallet_gateway.findings import Code, Finding, error, warning
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    Job,
    JobPosition,
    OutboxEvent,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.maintenance import not_left_alone, with_money
from wallet_gateway.reports.work import (
    NOT_FINAL_STATES,
    SendingPause,
    idle_batches,
    left_to_person,
    orphaned,
    sending_pauses,
    unattended,
    unreleased,
    unseen_refusals,
)

SWEEP_IS_LATE = timedelta(minutes=5)
UNKNOWN_IS_OLD = timedelta(minutes=15)
EVENT_IS_LATE = timedelta(minutes=15)
BUTTONS_CLOSED_WITHIN = timedelta(hours=1)
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
    def problems(self) -> tuple[Finding, ...]:
        """Return everything that a person should check."""
        found = list(_problems_of_sweeps(self.now, self.swept_at, self.queries_behind))
        since = self.oldest_unknown_since
        if since and self.now - since > UNKNOWN_IS_OLD:
            found.append(warning(Code.OUTCOME_UNKNOWN, "work", since=since.isoformat(timespec="seconds")))
        has_many_closed = self.buttons_closed >= MANY_BUTTONS_CLOSED
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
            Code.WALLET_BUTTONS_CLOSED: self.buttons_closed if has_many_closed else 0,
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
    """Return when each gateway was last swept, and how many of its queries about what has ended are late.

    A gateway that was never swept is left out while sweeps run and none of its transactions has waited for
    one for long: an account may appear at any time, and the next sweep will come to it.
    """
    late = GatewayTransaction.objects.filter(
        gateway=OuterRef("gateway"),
        query_priority__in=(QueryPriority.WATCHED, QueryPriority.REPEATED),
        next_query_at__lt=now - QUERIES_ARE_BEHIND,
    )
    behind = Coalesce(Subquery(late.order_by().values("gateway").annotate(n=Count("pk")).values("n")), 0)
    rows = JobPosition.objects.filter(job=Job.SWEEP, gateway__in=aliases)
    swept = {alias: (at, n) for alias, at, n in rows.values_list("gateway", "moved_at", behind)}
    known, unswept = set(aliases), set(aliases) - set(swept)
    if unswept and any(now - at <= SWEEP_IS_LATE for at, _ in swept.values()):
        waiting = GatewayTransaction.objects.filter(gateway__in=unswept, created_at__lt=now - SWEEP_IS_LATE)
        known = set(swept) | set(waiting.order_by().values_list("gateway", flat=True).distinct())
    found = {alias: swept.get(alias, (None, 0)) for alias in aliases if alias in known}
    return {alias: at for alias, (at, _) in found.items()}, {alias: n for alias, (_, n) in found.items()}


def health(
    now: datetime, aliases: Collection[str], wrong_accounts: Mapping[str, str], live: Collection[str] = ()
) -> Health:
    """Read the health of payments. Twelve SQL statements, however many payments there are.

    One more while a gateway was never swept although others are. `wrong_accounts` says what is wrong with
    each account that cannot be used, by alias. Tests of the `live` gateways are left out.
    """
    counted, unknown = not_left_alone(live), Q(state=TransactionState.UNKNOWN)
    transactions = GatewayTransaction.objects.filter(counted)
    differences = Discrepancy.objects.filter(closed_at__isnull=True)
    orders = PaymentOrder.objects
    swept_at, queries_behind = _read_sweeps(now, aliases)
    held = transactions.filter(left_to_person(), undocumented_state__gt="")
    # Ordered here: databases sort small and capital letters in different ways.
    words = held.order_by().values_list("gateway", "undocumented_state").annotate(held=Count("pk"))
    shared = differences.filter(kind=DiscrepancyKind.RECORDS_SHARED).values_list("gateway", flat=True)
    late_events = OutboxEvent.objects.filter(
        next_delivery_at__isnull=False, occurred_at__lt=now - EVENT_IS_LATE
    )
    return Health(
        now=now,
        swept_at=swept_at,
        queries_behind=queries_behind,
        **transactions.filter(state__in=NOT_FINAL_STATES).aggregate(
            unknown=Count("pk", filter=unknown),
            oldest_unknown_since=Min("state_changed_at", filter=unknown),
            anomalies=Count("pk", filter=Q(state=TransactionState.ANOMALY)),
            waiting_for_a_person=Count("pk", filter=left_to_person()),
            unattended=Count("pk", filter=unattended(now)),
            orphans=Count("pk", filter=orphaned(aliases)),
        ),
        refused_afterwards=transactions.filter(unseen_refusals()).count(),
        **differences.filter(counted).aggregate(
            discrepancies=Count("pk"), mix_ups=Count("pk", filter=Q(kind=DiscrepancyKind.UNIT_MIX_UP))
        ),
        undocumented_states=tuple(
            HeldByWord(gateway=gateway, word=word, held=number) for gateway, word, number in sorted(words)
        ),
        sharing=tuple(sorted(shared)),
        overpaid=orders.filter(with_money(live), state=OrderState.OVERPAID).count(),
        unreleased=orders.filter(unreleased(now)).count(),
        wrong_accounts=dict(wrong_accounts),
        events_overdue=late_events.count(),
        pauses=sending_pauses(now),
        buttons_closed=orders.filter(wallet_closed_at__gt=now - BUTTONS_CLOSED_WITHIN).count(),
        idle_batches=idle_batches(now).count(),
    )


# Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """All metrics at one point in time."""

    begun: Mapping[tuple[str, str, str], int]
    """How many transactions began within the last 24 hours, by gateway, kind and current state."""
    queries_due: Mapping[str, int]
    """The number of transactions per gateway that are due for a status query."""
    events_undelivered: int


def read_metrics(now: datetime, aliases: Collection[str], live: Collection[str] = ()) -> Metrics:
    """Count new and waiting transactions. Three SQL statements, however many there are.

    A monitor reads them every few seconds, so each reads at most one day's rows, or the waiting ones.
    Tests of the `live` gateways are left out.
    """
    rows = GatewayTransaction.objects.filter(not_left_alone(live)).order_by()
    begun = rows.filter(created_at__gt=now - timedelta(hours=24)).values_list("gateway", "kind", "state")
    # Named one by one, the priorities are ranges of the index.
    queued = rows.filter(query_priority__in=tuple(QueryPriority), next_query_at__lte=now)
    due = dict(queued.values_list("gateway").annotate(Count("pk")))
    return Metrics(
        begun={(gateway, kind, state): n for gateway, kind, state, n in begun.annotate(n=Count("pk"))},
        queries_due={alias: due.get(alias, 0) for alias in aliases},
        events_undelivered=OutboxEvent.objects.filter(next_delivery_at__isnull=False).count(),
    )


# The doctor's questions


def unfinished_elsewhere(aliases: Collection[str]) -> Mapping[str, int]:
    """Return how many transactions have not ended at gateways other than these, by alias."""
    elsewhere = GatewayTransaction.objects.filter(orphaned(aliases)).order_by("gateway")
    return dict(elsewhere.values_list("gateway").annotate(Count("pk")))


Account = tuple[str, str]
"""The merchantId and storeId of a request."""


def payments_of_former_accounts(
    gateway: str, *, now: Account, since: datetime, live: Collection[str] = ()
) -> Mapping[Account, int]:
    """Return how many payments begun since then each other account has: approved ones, and unfinished ones.

    Tests of the `live` gateways are left out.
    Reads all transactions since then, so it is for a person's question and for no page.
    """
    openings = GatewayTransaction.objects.filter(
        not_left_alone(live),
        gateway=gateway,
        kind__in=sorted(OPENING_KINDS),
        state__in=sorted({*UNENDED_STATES, TransactionState.APPROVED}),
        created_at__gte=since,
    ).exclude(merchant_id="", store_id="")
    counted = openings.order_by().values_list("merchant_id", "store_id").annotate(number=Count("pk"))
    return {(merchant, store): number for merchant, store, number in counted if (merchant, store) != now}


def payments_by_mode(gateway: str, *, is_test: bool) -> int:
    """Return how many payments of a gateway are known as tests, or as live. It may read all its orders."""
    return Payment.objects.filter(is_test=is_test, order__gateway=gateway).count()
