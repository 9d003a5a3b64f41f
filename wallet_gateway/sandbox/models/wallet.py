"""The tables of the wallet button: keys, payment accounts, and 3-D Secure on a page of the gateway's.

Rows only. No card number and no cryptogram has a column: what must be compared later is kept as a hash.

Keeping what must be recognised without keeping it: a hash of each secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


def new_account_id() -> str:
    """Make a ``transactionAccountId``, as the gateway hands it out."""
    return f"ACC-{secrets.token_hex(12).upper()}"


def new_page_token() -> str:
    """Make the unguessable part of a page's address: 128 random bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a text in hexadecimal; safe only for secrets with enough entropy."""
    return hashlib.sha256(secret.encode()).hexdigest()


class WalletMode(models.TextChoices):
    """How the emulated wallet behaves in the browser."""

    READY = "ready", _("ready")
    NOT_READY = "not_ready", _("not available in this browser")
    NO_CARD = "no_card", _("available, no card stored")
    SCRIPT_FAILS = "script_fails", _("its script cannot be loaded")
    SLOW = "slow", _("answers slowly")
    DEVELOPER_ERROR = "developer_error", _("refuses every request as wrong")
    CANCELLED = "cancelled", _("closed by the customer at once")


class AuthenticationOutcome(models.TextChoices):
    """How a customer leaves the 3-D Secure page."""

    SUCCESS = "success", _("authenticated")
    FAILED = "failed", _("not authenticated")
    ABANDONED = "abandoned", _("abandoned")


class PublicKey(models.Model):
    """A pair of keys that was issued to a store, each known by its hash alone."""

    merchant = models.ForeignKey("Merchant", on_delete=models.CASCADE, related_name="public_keys")
    api_key_hash = models.CharField(max_length=64, unique=True)
    encryption_key_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"keys until {self.expires_at.isoformat()}"


class PaymentAccount(models.Model):
    """A card that the wallet handed over, as far as anybody may know it."""

    merchant = models.ForeignKey("Merchant", on_delete=models.CASCADE, related_name="payment_accounts")
    account_id = models.CharField(max_length=32, unique=True, default=new_account_id)
    reference = models.CharField(max_length=255)
    """The ``clientSystemTransactionId`` it was created under, which an authorization need not repeat."""
    card_type = models.CharField(max_length=5)
    card_network = models.CharField(max_length=16)
    masked_number = models.CharField(max_length=19)
    expiration_month = models.PositiveSmallIntegerField()
    expiration_year = models.PositiveSmallIntegerField()
    cryptogram_hash = models.CharField(max_length=64, blank=True)
    eci_indicator = models.CharField(max_length=2, blank=True)
    message_hash = models.CharField(max_length=64, db_index=True)
    """Tells a token that was seen before."""
    created_at = models.DateTimeField()

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.card_network} {self.masked_number}"

    def has_cryptogram(self, cryptogram: str) -> bool:
        """Compare a cryptogram with the account's own in constant time."""
        return hmac.compare_digest(hash_secret(cryptogram), self.cryptogram_hash)


class Authentication(models.Model):
    """3-D Secure on the gateway's page: what stands between a pending authorization and its end."""

    record = models.OneToOneField(
        "TransactionRecord", on_delete=models.CASCADE, related_name="authentication"
    )
    token = models.CharField(max_length=32, unique=True, default=new_page_token)
    redirect_details = models.JSONField()
    """Where the browser is sent, in wire form."""
    expires_at = models.DateTimeField(db_index=True)
    decided_outcome = models.CharField(max_length=9, choices=AuthenticationOutcome.choices, blank=True)
    """Empty until the customer left the page by a button."""

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"3-D Secure of {self.record}"

    def get_absolute_url(self) -> str:
        """Give the path of the page the customer sees."""
        return reverse("three_d_secure", kwargs={"token": self.token})
