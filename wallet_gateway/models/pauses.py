"""GatewayPause: requests to, or questions of, one gateway wait until an instant; shared by all machines."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Exists, QuerySet
from django.utils.translation import gettext_lazy as _


class GatewayPause(models.Model):
    """Until when one gateway is left alone, and why."""

    gateway = models.CharField(max_length=32, unique=True)
    sending_until = models.DateTimeField(null=True, blank=True)
    queries_until = models.DateTimeField(null=True, blank=True)
    keys_until = models.DateTimeField(null=True, blank=True)
    """Until when its key service, which has just failed, is not asked; from then on one process tries it."""
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("gateway pause")
        verbose_name_plural = _("gateway pauses")
        default_permissions = ()
        permissions = [("stop_sending", "Can stop sending to a gateway, and go on")]

    def __str__(self) -> str:
        return self.gateway

    # Queries

    @classmethod
    def row_of(cls, gateway: str) -> QuerySet[GatewayPause]:
        """Return the row of one gateway, made where there is none, for an UPDATE that says when it applies.

        Not `update_or_create`: of many that come at once, its locking reads deadlock on MariaDB.
        """
        cls.objects.get_or_create(gateway=gateway)
        return cls.objects.filter(gateway=gateway)

    @classmethod
    def sending_is_paused(cls, gateway: str, now: datetime) -> Exists:
        """Return a condition for the WHERE of a reserving UPDATE: it costs no statement of its own."""
        return Exists(cls.objects.filter(gateway=gateway, sending_until__gt=now))

    @classmethod
    def queries_are_paused(cls, gateway: str, now: datetime) -> Exists:
        """Return the same kind of condition for status queries."""
        return Exists(cls.objects.filter(gateway=gateway, queries_until__gt=now))
