"""The sandbox's own tables: what the gateway knows.

Rows only: fields, constraints, and what can be read from one row. Rules live in ``engine``. Money is a whole
number of minor units with its currency; every time is the sandbox's own clock, never the machine's.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.wallet_models import Authentication, PaymentAccount, PublicKey, WalletMode

__all__ = [
    "AcceptedRequest",
    "Authentication",
    "Checkout",
    "Deposit",
    "DuplicatePolicy",
    "JournalEntry",
    "LateRequest",
    "LetterCase",
    "Merchant",
    "Outcome",
    "PaymentAccount",
    "PublicKey",
    "RecordOrigin",
    "RecordState",
    "SandboxState",
    "SetFault",
    "TransactionRecord",
    "WalletMode",
    "new_checkout_token",
    "new_record_id",
]


def new_checkout_token() -> str:
    """Make the unguessable part of a checkout's address: 128 random bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def new_record_id() -> str:
    """Make a payment identifier, as the gateway hands it out."""
    return f"SBX-{secrets.token_hex(10).upper()}"


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


class RecordState(models.TextChoices):
    """The states the sandbox gives to a transaction by itself; a fault may store any other text."""

    APPROVED = "Approved", _("approved")
    PENDING = "Pending", _("pending")
    ERRORED = "Errored", _("errored")


class RecordOrigin(models.TextChoices):
    """Who made a transaction."""

    API = "api", _("a request of the merchant")
    PAGE = "page", _("the customer on the checkout page")
    PORTAL = "portal", _("somebody in the provider's portal")


class Outcome(models.TextChoices):
    """How a customer leaves the checkout page."""

    SUCCESS = "success", _("paid")
    PENDING = "pending", _("pending at the provider")
    REFUSED = "refused", _("refused")
    CANCELLED = "cancelled", _("cancelled")
    ERROR = "error", _("failed")
    RETURN = "return", _("went back to the shop undecided")


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
    wallet_mode = models.CharField(max_length=15, choices=WalletMode.choices, default=WalletMode.READY)

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(pk=1), name="wallet_sandbox_one_state")
        ]

    def __str__(self) -> str:
        return "state of the sandbox"


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


class Checkout(models.Model):
    """A checkout a merchant asked for: the page behind one ``redirectUrl``."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="checkouts")
    reference = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    request = models.JSONField()
    """The request in wire form, with the canonical names of the interface."""
    skin_id = models.CharField(max_length=255, blank=True)
    language = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    """When the link stops working; null for never."""
    decided_outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    """Empty until the customer decided; going back to the shop decides nothing."""
    decided_at = models.DateTimeField(null=True)
    token = models.CharField(max_length=32, unique=True, default=new_checkout_token)

    class Meta:
        app_label = "wallet_sandbox"
        indexes: ClassVar = [
            models.Index(fields=["merchant", "reference"], name="wallet_sandbox_checkout_ref")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.reference}"

    def get_absolute_url(self) -> str:
        """Give the path of the page the customer sees."""
        return reverse("checkout", kwargs={"token": self.token})

    @property
    def amount(self) -> Money:
        """What the customer is asked to pay."""
        return Money.from_minor_units(self.amount_minor, self.currency)


class Deposit(models.Model):
    """A payment taken by an earlier provider, known from a migration file: what detached refunds draw on."""

    merchant_id = models.CharField(max_length=64)
    """The ``merchantId``: the file knows merchants, not their stores."""
    parent_transaction_id = models.CharField(max_length=255)
    provider_transaction_id = models.CharField(max_length=255, blank=True)
    paid_at = models.DateTimeField()
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    refunded_before_minor = models.BigIntegerField(default=0)
    """What the earlier provider had refunded when the file was written."""

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["merchant_id", "parent_transaction_id"], name="wallet_sandbox_deposit_parent"
            ),
            models.CheckConstraint(
                condition=models.Q(refunded_before_minor__gte=0)
                & models.Q(refunded_before_minor__lte=models.F("amount_minor")),
                name="wallet_sandbox_deposit_refunded",
            ),
        ]

    def __str__(self) -> str:
        return self.parent_transaction_id

    @property
    def amount(self) -> Money:
        """What was paid then."""
        return Money.from_minor_units(self.amount_minor, self.currency)


class TransactionRecord(models.Model):
    """A transaction as the status query tells it: an original, a follow-up or a detached refund."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="records")
    record_id = models.CharField(max_length=32, unique=True, default=new_record_id)
    reference = models.CharField(max_length=255)
    """The ``clientSystemTransactionId`` the status query finds it by."""
    type = models.CharField(max_length=32)
    state = models.CharField(max_length=32)
    provider_state_code = models.CharField(max_length=64)
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    created_at = models.DateTimeField()
    origin = models.CharField(max_length=6, choices=RecordOrigin.choices)
    checkout = models.ForeignKey(
        Checkout, on_delete=models.CASCADE, null=True, blank=True, related_name="records"
    )
    original = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="follow_ups"
    )
    deposit = models.ForeignKey(
        Deposit, on_delete=models.CASCADE, null=True, blank=True, related_name="refunds"
    )
    account = models.ForeignKey(
        PaymentAccount, on_delete=models.CASCADE, null=True, blank=True, related_name="authorizations"
    )
    original_reference = models.CharField(max_length=255, blank=True)
    """The ``clientSystemInvoiceId`` or ``parentTransactionId`` it names; empty for an original."""
    details = models.JSONField(default=dict)
    """The ``apmDetails`` of the status record, in wire form."""
    history = models.JSONField(default=list)
    """Every state it was in: ``{"at": ISO time, "state": ..., "providerStateCode": ...}``, oldest first."""

    class Meta:
        app_label = "wallet_sandbox"
        indexes: ClassVar = [models.Index(fields=["merchant", "reference"], name="wallet_sandbox_record_ref")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0), name="wallet_sandbox_record_amount"
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.reference} {self.state}"

    @property
    def amount(self) -> Money:
        """What the transaction moved, or would have moved."""
        return Money.from_minor_units(self.amount_minor, self.currency)


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
