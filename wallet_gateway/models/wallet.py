"""What the wallet button needs besides an attempt's own rows: keys of the gateway, and the browser's side.

Keys are columns of ciphertext; who holds the Fernet keys reads them, and no page and no `repr` shows them.
"""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField
from wallet_gateway.models.transactions import GatewayTransaction

MOST_RESULTS = 5
"""Results that one reference may bring: more is no customer."""


MOST_EVENTS = 20
"""Events of one attempt that are kept."""


class WalletEvent(StrEnum):
    """What a customer's browser may report."""

    READY = "READY"
    """The button could be pressed."""
    UNAVAILABLE = "UNAVAILABLE"
    """The browser has no wallet for this order, and so no button."""
    RESULT = "RESULT"
    """The wallet handed a card over."""
    ERROR = "ERROR"
    CLOSED = "CLOSED"
    """The customer closed the sheet."""


class WalletKey(models.Model):
    """One pair of keys from a gateway's key service, shared by all processes until it is renewed."""

    gateway = models.CharField(max_length=32)
    api_key = models.BinaryField()
    """Ciphertext of what the browser and our own calls authenticate with."""
    encryption_key = models.BinaryField()
    """Ciphertext of what names the key pair when payment accounts are asked for."""
    fetched_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    renewing_until = models.DateTimeField(null=True, blank=True)
    """Until when one process is at renewing it, so that the others do not."""

    class Meta:
        verbose_name = _("wallet key")
        verbose_name_plural = _("wallet keys")
        ordering = ("-id",)
        indexes = [models.Index(fields=["gateway", "-id"], name="wallet_key_latest")]

    def __str__(self) -> str:
        return f"key of {self.gateway}"


class WalletAttempt(models.Model):
    """The browser's side of one authorization: whose button it was, its price, what the wallet gave."""

    transaction = models.OneToOneField(GatewayTransaction, on_delete=models.PROTECT, related_name="wallet")
    key = models.ForeignKey(WalletKey, on_delete=models.PROTECT, related_name="attempts")
    """The keys that the page was rendered with: a later pair knows nothing of its account."""
    gateway = models.CharField(max_length=32)
    session_hash = models.CharField(max_length=64)
    """SHA-256 of the session that the button was shown in: nobody else may bring its result."""
    account_id = ByteExactField(max_length=255, null=True, blank=True)
    """The transactionAccountId, hashed where it looks like a card's secret; one account pays one attempt."""
    results_count = models.PositiveSmallIntegerField(default=0)
    price = models.JSONField(default=dict)
    """What the customer was last shown: total in minor units, lines, options, and the choices behind them."""
    given = models.JSONField(default=dict)
    """What the wallet gave of the customer: e-mail and addresses. Personal data."""
    events = models.JSONField(default=list)
    """What the browser reported, in order, without secrets."""

    class Meta:
        verbose_name = _("wallet attempt")
        verbose_name_plural = _("wallet attempts")
        ordering = ("-id",)
        constraints = [
            # NULLs are distinct on every database.
            models.UniqueConstraint(fields=["gateway", "account_id"], name="wallet_attempt_account_once"),
            models.CheckConstraint(
                condition=models.Q(results_count__lte=MOST_RESULTS), name="wallet_attempt_results"
            ),
        ]

    def __str__(self) -> str:
        return f"button of {self.transaction_id}"
