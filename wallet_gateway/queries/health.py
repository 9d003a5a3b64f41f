"""How payments are at one instant, in numbers and ages: for monitors. No personal data, no references."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import UNENDED_STATES, OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, PaymentOrder, WorkMark
from wallet_gateway.models.work_marks import SWEPT
from wallet_gateway.queries.pauses import SendingPause, sending_pauses

SWEEP_IS_LATE = timedelta(minutes=5)
UNKNOWN_IS_OLD = timedelta(minutes=15)
FACT_IS_LATE = timedelta(minutes=15)
_LEFT_TO_A_PERSON = (TransactionState.OPEN, TransactionState.AWAITING_3DS, TransactionState.PENDING)
"""States that end by themselves, unless the gateway says nothing readable or decides nothing for too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a monitor needs to know."""

    now: datetime
    swept_at: Mapping[str, datetime | None]
    """When each gateway was last swept; None where it never was."""
    unknown: int
    oldest_unknown_since: datetime | None
    anomalies: int
    waiting_for_a_person: int
    discrepancies: int
    mix_ups: int
    """Of those, amounts that differ by exactly the factor between major and minor units."""
    overpaid: int
    """Orders that were paid more than once."""
    orphans: int
    """Transactions without an end at gateways that the settings do not name: nobody asks after them."""
    events_overdue: int
    pauses: tuple[SendingPause, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that somebody should look at, in plain words."""
        found = [
            f"{alias} was last swept {_ago(self.now, at)}"
            for alias, at in self.swept_at.items()
            if at is None or self.now - at > SWEEP_IS_LATE
        ]
        if self.oldest_unknown_since and self.now - self.oldest_unknown_since > UNKNOWN_IS_OLD:
            found.append(f"an outcome is unknown since {self.oldest_unknown_since.isoformat()}")
        counts = {
            "contradictions wait for a decision": self.anomalies,
            "transactions wait for a person": self.waiting_for_a_person,
            "discrepancies are open": self.discrepancies,
            "unit mix-ups are open: amounts differ by a factor of ten or more": self.mix_ups,
            "orders are overpaid": self.overpaid,
            "transactions are at gateways that the settings do not name": self.orphans,
            "facts could not be told": self.events_overdue,
        }
        found += [f"{count} {words}" for words, count in counts.items() if count]
        return tuple(found + [f"nothing is sent to {pause.gateway}" for pause in self.pauses])


def health(now: datetime, aliases: Collection[str]) -> Health:
    """Read how payments are. Six statements, whatever their number."""
    marks = WorkMark.objects.filter(name__in=[SWEPT + alias for alias in aliases])
    swept = {name.removeprefix(SWEPT): at for name, at in marks.values_list("name", "marked_at")}
    unknown, orphaned = (
        Q(state=TransactionState.UNKNOWN),
        Q(state__in=UNENDED_STATES) & ~Q(gateway__in=aliases),
    )
    of_transactions = GatewayTransaction.objects.filter(
        unknown
        | orphaned
        | Q(state__in=[TransactionState.ANOMALY, TransactionState.NOT_SENT])
        | Q(state__in=_LEFT_TO_A_PERSON, needs_operator=True)
    ).aggregate(
        unknown=Count("pk", filter=unknown),
        oldest=Min("state_changed_at", filter=unknown),
        anomalies=Count("pk", filter=Q(state=TransactionState.ANOMALY)),
        waiting=Count("pk", filter=Q(needs_operator=True)),
        orphans=Count("pk", filter=orphaned),
    )
    mixed_up = Q(kind=DiscrepancyKind.UNIT_MIX_UP)
    differences = Discrepancy.objects.filter(closed_at__isnull=True).aggregate(
        open=Count("pk"), mix_ups=Count("pk", filter=mixed_up)
    )
    return Health(
        now=now,
        swept_at={alias: swept.get(alias) for alias in aliases},
        unknown=of_transactions["unknown"],
        oldest_unknown_since=of_transactions["oldest"],
        anomalies=of_transactions["anomalies"],
        waiting_for_a_person=of_transactions["waiting"],
        discrepancies=differences["open"],
        mix_ups=differences["mix_ups"],
        orphans=of_transactions["orphans"],
        overpaid=PaymentOrder.objects.filter(state=OrderState.OVERPAID).count(),
        events_overdue=OutboxEvent.objects.filter(
            next_delivery_at__isnull=False, occurred_at__lt=now - FACT_IS_LATE
        ).count(),
        pauses=sending_pauses(now),
    )


def _ago(now: datetime, at: datetime | None) -> str:
    return "never" if at is None else f"{round((now - at).total_seconds() / 60)} minutes ago"
