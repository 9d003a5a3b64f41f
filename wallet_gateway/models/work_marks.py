"""WorkMark: how far background work has come, one row for each name, shared by all machines."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField

SWEPT = "sweep:"
"""Begins the name of the mark that each sweep leaves, before the gateway's alias."""


class WorkMark(models.Model):
    """When something was last done, how far it came, and what is to be remembered of it."""

    name = ByteExactField(max_length=100, unique=True)
    """What was done, and for which gateway or payment: `sweep:default`."""
    marked_at = models.DateTimeField()
    position = models.BigIntegerField(default=0)
    """Where to go on; 0 when it was finished."""
    comment = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("mark of background work")
        verbose_name_plural = _("marks of background work")
        ordering = ("name",)
        default_permissions = ()
        permissions = [("view_health", "Can see how payments are")]

    def __str__(self) -> str:
        return str(self.name)

    # Mutators

    @classmethod
    def set(cls, name: str, *, now: datetime, **columns: Any) -> None:
        """Write a mark over the one that was there."""
        given = {"marked_at": now, **columns}
        if not cls.objects.filter(name=name).update(**given):
            cls.objects.get_or_create(name=name, defaults=given)

    @classmethod
    def set_once(cls, name: str, *, now: datetime, **columns: Any) -> bool:
        """Write a mark that nobody has written yet; False where it was there, whoever wrote it."""
        _row, made = cls.objects.get_or_create(name=name, defaults={"marked_at": now, **columns})
        return made
