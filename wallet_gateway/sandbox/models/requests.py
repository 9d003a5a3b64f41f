"""What can be switched: the clock, the habits, and the faults that wait for their requests. Rows only.

What arrived and how it was answered: for repetitions, late calls and the journal. Rows only.
"""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.sandbox.models.payments import Merchant
from wallet_gateway.sandbox.models.wallet import WalletMode


class DuplicatePolicy(models.TextChoices):
    """What happens to a request that was answered before and arrives again word for word."""

    REJECT = "reject", _("refuse it")
    REPLAY = "replay", _("answer as the first time")
    EXECUTE = "execute", _("carry it out again")


class LetterCase(models.TextChoices):
    """How the names in an answer are written."""

    CANONICAL = "canonical", _("as in the field tables")
    PASCAL = "pascal", _("first letter upper case")
    LOWER = "lower", _("all lower case")


class SandboxState(models.Model):
    """The one row of what holds for the whole sandbox: how far its clock is ahead, and its behaviour."""

    clock_ahead = models.DurationField(default=timedelta())
    """How far the sandbox's clock is ahead of the machine's."""
    duplicates = models.CharField(
        max_length=8, choices=DuplicatePolicy.choices, default=DuplicatePolicy.REJECT
    )
    status_lag = models.DurationField(default=timedelta())
    """How long the status query does not see what happened."""
    letter_case = models.CharField(max_length=9, choices=LetterCase.choices, default=LetterCase.CANONICAL)
    numeric_amounts = models.BooleanField(default=False)
    share_references = models.BooleanField(default=False)
    another_card = models.BooleanField(default=False)
    wallet_mode = models.CharField(max_length=15, choices=WalletMode.choices, default=WalletMode.READY)

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(pk=1), name="wallet_sandbox_one_state")
        ]

    def __str__(self) -> str:
        return "state of the sandbox"


class SetFault(models.Model):
    """A fault that waits for its request."""

    operation = models.CharField(max_length=32)
    fault = models.CharField(max_length=32)
    times = models.PositiveIntegerField(null=True, default=1)
    """How many more requests it hits; null for all until the faults are cleared."""
    skip = models.PositiveIntegerField(default=0)
    """How many more requests it lets pass first."""
    delay = models.DurationField(null=True)
    """How long it waits, or holds a request back; null for the fault's own default."""
    status = models.PositiveSmallIntegerField(null=True)
    code = models.CharField(max_length=32, blank=True)
    message = models.CharField(max_length=500, blank=True)

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.fault} on {self.operation}"


MAX_LISTED_PATH_LENGTH = 60
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
        return (
            self.path if len(self.path) <= MAX_LISTED_PATH_LENGTH else f"{self.path[:24]}…{self.path[-27:]}"
        )
