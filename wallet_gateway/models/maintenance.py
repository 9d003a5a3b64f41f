"""Rows that all machines share: heartbeats, positions, notices, pauses, the outbox; and which are tests."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from django.db import models
from django.db.models import Exists, Model, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import Explanation
from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.models.fields import (
    ByteExactField,
    CurrencyField,
    Explained,
    ExponentField,
    WithAmount,
    account_column,
    choices_of,
    explanation_columns,
    optional_key,
)
from wallet_gateway.models.orders import MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.money import Money


class Job(StrEnum):
    """A periodic job; all but the sweep process rows in the order of their ids and can be interrupted."""

    SWEEP = "SWEEP"
    LEDGER_COMPARISON = "LEDGER_COMPARISON"
    ERASE_EVENT_BODIES = "ERASE_EVENT_BODIES"
    ERASE_REQUEST_BODIES = "ERASE_REQUEST_BODIES"
    ERASE_WALLET_SHEETS = "ERASE_WALLET_SHEETS"


class JobPosition(models.Model):
    """When a job last ran and how far it came, per gateway if it runs per gateway.

    A stopped sweep is noticed by it.
    """

    job = models.CharField(max_length=24)
    """One of `Job`."""
    gateway = ByteExactField(max_length=32, blank=True)
    """Empty for a job that processes the rows of all gateways."""
    position = models.BigIntegerField(default=0)
    """The id of the last processed row; 0 when the job has reached the end."""
    moved_at = models.DateTimeField()

    class Meta:
        verbose_name = _("position of a job")
        verbose_name_plural = _("positions of jobs")
        ordering = ("job", "gateway")
        default_permissions = ()
        permissions = [("view_health", "Can see how payments are")]
        constraints = [
            models.UniqueConstraint(fields=["job", "gateway"], name="wallet_job_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.gateway}".strip()

    # Mutators

    @classmethod
    def move(cls, job: Job, position: int = 0, *, now: datetime, gateway: str = "") -> None:
        """Record the progress of a job: in single statements, since many sweeps end at one moment.

        In the transaction of `update_or_create`, a worker that comes second does not see the first one's row
        where the isolation is above READ COMMITTED.
        """
        rows = cls.objects.filter(job=job, gateway=gateway)
        if not rows.update(position=position, moved_at=now):
            first = JobPosition(job=job, gateway=gateway, position=position, moved_at=now)
            JobPosition.objects.bulk_create([first], ignore_conflicts=True)

    # Queries

    @classmethod
    def of(cls, job: Job, *, gateway: str = "") -> int:
        """Return the id of the last row that a job processed; 0 if it starts from the beginning."""
        rows = cls.objects.filter(job=job, gateway=gateway)
        return rows.values_list("position", flat=True).first() or 0


class ExpiryNoticeState(StrEnum):
    """The progress of the shop's notice about an expiring authorization."""

    CLAIMED = "CLAIMED"
    """A worker is sending it; another worker may send it when the claim is some minutes old."""
    SENT = "SENT"
    """The shop was notified; the configured action is not done yet and is tried again."""
    DONE = "DONE"


class ExpiryNotice(models.Model):
    """The notice that a payment's authorization expires soon, and what was done: one for each payment."""

    payment = models.OneToOneField(Payment, on_delete=models.PROTECT, related_name="expiry_notice")
    state = models.CharField(max_length=16, default=ExpiryNoticeState.CLAIMED)
    """One of `ExpiryNoticeState`."""
    claimed_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.payment} {self.state}"


class SentMail(models.Model):
    """A mail about an order or an event, recorded so that it is sent once."""

    order = optional_key(PaymentOrder, "sent_mails")
    """None for an event that belongs to no order."""
    template = models.CharField(max_length=32)
    event_id = ByteExactField(max_length=64, blank=True)
    """The event that the mail reports; empty for a mail that an order gets only once."""
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["order", "template", "event_id"], name="wallet_sent_mail_once"),
        ]

    def __str__(self) -> str:
        return f"{self.template} {self.order}"


