"""What background jobs remember: heartbeats, positions, notices and mails that were sent, go-live checks.

Each is shared by all machines.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.payments import Payment
from wallet_gateway.protocol.money import Money


class SweepHeartbeat(models.Model):
    """When a gateway was last swept: one row for each gateway, so that a sweep that has stopped is seen."""

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
        """Record that a gateway was swept now."""
        cls.objects.update_or_create(gateway=gateway, defaults={"swept_at": now})


class Job(StrEnum):
    """A job that walks through rows in the order of their numbers and goes on where it was broken off."""

    LEDGER_COMPARISON = "LEDGER_COMPARISON"
    ERASE_EVENT_BODIES = "ERASE_EVENT_BODIES"
    ERASE_REQUEST_BODIES = "ERASE_REQUEST_BODIES"
    ERASE_WALLET_SHEETS = "ERASE_WALLET_SHEETS"


class JobPosition(models.Model):
    """How far a job has come, for each gateway where it goes gateway by gateway."""

    job = models.CharField(max_length=24)
    """One of `Job`."""
    gateway = ByteExactField(max_length=32, blank=True)
    """Empty for a job that goes through the rows of all gateways."""
    position = models.BigIntegerField(default=0)
    """The number of the last row that was handled; 0 when the job has come to its end."""
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
        """Record how far a job has come."""
        columns = {"position": position, "moved_at": now}
        cls.objects.update_or_create(job=job, gateway=gateway, defaults=columns)

    # Queries

    @classmethod
    def of(cls, job: Job, *, gateway: str = "") -> int:
        """Return the number of the last row that a job has handled; 0 where it is to begin anew."""
        rows = cls.objects.filter(job=job, gateway=gateway)
        return rows.values_list("position", flat=True).first() or 0


class ExpiryNoticeState(StrEnum):
    """How far the shop's notice of an authorization that lapses has come."""

    CLAIMED = "CLAIMED"
    """A worker is sending it; another one may when the claim is some minutes old."""
    SENT = "SENT"
    """The shop knows; what the settings say is not done yet and is tried again."""
    DONE = "DONE"


class ExpiryNotice(models.Model):
    """The notice that a payment's authorization lapses soon, and what was done about it: once a payment."""

    payment = models.OneToOneField(Payment, on_delete=models.PROTECT, related_name="expiry_notice")
    state = models.CharField(max_length=16, default=ExpiryNoticeState.CLAIMED)
    """One of `ExpiryNoticeState`."""
    claimed_at = models.DateTimeField()

    class Meta:
        verbose_name = _("notice of a lapsing authorization")
        verbose_name_plural = _("notices of lapsing authorizations")
        ordering = ("-id",)
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.payment} {self.state}"


class SentMail(models.Model):
    """A mail that the customer of an order was sent, so that it is sent once."""

    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="sent_mails")
    template = models.CharField(max_length=32)
    event_id = ByteExactField(max_length=64, blank=True)
    """The event it tells of; empty for a mail that an order gets once, whatever happens."""
    sent_at = models.DateTimeField()

    class Meta:
        verbose_name = _("mail to a customer")
        verbose_name_plural = _("mails to customers")
        ordering = ("-id",)
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["order", "template", "event_id"], name="wallet_sent_mail_once"),
        ]

    def __str__(self) -> str:
        return f"{self.template} {self.order}"


class GoLiveCheck(models.Model):
    """A real payment of a low amount that a person has compared with the bank statement."""

    gateway = models.CharField(max_length=32)
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="go_live_checks")
    currency = models.CharField(max_length=3)
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
        """The amount that was compared."""
        return Money.from_minor_units(self.amount_minor, self.currency)
