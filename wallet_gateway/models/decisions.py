"""What people decide: differences, limits, requests for a second person, permissions, batches of operations.

A difference is a task for a person. Two end without one: what the settings let be booked by itself, and an
operation that the answers about two payments show, which then is a task about the gateway.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.domain.people import Actor
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models.fields import (
    LONGEST_ACCOUNT,
    ByteExactField,
    Explained,
    Requested,
    WithAmount,
    account_column,
    choices_of,
    optional_key,
)
from wallet_gateway.models.orders import MigratedDeposit, Payment, PaymentOrder, new_token
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.follow_ups import SentAlong
from wallet_gateway.protocol.money import Money


class Discrepancy(Explained):
    """One difference, with its subject and its resolution."""

    kind = models.CharField(_("kind"), max_length=24, choices=choices_of(DiscrepancyKind))
    gateway = models.CharField(max_length=32)
    payment = optional_key(Payment, "discrepancies")
    deposit = optional_key(MigratedDeposit, "discrepancies")
    transaction = optional_key(GatewayTransaction, "discrepancies")
    fingerprint = ByteExactField(max_length=200, unique=True)
    """Identifies the difference, so that the same difference seen again is the same row."""
    is_freezing = models.BooleanField(default=False)
    """Whether the payment or deposit may not be used until this is closed."""
    found_at = models.DateTimeField(_("found at"))
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    closed_by_account = account_column()
    reason = models.CharField(max_length=500, blank=True)
    booked_as = optional_key(GatewayTransaction)
    """The transaction that this operation, made elsewhere, was booked as; then it is closed."""

    class Meta:
        verbose_name = _("difference")
        verbose_name_plural = _("differences")
        ordering = ("-id",)
        default_permissions = ("view",)
        indexes = [models.Index(fields=["closed_at", "-id"], name="wallet_discrepancy_open")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.explanation}"


# The limit per person and day


class Allowance(models.Model):
    """One account at one gateway in one currency: the row that lets its operations pass one by one."""

    gateway = models.CharField(max_length=32)
    account = ByteExactField(max_length=LONGEST_ACCOUNT)
    """The primary key of the account."""
    currency = models.CharField(max_length=3)
    uses_count = models.PositiveBigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["gateway", "account", "currency"], name="wallet_allowance_once")
        ]

    def __str__(self) -> str:
        return f"{self.account} at {self.gateway} in {self.currency}"

    @staticmethod
    def used_since(since: datetime) -> Coalesce:
        """Return what counts of a row's uses since an instant, in minor units, as a column of the row."""
        uses = AllowanceUse.that_count().filter(allowance=OuterRef("pk"), occurred_at__gt=since)
        used = uses.order_by().values("allowance").annotate(sum=Sum("amount_minor")).values("sum")
        return Coalesce(Subquery(used), 0)

    def lock(self) -> None:
        """Wait for the other operations of this account: each of them writes this row."""
        type(self).objects.filter(pk=self.pk).update(uses_count=F("uses_count") + 1)

    def has_left(self, minor: int, *, limit: int, since: datetime) -> bool:
        """Return whether an amount stays within a limit, under the lock.

        This is an UPDATE too, because with repeatable reads a SELECT would read an old snapshot.
        """
        rows = type(self).objects.alias(used=self.used_since(since))
        within = rows.filter(pk=self.pk, used__lte=limit - minor)
        return bool(within.update(uses_count=F("uses_count")))


class AllowanceUse(models.Model):
    """One refund that an account has begun, or one decision on an outcome."""

    allowance = models.ForeignKey(Allowance, on_delete=models.PROTECT, related_name="uses")
    transaction = models.ForeignKey(GatewayTransaction, on_delete=models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()
    is_decision = models.BooleanField(default=False)
    occurred_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["allowance", "occurred_at"], name="wallet_allowance_use")]

    def __str__(self) -> str:
        return f"{self.amount_minor} of {self.allowance}"

    @classmethod
    def that_count(cls) -> QuerySet[AllowanceUse]:
        """Return the uses that count: not those of a refund that certainly moved nothing."""
        moved = Q(transaction__holds_reservation=True) | Q(transaction__approved_minor__isnull=False)
        return cls.objects.filter(Q(is_decision=True) | moved)


# Requests for a second person


class ApprovalState(StoredEnum):
    """The result of a request for a second person."""

    WAITING = "WAITING"
    AGREED = "AGREED"
    """A second person agreed, and the operation was started in the same transaction."""
    DECLINED = "DECLINED"
    WITHDRAWN = "WITHDRAWN"
    """The person who made the request withdrew it."""
    EXPIRED = "EXPIRED"
    """No second person decided in time."""


