"""The one table that the bare view writes to."""

from __future__ import annotations

from django.db import models


class BarePayment(models.Model):
    """The least a shop can write down about a payment."""

    reference = models.CharField(max_length=64, unique=True)
    amount_minor = models.BigIntegerField()
    redirect_url = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.reference
