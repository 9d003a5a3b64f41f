"""Wallet button data besides the attempt's own rows: keys of the gateway, and the browser's side.

Keys are stored as ciphertext; the Fernet keys decrypt them, and no page and no `repr` shows them.
"""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.transactions import GatewayTransaction

MOST_RESULTS = 5
"""Maximum number of results for one reference: no customer sends more."""


MOST_EVENTS = 20
"""Maximum number of stored events of one attempt."""


class WalletEvent(StrEnum):
    """The events that a customer's browser can report."""

    READY = "READY"
    """The button could be pressed."""
    UNAVAILABLE = "UNAVAILABLE"
    """The browser has no wallet for this order, so there is no button."""
    RESULT = "RESULT"
    """The wallet returned a card."""
    ERROR = "ERROR"
    """The wallet or its script failed; the message says how."""
    CLOSED = "CLOSED"
    """The customer closed the sheet."""


class WalletKey(models.Model):
    """One key pair from a gateway's key service, shared by all processes until it is renewed."""

    gateway = models.CharField(max_length=32)
    account = models.CharField(max_length=64)
    """SHA-256 of the merchant account and of the address that it was asked for; it opens no other account."""
    api_key = models.BinaryField()
    """Ciphertext of the key that authenticates the browser's calls and ours."""
    encryption_key = models.BinaryField()
    """Ciphertext of the value that names the key pair in requests for payment accounts."""
    fetched_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    renewing_until = models.DateTimeField(null=True, blank=True)
    """Until when one process is renewing the keys or trying them out, so that the others do not."""
    refused_at = models.DateTimeField(null=True, blank=True)
    """When the gateway answered 401 to it: no new attempt gets it; those that have it keep it."""

    class Meta:
        verbose_name = _("wallet key")
        verbose_name_plural = _("wallet keys")
        ordering = ("-id",)
        indexes = [models.Index(fields=["gateway", "account", "-id"], name="wallet_key_latest")]

    def __str__(self) -> str:
        return f"key of {self.gateway}"


class WalletAttempt(models.Model):
    """The browser's side of one authorization: its session, its price, and the data from the wallet."""

    transaction = models.OneToOneField(GatewayTransaction, on_delete=models.PROTECT, related_name="wallet")
    key = models.ForeignKey(WalletKey, on_delete=models.PROTECT, related_name="attempts")
    """The keys that the page was rendered with: a later pair does not know its account."""
    gateway = models.CharField(max_length=32)
    session_hash = models.CharField(max_length=64)
    """SHA-256 of the session in which the button was shown: no other session may send its result."""
    account_id = ByteExactField(max_length=255, null=True, blank=True)
    """The transactionAccountId, hashed where it looks like a card's secret; one account pays one attempt."""
    results_count = models.PositiveSmallIntegerField(default=0)
    price = models.JSONField(default=dict)
    """The last price shown to the customer: number, total in minor units, lines, options, and choices."""
    given = models.JSONField(default=dict)
    """The customer's e-mail and addresses from the wallet. Personal data."""
    email_hash = ByteExactField(max_length=64, null=True, blank=True)
    """Keyed hash of the e-mail address from the wallet, by which its order is found. Personal data."""
    events = models.JSONField(default=list)
    """The events that the browser reported, in order, without secrets."""

    class Meta:
        verbose_name = _("wallet attempt")
        verbose_name_plural = _("wallet attempts")
        ordering = ("-id",)
        indexes = [models.Index(fields=["email_hash"], name="wallet_attempt_email")]
        constraints = [
            # NULLs are distinct on every database.
            models.UniqueConstraint(fields=["gateway", "account_id"], name="wallet_attempt_account_once"),
            models.CheckConstraint(
                condition=models.Q(results_count__lte=MOST_RESULTS), name="wallet_attempt_results"
            ),
        ]

    def __str__(self) -> str:
        return f"button of {self.transaction_id}"


# How often a button was used


MOST_ORDER_EVENTS = 200
"""Maximum number of browsers' reports that are stored for one order, all its attempts together."""


class WalletUsage(models.Model):
    """The counters of one order's wallet button, written with its first button.

    A row of its own, so that counting never waits for a change of the order, nor that for a count. The
    authorizations are not here: each is a row, and a claim to send one is bound to the order's version.
    """

    order = models.OneToOneField(PaymentOrder, on_delete=models.PROTECT, related_name="wallet_usage")
    sessions = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    prices = models.PositiveIntegerField(default=0)
    discount_codes = models.PositiveIntegerField(default=0)
    results = models.PositiveIntegerField(default=0)
    events = models.PositiveIntegerField(default=0)
    """Reports stored for the timeline; they have a maximum, which closes nothing."""
    codes_tried = models.JSONField(default=list)
    """A hash of each discount code that was tried, so that a repeated one is counted once."""
    raised = models.PositiveIntegerField(default=0)
    """How often a person has raised the limits: each time adds every limit once more in full."""

    class Meta:
        verbose_name = _("wallet usage")
        verbose_name_plural = _("wallet usages")
        ordering = ("-id",)
        default_permissions = ()
        permissions = [("raise_wallet_limits", "Can raise the limits of an order's wallet button")]

    def __str__(self) -> str:
        return f"usage of {self.order_id}"