class Approval(WithAmount, Requested):
    """A request that waits, or waited, for a second person. Only that person's decision changes it."""

    payment = optional_key(Payment, "approvals")
    deposit = optional_key(MigratedDeposit, "approvals")
    gateway = models.CharField(_("gateway"), max_length=32)
    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(TransactionKind))
    subject = optional_key(GatewayTransaction, "approvals")
    """The transaction to decide on; None if a new one is to be created."""
    decision = models.CharField(max_length=16, blank=True)
    """The decision about `subject`."""
    order_number = models.CharField(max_length=127, blank=True)
    """The order number that a detached refund sends to the provider."""
    sends = models.JSONField(null=True, blank=True)
    """What the operation sends along, in wire format, while the request waits; None without any."""
    idempotency_key = ByteExactField(max_length=64, unique=True)
    """The idempotency key of the resulting transaction: two agreements still make one operation."""
    outstanding_key = ByteExactField(max_length=40, null=True, blank=True, unique=True)
    """Set while the request waits: at most one request for each payment, deposit or transaction."""
    state = models.CharField(
        _("state"), max_length=16, choices=choices_of(ApprovalState), default=ApprovalState.WAITING
    )
    created_at = models.DateTimeField(_("created at"))
    expires_at = models.DateTimeField(_("waits until"))
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decided_by = models.CharField(_("second person"), max_length=150, blank=True)
    decided_by_account = account_column()
    reason = models.CharField(_("what the second person said"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")
        ordering = ("-id",)
        default_permissions = ("view",)
        permissions = [("approve_operation", "Can agree to what another person has asked for")]
        constraints = [
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="wallet_approval_amount_positive"),
            models.CheckConstraint(
                condition=Q(payment__isnull=False, deposit__isnull=True)
                | Q(payment__isnull=True, deposit__isnull=False),
                name="wallet_approval_has_one_parent",
            ),
            # The last safeguard, after all checks in the code.
            models.CheckConstraint(
                condition=~Q(state="AGREED")
                | (
                    ~Q(decided_by="")
                    & ~Q(decided_by_account="")
                    & ~Q(decided_by=F("created_by"))
                    & ~Q(decided_by_account=F("created_by_account"))
                ),
                name="wallet_approval_second_person",
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"], name="wallet_approval_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    # Properties

    @property
    def sent_along(self) -> SentAlong:
        """What the operation sends along; nothing once the request has ended."""
        return SentAlong.checked(self.sends or {})

    @property
    def parent(self) -> Payment | MigratedDeposit:
        """The payment or deposit that the request concerns."""
        parent = self.payment or self.deposit
        assert parent is not None  # noqa: S101 - the database holds no row without one
        return parent

    def is_waiting(self, now: datetime) -> bool:
        """Whether a second person may still decide."""
        return self.state == ApprovalState.WAITING and now < self.expires_at


# Permissions


if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser

CAPTURE = "wallet_gateway.capture_payment"
REFUND = "wallet_gateway.refund_payment"
REVERSE = "wallet_gateway.reverse_payment"
DETACHED_REFUND = "wallet_gateway.detached_refund"
VIEW_HEALTH = "wallet_gateway.view_health"
VIEW_CUSTOMER = "wallet_gateway.view_customer"
"""Required, beside seeing the order, to see its customer and their addresses, and to search for them."""
RESOLVE = "wallet_gateway.resolve_unknown"
APPROVE = "wallet_gateway.approve_operation"
"""Required in addition to the permission of the operation itself."""

OF_KIND = {
    TransactionKind.CAPTURE: CAPTURE,
    TransactionKind.REFUND: REFUND,
    TransactionKind.REVERSAL: REVERSE,
    TransactionKind.DETACHED_REFUND: DETACHED_REFUND,
}
"""The permission that an operation requires, and sending it again."""


def permission_of(approval: Approval) -> str:
    """Return the permission needed to request something and, together with `APPROVE`, to approve it."""
    return RESOLVE if approval.decision else OF_KIND.get(TransactionKind(approval.kind), RESOLVE)


def account_of(actor: Actor) -> AbstractUser | None:
    """Return the account of an actor; None if it no longer exists.

    An actor without a key is a program's word: the account with that name, if there is one.
    """
    model = get_user_model()
    if actor.is_program:
        return model._default_manager.filter(**{model.USERNAME_FIELD: actor.name}).first()
    try:
        return model._default_manager.filter(pk=actor.account).first()
    except (ValueError, ValidationError):
        # A key of another user model, such as a UUID where the keys are numbers.
        return None


def account_has(actor: Actor, *permissions: str) -> bool | None:
    """Return whether an actor's account is active and has permissions now; None if there is no account."""
    account = account_of(actor)
    return None if account is None else bool(account.is_active and account.has_perms(permissions))


# One operation for many orders or deposits, confirmed once and executed row by row. The rows are the queue:
# any worker may continue where another one stopped.


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
    FAILED = "FAILED"
    """An unexpected error, which is in the log; nothing was begun."""


class OperationBatch(Requested):
    """One kind of operation for many orders or deposits, with the person who confirmed it and the reason.

    Every row is executed on behalf of `created_by`, as long as that person has the permission.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(BatchKind))
    state = models.CharField(
        _("state"), max_length=24, choices=choices_of(BatchState), default=BatchState.DRAFT
    )
    token = ByteExactField(max_length=32, unique=True, default=new_token, editable=False)
    """The prefix of the idempotency keys of its transactions."""
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
    order = optional_key(PaymentOrder)
    payment = optional_key(Payment)
    deposit = optional_key(MigratedDeposit)
    amount_minor = models.BigIntegerField(default=0)
    state = models.CharField(
        _("state"), max_length=24, choices=choices_of(RowState), default=RowState.WAITING
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    transaction = optional_key(GatewayTransaction)
    approval = optional_key(Approval)
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
