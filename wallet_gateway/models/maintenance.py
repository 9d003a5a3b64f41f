"""State of background jobs: heartbeats, positions, sent notices and mails, go-live checks.

All machines share each of these rows.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField, CurrencyField, ExponentField
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.payments import Payment
from wallet_gateway.protocol.money import Money


class SweepHeartbeat(models.Model):
    """The last sweep of a gateway: one row for each gateway, so that a stopped sweep is noticed."""

    gateway = ByteExactField(_("gateway"), max_length=32, unique=True)
    swept_at = models.DateTimeField(_("swept at"))

    class Meta:
        verbose_name = _("heartbeat of the sweep")
        verbose_name_plural = _("heartbeats of the sweep")
        ordering = ("gateway",)
        default_permissions = ()
        permissions = [("view_health", "Can see how payments are")]

    def __str__(self) -> str:
        return str(self.gateway)

    # Mutators

    @classmethod
    def beat(cls, gateway: str, *, now: datetime) -> None:
        """Record that a gateway was swept now: in single statements, since many sweeps end at one moment.

        In the transaction of `update_or_create`, a worker that comes second does not see the first one's row
        where the isolation is above READ COMMITTED.
        """
        if not cls.objects.filter(gateway=gateway).update(swept_at=now):
            beat = SweepHeartbeat(gateway=gateway, swept_at=now)
            SweepHeartbeat.objects.bulk_create([beat], ignore_conflicts=True)


class Job(StrEnum):
    """A job that processes rows in the order of their ids and continues where it was interrupted."""

    LEDGER_COMPARISON = "LEDGER_COMPARISON"
    ERASE_EVENT_BODIES = "ERASE_EVENT_BODIES"
    ERASE_REQUEST_BODIES = "ERASE_REQUEST_BODIES"
    ERASE_WALLET_SHEETS = "ERASE_WALLET_SHEETS"


class JobPosition(models.Model):
    """The progress of a job, per gateway if it runs per gateway."""

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
        constraints = [
            models.UniqueConstraint(fields=["job", "gateway"], name="wallet_job_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.gateway}".strip()

    # Mutators

    @classmethod
    def move(cls, job: Job, position: int, *, now: datetime, gateway: str = "") -> None:
        """Record the progress of a job: in single statements, as `SweepHeartbeat.beat` does."""
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
        verbose_name = _("notice of an expiring authorization")
        verbose_name_plural = _("notices of expiring authorizations")
        ordering = ("-id",)
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.payment} {self.state}"


class SentMail(models.Model):
    """A mail about an order or an event, recorded so that it is sent once."""

    order = models.ForeignKey(
        PaymentOrder, on_delete=models.PROTECT, related_name="sent_mails", null=True, blank=True
    )
    """None for an event that belongs to no order."""
    template = models.CharField(max_length=32)
    event_id = ByteExactField(max_length=64, blank=True)
    """The event that the mail reports; empty for a mail that an order gets only once."""
    sent_at = models.DateTimeField()

    class Meta:
        verbose_name = _("sent mail")
        verbose_name_plural = _("sent mails")
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


class GoLiveCheck(models.Model):
    """A real payment that a person has compared with the bank statement."""

    gateway = models.CharField(max_length=32)
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="go_live_checks")
    currency = CurrencyField(max_length=3)
    exponent = ExponentField()
    amount_minor = models.BigIntegerField()
    checked_by = models.CharField(max_length=150)
    checked_at = models.DateTimeField()

    class Meta:
        verbose_name = _("go-live check")
        verbose_name_plural = _("go-live checks")
        ordering = ("-id",)
        default_permissions = ()
        indexes = [models.Index(fields=["gateway", "-id"], name="wallet_go_live_check_newest")]

    def __str__(self) -> str:
        return f"{self.gateway}: {self.order}"

    # Properties

    @property
    def amount(self) -> Money:
        """The amount compared."""
        return Money.from_minor_units(self.amount_minor, self.currency)
