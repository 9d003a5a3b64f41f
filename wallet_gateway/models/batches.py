"""OperationBatch: one operation for many orders or deposits, confirmed once and executed row by row.

The rows are the queue: any worker may continue where another one stopped.
"""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.reason_codes import ReasonCode
from wallet_gateway.domain.stored_values import StoredEnum
from wallet_gateway.models.decisions import Approval
from wallet_gateway.models.fields import ByteExactField, account_column, choices_of
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import Payment, PaymentOrder
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.money import Money


class BatchKind(StoredEnum):
    """The operation of a batch, or a status query, which changes nothing at the gateway."""

    CAPTURE = "CAPTURE"
    REFUND = "REFUND"
    REVERSAL = "REVERSAL"
    DETACHED_REFUND = "DETACHED_REFUND"
    STATUS_QUERY = "STATUS_QUERY"


class BatchState(StoredEnum):
    """The progress of a batch."""

    DRAFT = "DRAFT"
    """Selected, not confirmed: nothing is executed."""
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    """Paused by a person; rows that were not started wait until a person resumes the batch."""
    STOPPED = "STOPPED"
    """Stopped by a person, permanently; rows that were not started are left out."""
    FINISHED = "FINISHED"


class RowState(StoredEnum):
    """The result of one order or deposit of a batch."""

    WAITING = "WAITING"
    WORKING = "WORKING"
    """Claimed by a worker until `leased_until`; then another one takes it over with the same key."""
    CARRIED_OUT = "CARRIED_OUT"
    """Its transaction's state shows the result; for a status query, see `result_code`."""
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    """It needs a second person: its approval is waiting, nothing was sent."""
    REFUSED = "REFUSED"
    """A rule forbids it: nothing was sent."""
    LEFT_OUT = "LEFT_OUT"
    """Not wanted or not possible when the batch was confirmed, or not started when it was stopped."""


UNENDED_ROWS = (RowState.WAITING, RowState.WORKING)
"""States of rows that still need work."""


class ResultCode(StoredEnum):
    """Why a row ended as it did, if neither its transaction nor its approval shows it."""

    SEVERAL_PAYMENTS = "SEVERAL_PAYMENTS"
    """The order has several payments; a batch does not choose one."""
    NOTHING_AUTHORIZED = "NOTHING_AUTHORIZED"
    NOT_POSSIBLE = "NOT_POSSIBLE"
    """Nothing was left of the payment when the batch was created; `refusal_code` has the reason."""
    NOT_WANTED = "NOT_WANTED"
    """The person who confirmed the batch removed the row."""
    BATCH_STOPPED = "BATCH_STOPPED"
    REFUSED = "REFUSED"
    """The operation refused the row; `refusal_code` has the reason."""
    UNREACHABLE = "UNREACHABLE"
    """The gateway could not be reached; nothing was sent and nothing is reserved."""
    NO_PERMISSION = "NO_PERMISSION"
    """The person who confirmed the batch has lost the permission."""
    UNKNOWN_GATEWAY = "UNKNOWN_GATEWAY"
    """The settings do not name the gateway."""
    CHANGED = "CHANGED"
    """The status query changed transactions, see `changed`."""
    UNCHANGED = "UNCHANGED"
    """The status query changed nothing."""
    UNANSWERED = "UNANSWERED"
    """The gateway did not answer all status queries."""
    NEVER_SENT = "NEVER_SENT"
    """Nothing was sent, so there is nothing to query."""


def new_batch_token() -> str:
    """Return 96 random bits: the prefix of the idempotency keys of a batch's transactions."""
    return secrets.token_urlsafe(12)


class OperationBatch(models.Model):
    """One kind of operation for many orders or deposits, with the person who confirmed it and the reason.

    Every row is executed on behalf of `created_by`, as long as that person has the permission.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(BatchKind))
    state = models.CharField(
        _("state"), max_length=24, choices=choices_of(BatchState), default=BatchState.DRAFT
    )
    token = ByteExactField(max_length=32, unique=True, default=new_batch_token, editable=False)
    created_by = models.CharField(_("author"), max_length=150)
    created_by_account = account_column()
    reason_code = models.CharField(
        _("reason"), max_length=16, choices=choices_of(ReasonCode), blank=True, default=""
    )
    comment = models.CharField(_("note"), max_length=500, blank=True)
    created_at = models.DateTimeField(_("created at"))
    driven_at = models.DateTimeField(_("last driven at"), null=True, blank=True)
    """When rows were last executed, or the batch was last started or resumed."""
    paused_at = models.DateTimeField(_("paused at"), null=True, blank=True)
    paused_by = models.CharField(_("paused by"), max_length=150, blank=True)
    paused_by_account = account_column()
    stopped_at = models.DateTimeField(_("stopped at"), null=True, blank=True)
    stopped_by = models.CharField(_("stopped by"), max_length=150, blank=True)
    stopped_by_account = account_column()
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
    """One order of a batch, or one deposit of an earlier provider, with the amount and the result."""

    batch = models.ForeignKey(OperationBatch, on_delete=models.CASCADE, related_name="rows")
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    deposit = models.ForeignKey(
        MigratedDeposit, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    amount_minor = models.BigIntegerField(default=0)
    state = models.CharField(
        _("state"), max_length=24, choices=choices_of(RowState), default=RowState.WAITING
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    transaction = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    """The request for a second person that the row became."""
    changed = models.ManyToManyField(GatewayTransaction, related_name="+", blank=True)
    """The transactions that a status query changed."""
    result_code = models.CharField(max_length=24, blank=True)
    """One of `ResultCode`, or empty."""
    refusal_code = models.CharField(max_length=40, blank=True)
    """The `ErrorCode` of the operation that refused the row, or empty."""
    refusal_params = models.JSONField(default=dict, blank=True)
    """The parameters of the refusal's message, as strings."""

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
        """The order or deposit of the row."""
        subject = self.order or self.deposit
        assert subject is not None  # noqa: S101 - the database holds no row without one
        return subject

    @property
    def amount(self) -> Money:
        """The amount requested."""
        return Money.from_minor_units(self.amount_minor, self.subject.currency)

    @property
    def key(self) -> str:
        """The transaction's idempotency key: however often the row is executed, it is one operation."""
        return f"batch-{self.batch.token}-{self.pk}"