class ForgottenReference(models.Model):
    """The hash of a deleted test's reference: an operation under it in the provider's portal stays ours."""

    reference_hash = models.CharField(max_length=64, unique=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.reference_hash)

    @staticmethod
    def hash_of(reference: str) -> str:
        """Return the SHA-256 of a reference."""
        return sha256(reference.encode()).hexdigest()


class GoLiveCheck(WithAmount):
    """A real payment that a person has compared with the bank statement."""

    gateway = models.CharField(max_length=32)
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="go_live_checks")
    checked_by = models.CharField(max_length=150)
    checked_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        default_permissions = ()
        indexes = [models.Index(fields=["gateway", "-id"], name="wallet_go_live_check_newest")]

    def __str__(self) -> str:
        return f"{self.gateway}: {self.order}"


# Pauses


class PauseCode(models.TextChoices):
    """Why new requests were paused automatically."""

    RETRY_AFTER = "RETRY_AFTER", _("the gateway asks for time")
    UNKNOWN_OUTCOMES = "UNKNOWN_OUTCOMES", _("too many unknown outcomes in a short time")
    UNIT_MIX_UP = "UNIT_MIX_UP", _("amounts are mixed up by a factor of ten or more")


class GatewayPause(Explained):
    """Until when and why one gateway is paused, and whether a person has stopped sending to it."""

    gateway = models.CharField(max_length=32, unique=True)
    sending_until = models.DateTimeField(null=True, blank=True)
    pause_code = models.CharField(max_length=20, choices=PauseCode.choices, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)
    """Since when a person has stopped sending; kept when the stop has ended by itself."""
    stopped_until = models.DateTimeField(null=True, blank=True)
    """When a person's stop ends by itself; None if only a person ends it."""
    stopped_by = models.CharField(max_length=150, blank=True)
    stopped_by_account = account_column()
    stop_reason = models.CharField(max_length=500, blank=True)
    resumed_at = models.DateTimeField(null=True, blank=True)
    resumed_by = models.CharField(max_length=150, blank=True)
    resumed_by_account = account_column()
    resume_reason = models.CharField(max_length=500, blank=True)
    queries_until = models.DateTimeField(null=True, blank=True)
    repeats_until = models.DateTimeField(null=True, blank=True)
    """Until when repeated queries wait because they have used up their share of the query rate."""
    keys_until = models.DateTimeField(null=True, blank=True)
    """Until when its failed key service is not called; then one process tries it."""

    class Meta:
        verbose_name = _("gateway pause")
        verbose_name_plural = _("gateway pauses")
        default_permissions = ()
        permissions = [("stop_sending", "Can stop sending to a gateway, and go on")]

    def __str__(self) -> str:
        return self.gateway

    # Changes and queries

    @classmethod
    def row_of(cls, gateway: str) -> QuerySet[GatewayPause]:
        """Return the row of one gateway, created if missing, for a conditional UPDATE.

        Not `update_or_create`: with many concurrent calls, its locking reads deadlock on MariaDB.
        """
        cls.objects.get_or_create(gateway=gateway)
        return cls.objects.filter(gateway=gateway)

    @classmethod
    def pause_sending(
        cls,
        gateway: str,
        *,
        now: datetime,
        until: datetime,
        code: PauseCode,
        explanation: Explanation | None = None,
    ) -> bool:
        """Pause new requests to a gateway until an instant; a longer current pause is kept.

        Returns whether a pause begins: False if one is only prolonged, or kept.
        """
        row = cls.row_of(gateway)
        columns = {"sending_until": until, "pause_code": code, **explanation_columns(explanation)}
        if row.filter(Q(sending_until__isnull=True) | Q(sending_until__lte=now)).update(**columns):
            return True
        row.filter(sending_until__lt=until).update(**columns)
        return False

    @classmethod
    def pause_queries(cls, gateway: str, *, until: datetime) -> None:
        """Pause status queries of a gateway until an instant; a longer current pause is kept."""
        shorter = Q(queries_until__isnull=True) | Q(queries_until__lt=until)
        cls.row_of(gateway).filter(shorter).update(queries_until=until)

    @classmethod
    def take_repeats(cls, gateway: str, *, now: datetime, until: datetime) -> bool:
        """Take the share of repeated queries until an instant; return False if another worker has it now."""
        is_free = Q(repeats_until__isnull=True) | Q(repeats_until__lte=now)
        return bool(cls.row_of(gateway).filter(is_free).update(repeats_until=until))

    @classmethod
    def that_hold(cls, now: datetime) -> QuerySet[GatewayPause]:
        """Return the rows of gateways to which nothing new is sent at an instant."""
        return cls.objects.filter(cls.stopped_by_person(now) | Q(sending_until__gt=now))

    @staticmethod
    def stopped_by_person(now: datetime) -> Q:
        """Return the condition that a person's stop holds at an instant."""
        return Q(stopped_at__isnull=False) & (Q(stopped_until__isnull=True) | Q(stopped_until__gt=now))

    def is_stopped_by_person(self, now: datetime) -> bool:
        """Return the same of a row that was read."""
        return self.stopped_at is not None and (self.stopped_until is None or self.stopped_until > now)

    @classmethod
    def sending_is_paused(cls, gateway: str, now: datetime) -> Exists:
        """Return a condition for the WHERE of a reserving UPDATE: it needs no extra statement."""
        return Exists(cls.that_hold(now).filter(gateway=gateway))

    @classmethod
    def queries_are_paused(cls, gateway: str, now: datetime) -> Exists:
        """Return the same kind of condition for status queries."""
        return Exists(cls.objects.filter(gateway=gateway, queries_until__gt=now))


