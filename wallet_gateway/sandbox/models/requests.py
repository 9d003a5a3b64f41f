"""What arrived and how it was answered: for repetitions, late calls and the journal. Rows only."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from wallet_gateway.sandbox.models.merchants import Merchant

SHORT = 60
"""Signs of a path that a list has room for."""


class AcceptedRequest(models.Model):
    """A request that used up its reference, and what it was answered: how a repetition is recognised."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="accepted_requests")
    reference = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    fingerprint = models.CharField(max_length=64)
    """SHA-256 of the request in canonical form."""
    answer = models.JSONField()

    class Meta:
        app_label = "wallet_sandbox"
        indexes: ClassVar = [
            models.Index(fields=["merchant", "reference"], name="wallet_sandbox_accepted_ref")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.reference}"


class LateRequest(models.Model):
    """A request whose caller was cut off, and which is carried out once the clock reaches its time."""

    due_at = models.DateTimeField(db_index=True)
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=2000)
    sealed = models.BinaryField()
    """The whole request, which may carry keys and cryptograms: encrypted, with a key of the process alone."""

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.method} {self.path} at {self.due_at.isoformat()}"


class JournalEntry(models.Model):
    """A request received under ``/api/`` and what was answered; secrets are masked before it is stored."""

    operation = models.CharField(max_length=32, blank=True)
    """Empty where the request could not be understood."""
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=2000)
    request_body = models.TextField(blank=True)
    unknown_fields = models.JSONField(default=list)
    """Paths of fields the interface does not know; they were ignored."""
    answer_status = models.PositiveSmallIntegerField(null=True)
    """Null while the answer is on its way, and where the connection was closed without one."""
    answer_body = models.TextField(blank=True)
    fault = models.CharField(max_length=32, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        app_label = "wallet_sandbox"
        verbose_name_plural = "journal entries"

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def short_path(self) -> str:
        """The path in the width of a list; a question differs from the next in the reference at its end."""
        return self.path if len(self.path) <= SHORT else f"{self.path[:24]}…{self.path[-27:]}"
