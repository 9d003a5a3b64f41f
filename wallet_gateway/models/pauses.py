"""GatewayPause: requests to, or queries of, one gateway wait until an instant; shared by all machines."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Exists, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.models.actors import account_column
from wallet_gateway.models.explanations import Explained, explanation_columns


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