# The outbox


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
    UNFROZEN = "UNFROZEN"
    CANCELLED = "CANCELLED"
    RELEASED = "RELEASED"
    WALLET_LIMIT_REACHED = "WALLET_LIMIT_REACHED"
    OPERATION_REFUSED = "OPERATION_REFUSED"


class OutboxEvent(models.Model):
    """One event, delivered at least once, always with the same id."""

    event_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=24)
    """One of `OutboxEventKind`."""
    order = optional_key(PaymentOrder, "outbox_events")
    """None for a detached refund: it belongs to a deposit."""
    transaction = optional_key(GatewayTransaction, "outbox_events")
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
        ordering = ("id",)
        default_permissions = ()
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


# The page of figures


class Dashboard(GatewayTransaction):
    """Proxy for the dashboard page, without rows of its own."""

    class Meta:
        proxy = True
        verbose_name = _("payments dashboard")
        verbose_name_plural = _("payments dashboard")
        default_permissions = ()


# Tests


def not_tests() -> Q:
    """Return the condition of transactions and discrepancies that are no tests.

    It reads the tests, which have an index, and joins nothing: a shop has few of them beside its money.
    """
    payments = Payment.objects.filter(is_test=True)
    deposits = MigratedDeposit.objects.filter(is_test=True)
    return ~Q(payment__in=payments) & ~Q(deposit__in=deposits)


def not_left_alone(live: Collection[str]) -> Q:
    """Return the condition of transactions and discrepancies that are no tests of these live gateways."""
    return ~Q(gateway__in=live) | not_tests() if live else Q()


def with_money(live: Collection[str]) -> Q:
    """Return the condition of orders that are not tests of these live gateways."""
    return ~Q(gateway__in=live) | ~Q(pk__in=test_orders().values("pk")) if live else Q()


def test_orders() -> QuerySet[PaymentOrder]:
    """Return the orders that have a payment and no other payments than tests."""
    others = Payment.objects.exclude(is_test=True)
    tests = Payment.objects.filter(is_test=True)
    # From the few tests to their orders, and from these to whatever else they have.
    orders = PaymentOrder.objects.filter(pk__in=tests.values("order"))
    return orders.exclude(pk__in=others.filter(order__payments__is_test=True).values("order"))


def is_test_row(row: Model, is_test: Callable[[str], bool]) -> bool:
    """Return whether a row is a test, by the mode of its payment, its payments or its deposit.

    `is_test` says it by a gateway's profile of today, for rows about which nothing was sent yet.
    """
    row = getattr(row, "transaction", None) or row
    subject = getattr(row, "payment", None) or getattr(row, "deposit", None) or row
    stored: bool | None = getattr(subject, "is_test", None)
    if stored is None and not isinstance(row, GatewayTransaction) and not isinstance(subject, Payment):
        return is_test(getattr(row, "gateway", ""))
    return bool(stored)
