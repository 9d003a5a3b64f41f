"""The tables of a shop that takes its payments by hand."""

from __future__ import annotations

from django.db import models


class HandOrder(models.Model):
    """An order, and whether it is paid."""

    reference = models.CharField(max_length=64, unique=True)
    total_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    is_paid = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.reference


class HandLine(models.Model):
    """A line of an order."""

    order = models.ForeignKey(HandOrder, on_delete=models.CASCADE, related_name="lines")
    name = models.CharField(max_length=200)
    unit_minor = models.BigIntegerField()
    quantity = models.IntegerField()

    def __str__(self) -> str:
        return self.name


class HandPayment(models.Model):
    """One try to pay an order."""

    order = models.ForeignKey(HandOrder, on_delete=models.CASCADE, related_name="payments")
    reference = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=20, default="OPENING")
    redirect_url = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.reference
