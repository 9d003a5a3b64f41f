"""OutboxEvent: a signal for shops, written in the same database transaction as the change that it reports."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.stored_values import StoredEnum
from wallet_gateway.models.fields import CurrencyField, ExponentField, choices_of
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.money import Money


class OutboxEventKind(StoredEnum):
    """The kind of an event: of an order, or of an operation."""

    AUTHORIZED = "AUTHORIZED"
    PAID = "PAID"
    CAPTURED_IN_PART = "CAPTURED_IN_PART"
    REFUNDED = "REFUNDED"
    REVERSED = "REVERSED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    ANOMALY = "ANOMALY"
    CANCELLED = "CANCELLED"
    RELEASED = "RELEASED"
    WALLET_LIMIT_REACHED = "WALLET_LIMIT_REACHED"
    OPERATION_REFUSED = "OPERATION_REFUSED"


class OutboxEvent(models.Model):
    """One event, delivered at least once, always with the same id."""

    event_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=24, choices=choices_of(OutboxEventKind))
    order = models.ForeignKey(
        PaymentOrder, on_delete=models.PROTECT, related_name="outbox_events", null=True, blank=True
    )
    """None for a detached refund: it belongs to a deposit."""
    transaction = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="outbox_events", null=True, blank=True
    )
    """The transaction that it reports; None for an event about the order itself."""
    amount_minor = models.BigIntegerField(null=True, blank=True)
    currency = CurrencyField(max_length=3)
    exponent = ExponentField()
    limit = models.CharField(max_length=16, blank=True, choices=choices_of(WalletLimit))
    """The limit of the wallet button that was reached; empty for events about money."""
    occurred_at = models.DateTimeField()
    next_delivery_at = models.DateTimeField(null=True, blank=True)
    """When a worker may deliver it; None once every receiver has succeeded."""
    delivered_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("outbox event")
        verbose_name_plural = _("outbox events")
        ordering = ("id",)
        indexes = [models.Index(fields=["next_delivery_at"], name="wallet_outbox_next_delivery")]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"

    # Properties

    @property
    def amount(self) -> Money | None:
        """The amount of the event."""
        if self.amount_minor is None:
            return None
        return Money.from_minor_units(self.amount_minor, self.currency)
