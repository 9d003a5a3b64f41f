"""Who may use the sandbox. Rows only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class Merchant(models.Model):
    """A merchant's store that may use the sandbox."""

    merchant_id = models.CharField(max_length=64)
    store_id = models.CharField(max_length=64)
    user_id = models.CharField(max_length=64)
    provider = models.CharField(max_length=64)
    gateway_name = models.CharField(max_length=64)
    origins = models.JSONField(default=list, blank=True)

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant_id", "store_id"], name="wallet_sandbox_merchant_store")
        ]

    def __str__(self) -> str:
        return f"{self.merchant_id} / {self.store_id}"
