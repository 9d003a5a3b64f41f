"""Rows of the sandbox's state and behaviour, faults, accepted and delayed requests, and the journal."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.sandbox.models.payments import Merchant
from wallet_gateway.sandbox.models.wallet import WalletMode

MAX_LISTED_PATH_LENGTH = 60
"""Characters of a path that fit into a list."""


class DuplicatePolicy(models.TextChoices):
    """How a request is answered that repeats an earlier one exactly."""

    REJECT = "reject", _("refuse it")
    REPLAY = "replay", _("answer as the first time")
    EXECUTE = "execute", _("carry it out again")


class LetterCase(models.TextChoices):
    """Letter case of the field names in an answer."""

    CANONICAL = "canonical", _("as in the field tables")
    PASCAL = "pascal", _("first letter upper case")
    LOWER = "lower", _("all lower case")


class BillingAddressRule(models.TextChoices):
    """Whether a checkout needs a billing address; the interface marks its fields as mandatory."""

    OPTIONAL = "optional", _("may be left out")
    REQUIRED = "required", _("is demanded")


class PlaceholderId(models.TextChoices):
    """What a record that is not approved carries in place of its id."""

    OFF = "off", _("its own id")
    ZEROS = "zeros", _("a UUID of zeros")
    ZERO = "zero", _("the digit 0")
    EMPTY = "empty", _("an empty text")


class PortalReference(models.TextChoices):
    """The reference of a follow-up that was made in the provider's portal."""

    ORIGINAL = "original", _("that of its original")
    OWN = "own", _("one of the gateway's own")


AMOUNT_AS_REQUESTED = "requested"
NO_AMOUNT = "null"
"""The two words among the amounts that an errored record may carry."""


class SandboxState(models.Model):
    """The single row of global state: the clock, and the behaviour where the interface leaves it open."""

    clock_ahead = models.DurationField(default=timedelta())
    """Offset of the sandbox's clock from the machine's."""
    duplicates = models.CharField(
        max_length=8, choices=DuplicatePolicy.choices, default=DuplicatePolicy.REJECT
    )
    """How a request is answered that repeats an earlier one exactly."""
    status_lag = models.DurationField(default=timedelta())
    """How long the status query does not yet report a change."""
    letter_case = models.CharField(max_length=9, choices=LetterCase.choices, default=LetterCase.CANONICAL)
    """Letter case of the field names in answers."""
    numeric_amounts = models.BooleanField(default=False)
    """Whether answers carry amounts as numbers where the default is text."""
    share_references = models.BooleanField(default=False)
    """Whether a follow-up may carry its original's reference, once per type."""
    another_card = models.BooleanField(default=False)
    """Whether a checkout remains open after a refused card or an error."""
    billing_address = models.CharField(
        max_length=8, choices=BillingAddressRule.choices, default=BillingAddressRule.OPTIONAL
    )
    errored_amount = models.CharField(max_length=24, default=AMOUNT_AS_REQUESTED)
    """What errored records carry as their amount: the amount requested, null, or these digits."""
    placeholder_ids = models.CharField(max_length=5, choices=PlaceholderId.choices, default=PlaceholderId.OFF)
    state_words = models.JSONField(default=dict)
    """Other words for documented states, by the documented one."""
    portal_references = models.CharField(
        max_length=8, choices=PortalReference.choices, default=PortalReference.ORIGINAL
    )
    newest_first = models.BooleanField(default=False)
    """Whether the status query lists the newest record first."""
    wallet_mode = models.CharField(max_length=15, choices=WalletMode.choices, default=WalletMode.READY)

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(pk=1), name="wallet_sandbox_one_state")
        ]

    def __str__(self) -> str:
        return "state of the sandbox"


class SetFault(models.Model):
    """A fault that has been set and not yet used up."""

    operation = models.CharField(max_length=32)
    fault = models.CharField(max_length=32)
    times = models.PositiveIntegerField(null=True, default=1)
    """How many more requests it hits; null for every request until the faults are cleared."""
    skip = models.PositiveIntegerField(default=0)
    """How many matching requests it skips first."""
    delay = models.DurationField(null=True)
    """Waiting time, or delay of a late request; null for the fault's default."""
    status = models.PositiveSmallIntegerField(null=True)
    code = models.CharField(max_length=32, blank=True)
    message = models.CharField(max_length=500, blank=True)

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.fault} on {self.operation}"


class AcceptedRequest(models.Model):
    """A request that used its reference, with its answer, by which a repetition is recognised."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="accepted_requests")
    reference = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    fingerprint = models.CharField(max_length=64)
    """SHA-256 of the request in canonical form, in hexadecimal."""
    answer = models.JSONField()

    class Meta:
        app_label = "wallet_sandbox"
        indexes: ClassVar = [
            models.Index(fields=["merchant", "reference"], name="wallet_sandbox_accepted_ref")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.reference}"


class LateRequest(models.Model):
    """A request whose connection was closed, to be executed when the clock reaches its time."""

    due_at = models.DateTimeField(db_index=True)
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=2000)
    sealed = models.BinaryField()
    """The whole request, encrypted with a key of this process because it may contain keys and cryptograms."""

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.method} {self.path} at {self.due_at.isoformat()}"


class JournalEntry(models.Model):
    """A request received under ``/api/`` with its answer; secrets are masked before it is stored."""

    operation = models.CharField(max_length=32, blank=True)
    """Empty if the operation could not be determined."""
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=2000)
    request_body = models.TextField(blank=True)
    unknown_fields = models.JSONField(default=list)
    """Paths of fields that the interface does not define; they were ignored."""
    answer_status = models.PositiveSmallIntegerField(null=True)
    """Null until the request is answered, and if the connection was closed without an answer."""
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
        """The path shortened for a list; the end is kept because it holds the reference of a status query."""
        return (
            self.path if len(self.path) <= MAX_LISTED_PATH_LENGTH else f"{self.path[:24]}…{self.path[-27:]}"
        )
