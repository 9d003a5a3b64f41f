"""What can be switched: the clock, the habits, and the faults that wait for their requests. Rows only."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

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
