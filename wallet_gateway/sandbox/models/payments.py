"""Rows of merchants, checkouts, deposits of a migration file, and transactions."""

from __future__ import annotations

import secrets
from typing import ClassVar

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models.wallet import PaymentAccount


def new_checkout_token() -> str:
    """Return a random token for a checkout's address: 128 bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def new_record_id() -> str:
    """Return a new transaction id in the gateway's format."""
    return f"SBX-{secrets.token_hex(10).upper()}"


class RecordState(models.TextChoices):
    """The states the sandbox gives to a transaction; a fault may store any other text."""

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


class Merchant(models.Model):
    """A store of a merchant that may use the sandbox."""

    merchant_id = models.CharField(max_length=64)
    store_id = models.CharField(max_length=64)
    user_id = models.CharField(max_length=64)
    provider = models.CharField(max_length=64)
    gateway_name = models.CharField(max_length=64)
    origins = models.JSONField(default=list, blank=True)
    display_name = models.CharField(max_length=64, blank=True)

    class Meta:
        app_label = "wallet_sandbox"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant_id", "store_id"], name="wallet_sandbox_merchant_store")
        ]

    def __str__(self) -> str:
        return f"{self.merchant_id} / {self.store_id}"

    @property
    def shown_name(self) -> str:
        """The name that customers read: the display name, otherwise the id."""
        return self.display_name or self.merchant_id


class Checkout(models.Model):
    """A checkout requested by a merchant: the page behind one ``redirectUrl``."""

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
    """When the link expires; null for never."""
    decided_outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    """Empty until the customer decides; returning to the shop is not a decision."""
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
        """Return the path of the page that the customer sees."""
        return reverse("checkout", kwargs={"token": self.token})

    @property
    def amount(self) -> Money:
        """The amount to pay."""
        return Money.from_minor_units(self.amount_minor, self.currency)


class Deposit(models.Model):
    """A payment of an earlier provider, imported from a migration file, that detached refunds refer to."""

    merchant_id = models.CharField(max_length=64)
    """The ``merchantId``; a migration file names merchants, not stores."""
    parent_transaction_id = models.CharField(max_length=255)
    provider_transaction_id = models.CharField(max_length=255, blank=True)
    paid_at = models.DateTimeField()
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    refunded_before_minor = models.BigIntegerField(default=0)
    """The amount that the earlier provider had refunded when the file was written."""

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
        """The amount paid."""
        return Money.from_minor_units(self.amount_minor, self.currency)


class TransactionRecord(models.Model):
    """A transaction as the status query reports it: an original, a follow-up or a detached refund."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="records")
    record_id = models.CharField(max_length=32, unique=True, default=new_record_id)
    reference = models.CharField(max_length=255)
    """The ``clientSystemTransactionId`` by which the status query finds it."""
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
    """The ``clientSystemInvoiceId`` or ``parentTransactionId`` of its original; empty for an original."""
    details = models.JSONField(default=dict)
    """The ``apmDetails`` of the status record, in wire form."""
    history = models.JSONField(default=list)
    """All states so far, oldest first: ``{"at": ISO time, "state": ..., "providerStateCode": ...}``."""

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
        """The amount of the transaction, also if it failed."""
        return Money.from_minor_units(self.amount_minor, self.currency)
