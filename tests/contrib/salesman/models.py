"""What the shop sells."""

from __future__ import annotations

from decimal import Decimal

from django.db import models
from django.http import HttpRequest


class Mug(models.Model):
    """A product, as salesman wants it."""

    name = models.CharField(max_length=40)
    code = models.CharField(max_length=40)

    def __str__(self) -> str:
        return self.name

    def get_price(self, request: HttpRequest) -> Decimal:
        return Decimal("12.50")
