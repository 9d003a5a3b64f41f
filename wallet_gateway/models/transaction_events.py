"""TransactionEvent: the append-only log of requests, answers and decisions; redacted before it is stored."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.stored_values import StoredEnum
from wallet_gateway.models.actors import account_column
from wallet_gateway.models.explanations import Explained
from wallet_gateway.models.fields import choices_of
from wallet_gateway.models.transactions import GatewayTransaction


class TransactionEventKind(StoredEnum):
    """The source of an event."""

    ANSWER = "ANSWER"
    """The direct answer to our request."""
    FAULT = "FAULT"
    """No usable answer, with the error."""
    RECORDS = "RECORDS"
    """The answer to a status query."""
    DECISION = "DECISION"
    """A person's decision, with the reason."""
    APPROVAL = "APPROVAL"
    """A second person agreed to an `approval`. Only that agreement writes it: no text can imitate it."""
    LEASE_ENDED = "LEASE_ENDED"
    """The sender's lease ended without a result."""
    LIMIT_REACHED = "LIMIT_REACHED"
    """A limit closed the wallet button of the transaction's order."""


BY_PEOPLE = frozenset({TransactionEventKind.DECISION, TransactionEventKind.APPROVAL})


class EventsAreAppendOnly(TypeError):
    """An event was about to be changed or deleted."""


class TransactionEventQuerySet(models.QuerySet["TransactionEvent"]):
    """Reads only; rows are added one by one and never changed."""

    def update(self, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Raise `EventsAreAppendOnly`."""
        raise EventsAreAppendOnly("events are never changed; add another row that says what is right")

    def delete(self) -> NoReturn:
        """Raise `EventsAreAppendOnly`."""
        raise EventsAreAppendOnly("events are never deleted; old bodies are erased by retention alone")


class TransactionEvent(Explained):
    """One thing that was received, or decided, about one transaction."""

    transaction = models.ForeignKey(GatewayTransaction, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=16, choices=choices_of(TransactionEventKind))
    lifecycle_event = models.CharField(max_length=24, blank=True)
    """Its meaning for the transaction (a `LifecycleEvent`); empty when it contained nothing new."""
    state_after = models.CharField(max_length=16)
    discrepancy_kind = models.CharField(max_length=24, blank=True, choices=choices_of(DiscrepancyKind))
    """How it differs from our records; empty if it does not."""
    http_status = models.SmallIntegerField(null=True, blank=True)
    request_body = models.TextField(blank=True)
    answer_body = models.TextField(blank=True)
    elapsed_ms = models.IntegerField(null=True, blank=True)
    created_by = models.CharField(max_length=150, blank=True)
    created_by_account = account_column()
    approval = models.ForeignKey(
        "Approval",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="events",
        db_index=False,
    )
    occurred_at = models.DateTimeField(_("occurred at"))

    objects = TransactionEventQuerySet.as_manager()

    class Meta:
        verbose_name = _("transaction event")
        verbose_name_plural = _("transaction events")
        ordering = ("id",)
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="APPROVAL", approval__isnull=False)
                | (~Q(kind="APPROVAL") & Q(approval__isnull=True)),
                name="wallet_event_approval",
            ),
        ]
        indexes = [
            # Few events are agreements.
            models.Index(fields=["approval"], name="wallet_event_of_approval"),
            # The dashboard's counts by day, answered by the index alone.
            models.Index(
                fields=["occurred_at", "kind", "http_status", "elapsed_ms"], name="wallet_event_occurred"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.lifecycle_event or 'nothing new'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the row; raise `EventsAreAppendOnly` if it is stored already."""
        if not self._state.adding:
            raise EventsAreAppendOnly("events are never changed; add another row that says what is right")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Raise `EventsAreAppendOnly`."""
        raise EventsAreAppendOnly("events are never deleted; old bodies are erased by retention alone")
