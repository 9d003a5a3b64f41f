"""The work queue for a person, the oldest first, for the dashboard. At most one SQL statement per kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, IntegerField, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.test_rows import not_left_alone, with_money
from wallet_gateway.reports.approvals import waiting_rows
from wallet_gateway.reports.attention import closed_buttons, left_to_person, unattended, unseen_refusals
from wallet_gateway.reports.authorizations import expiring_payments
from wallet_gateway.reports.batches import idle_batches

MOST_SHOWN = 10
"""Rows of one kind of work that the dashboard shows; the lists show the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The items that need a person; of each kind one more than is shown, if there are more.

    A sweep that does not run, or falls behind, is no item: the health view and the dashboard say so. What it
    left undone is `stuck`.
    """

    unknown: tuple[GatewayTransaction, ...]
    """Transactions with an unknown outcome."""
    anomalies: tuple[GatewayTransaction, ...]
    """Transactions whose events contradict the request or each other."""
    overpaid: tuple[PaymentOrder, ...]
    """Orders that were paid more than once."""
    stuck: tuple[GatewayTransaction, ...]
    """Not sent, pending for too long, without a readable answer, or not handled by any sweep."""
    refused: tuple[GatewayTransaction, ...]
    """Operations that were refused after the call that made them had returned, not seen yet."""
    discrepancies: tuple[Discrepancy, ...]
    shortfalls: tuple[Discrepancy, ...]
    """Detached refunds approved for less than was requested."""
    expiring: tuple[Payment, ...]
    """Authorizations that will expire soon."""
    approvals: tuple[Approval, ...]
    """Requests that another person has to approve."""
    batches: tuple[OperationBatch, ...]
    """Running batches that no worker processes."""
    closed_buttons: tuple[PaymentOrder, ...]
    """Unpaid orders whose wallet button a limit has closed."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is no work for anyone."""
        doubts = self.unknown or self.anomalies or self.overpaid or self.discrepancies or self.refused
        decisions = self.stuck or self.shortfalls or self.expiring or self.approvals
        return not (doubts or decisions or self.batches or self.closed_buttons)


def waiting(expires_from: Mapping[str, datetime], *, now: datetime, live: Collection[str] = ()) -> Waiting:
    """Return the items that need a person. Ten SQL statements.

    `expires_from` gives for each gateway the time before which its authorizations are about to expire. Tests
    of the `live` gateways are left out.
    """
    counted = not_left_alone(live)
    shown_by_state = Q(state__in=[TransactionState.UNKNOWN, TransactionState.ANOMALY])
    differences = _differences(counted)
    return Waiting(
        unknown=_transactions(counted, Q(state=TransactionState.UNKNOWN)),
        anomalies=_transactions(counted, Q(state=TransactionState.ANOMALY)),
        overpaid=tuple(_overpaid().filter(with_money(live))[: MOST_SHOWN + 1]),
        stuck=_transactions(counted, (left_to_person() | unattended(now)) & ~shown_by_state),
        refused=_transactions(counted, unseen_refusals()),
        discrepancies=tuple(row for row in differences if row.kind != DiscrepancyKind.REFUND_SHORT),
        shortfalls=tuple(row for row in differences if row.kind == DiscrepancyKind.REFUND_SHORT),
        expiring=_expiring(expires_from, live),
        approvals=tuple(waiting_rows(now)[: MOST_SHOWN + 1]),
        batches=tuple(idle_batches(now)[: MOST_SHOWN + 1]),
        closed_buttons=tuple(_closed_buttons(now)[: MOST_SHOWN + 1]),
    )


def _transactions(counted: Q, which: Q) -> tuple[GatewayTransaction, ...]:
    rows = GatewayTransaction.objects.filter(counted, which).select_related("payment__order", "deposit")
    return tuple(rows.order_by("state_changed_at", "pk")[: MOST_SHOWN + 1])


def _overpaid() -> QuerySet[PaymentOrder]:
    return PaymentOrder.objects.filter(state=OrderState.OVERPAID).order_by("pk")


def _closed_buttons(now: datetime) -> QuerySet[PaymentOrder]:
    return PaymentOrder.objects.filter(closed_buttons(now)).order_by("wallet_closed_at", "pk")


def _differences(counted: Q) -> list[Discrepancy]:
    """Return the open discrepancies: shortfalls of refunds and all others, each up to the number shown."""
    short = Case(When(kind=DiscrepancyKind.REFUND_SHORT, then=1), default=0, output_field=IntegerField())
    place = Window(RowNumber(), partition_by=[short], order_by="pk")
    rows = Discrepancy.objects.filter(counted, closed_at__isnull=True).annotate(place=place)
    first = rows.filter(place__lte=MOST_SHOWN + 1).order_by("pk")
    return list(first.select_related("payment__order", "deposit", "transaction"))


def _expiring(expires_from: Mapping[str, datetime], live: Collection[str]) -> tuple[Payment, ...]:
    tests = Q(is_test=True, order__gateway__in=live)
    rows = expiring_payments(expires_from).exclude(tests).select_related("order")
    return tuple(rows.order_by("created_at", "pk")[: MOST_SHOWN + 1])
