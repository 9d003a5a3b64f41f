"""Rows of the wallet button: keys, payment accounts, and 3-D Secure on the gateway's page.

No column can hold a card number or a cryptogram: values that are compared later are stored as hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


def new_account_id() -> str:
    """Return a new ``transactionAccountId`` in the gateway's format."""
    return f"ACC-{secrets.token_hex(12).upper()}"


def new_page_token() -> str:
    """Return a random token for a page's address: 128 bits, safe in a URL."""
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
    """A pair of keys issued to a store; only hashes are stored."""

    merchant = models.ForeignKey("Merchant", on_delete=models.CASCADE, related_name="public_keys")
    api_key_hash = models.CharField(max_length=64, unique=True)
    encryption_key_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"keys until {self.expires_at.isoformat()}"


class PaymentAccount(models.Model):
    """A payment account: the part of a wallet card that may be stored."""

    merchant = models.ForeignKey("Merchant", on_delete=models.CASCADE, related_name="payment_accounts")
    account_id = models.CharField(max_length=32, unique=True, default=new_account_id)
    reference = models.CharField(max_length=255)
    """The ``clientSystemTransactionId`` of its creation; an authorization may use another one."""
    card_type = models.CharField(max_length=5)
    card_network = models.CharField(max_length=16)
    masked_number = models.CharField(max_length=19)
    expiration_month = models.PositiveSmallIntegerField()
    expiration_year = models.PositiveSmallIntegerField()
    cryptogram_hash = models.CharField(max_length=64, blank=True)
    eci_indicator = models.CharField(max_length=2, blank=True)
    message_hash = models.CharField(max_length=64, db_index=True)
    """Hash of the token's message id, by which a replayed token is recognised."""
    created_at = models.DateTimeField()

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self.card_network} {self.masked_number}"

    def has_cryptogram(self, cryptogram: str) -> bool:
        """Compare a cryptogram with the account's own in constant time."""
        return hmac.compare_digest(hash_secret(cryptogram), self.cryptogram_hash)


class Authentication(models.Model):
    """3-D Secure on the gateway's page for one pending authorization."""

    record = models.OneToOneField(
        "TransactionRecord", on_delete=models.CASCADE, related_name="authentication"
    )
    token = models.CharField(max_length=32, unique=True, default=new_page_token)
    redirect_details = models.JSONField()
    """The ``redirectDetails`` in wire form."""
    expires_at = models.DateTimeField(db_index=True)
    decided_outcome = models.CharField(max_length=9, choices=AuthenticationOutcome.choices, blank=True)
    """Empty until the customer leaves the page with one of its buttons."""

    class Meta:
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"3-D Secure of {self.record}"

    def get_absolute_url(self) -> str:
        """Return the path of the page that the customer sees."""
        return reverse("three_d_secure", kwargs={"token": self.token})
