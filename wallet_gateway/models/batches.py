"""OperationBatch: one operation for many orders or deposits, confirmed once, carried out row by row.

The rows are the queue: any process may go on where another has stopped.
"""

from __future__ import annotations

import secrets
from enum import StrEnum

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField, choices_of
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.money import Money


class BatchKind(StrEnum):
    """What is done for many at once: an operation of that kind, or a question that changes nothing there."""

    CAPTURE = "CAPTURE"
    REFUND = "REFUND"
    REVERSAL = "REVERSAL"
    DETACHED_REFUND = "DETACHED_REFUND"
    ASK = "ASK"


class BatchState(StrEnum):
    """How far a batch has come."""

    DRAFT = "DRAFT"
    """Chosen, not confirmed: nothing is done."""
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"
    """By a person; what was not begun waits."""
    FINISHED = "FINISHED"


class RowState(StrEnum):
    """What became of one order or deposit of a batch."""

    WAITING = "WAITING"
    WORKING = "WORKING"
    """Claimed by a process; free again when the claim has ended, for the key keeps a second try harmless."""
    CARRIED_OUT = "CARRIED_OUT"
    """A transaction says by its state how it went; or the gateway was asked, and the result says it."""
    HANDED_ON = "HANDED_ON"
    """It takes a second person: a request waits for one, nothing was sent."""
    REFUSED = "REFUSED"
    """A rule forbids it: nothing was sent."""
    LEFT_OUT = "LEFT_OUT"
    """Not wanted, or not possible, when the batch was confirmed."""


def new_batch_token() -> str:
    """Return 96 random bits: what the keys of a batch's transactions begin with."""
    return secrets.token_urlsafe(12)


class OperationBatch(models.Model):
    """One kind of operation for many orders or deposits, with who confirmed it and why."""

    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(BatchKind))
    state = models.CharField(
        _("state"), max_length=16, choices=choices_of(BatchState), default=BatchState.DRAFT
    )
    token = ByteExactField(max_length=32, unique=True, default=new_batch_token, editable=False)
    created_by = models.CharField(_("author"), max_length=150)
    comment = models.CharField(_("note"), max_length=500, blank=True)
    created_at = models.DateTimeField(_("created at"))
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    class Meta:
        verbose_name = _("batch of operations")
        verbose_name_plural = _("batches of operations")
        ordering = ("-id",)
        default_permissions = ("view",)
        indexes = [models.Index(fields=["state", "created_at"], name="wallet_batch_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class OperationBatchRow(models.Model):
    """One order of a batch, or one deposit of an earlier provider: how much of it, and what came of it."""

    batch = models.ForeignKey(OperationBatch, on_delete=models.CASCADE, related_name="rows")
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    deposit = models.ForeignKey(
        MigratedDeposit, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    amount_minor = models.BigIntegerField(default=0)
    state = models.CharField(
        _("state"), max_length=16, choices=choices_of(RowState), default=RowState.WAITING
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    transaction = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    result = models.CharField(max_length=500, blank=True)
    """Why it was refused or left out, for people."""

    class Meta:
        ordering = ("id",)
        default_permissions = ()
        indexes = [models.Index(fields=["batch", "state"], name="wallet_batch_row_state")]
        constraints = [
            models.CheckConstraint(
                condition=Q(order=None, payment=None, deposit__isnull=False)
                | Q(order__isnull=False, deposit=None),
                name="wallet_batch_row_one_subject",
            )
        ]

    def __str__(self) -> str:
        return f"{self.subject} in {self.batch}"

    # Properties

    @property
    def subject(self) -> PaymentOrder | MigratedDeposit:
        """The order or the deposit that the row is about."""
        subject = self.order or self.deposit
        assert subject is not None  # noqa: S101 - the database holds no row without one
        return subject

    @property
    def amount(self) -> Money:
        """The amount asked for."""
        return Money.from_minor_units(self.amount_minor, self.subject.currency)

    @property
    def key(self) -> str:
        """Its transaction's idempotency key: however often the row is carried out, it is one operation."""
        return f"batch-{self.batch.token}-{self.pk}"
