"""MigratedDeposit: a payment made through an earlier provider, which detached refunds may return."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.fields import ByteExactField, CurrencyField, ExponentField
from wallet_gateway.protocol.money import Money

_BY_BYTES = ["varchar_pattern_ops"] * 2
"""On PostgreSQL: an index that also supports searches by prefix."""


class MigratedDeposit(models.Model):
    """One earlier payment, identified by the reference from the migration.

    `is_known` means that its amount came with a migration file. For an unknown one, only the gateway knows
    the limit; its row exists for locking and for totals.
    """

    gateway = models.CharField(max_length=32)
    parent_transaction_id = ByteExactField(_("parent transaction id"), max_length=128)
    currency = CurrencyField(max_length=3)
    exponent = ExponentField()
    is_known = models.BooleanField(default=False)
    amount_minor = models.BigIntegerField(null=True, blank=True)
    refunded_before = models.BigIntegerField(default=0)
    """Refunded by the earlier provider, in minor units."""
    refunded = models.BigIntegerField(default=0)
    refund_reserved = models.BigIntegerField(default=0)
    is_frozen = models.BooleanField(default=False)
    is_test = models.BooleanField(null=True, blank=True)
    """Whether the account had the profile `test` when it was first refunded; None before."""
    transacted_at = models.DateTimeField(null=True, blank=True)
    transacted_at_text = models.CharField(max_length=40, blank=True)
    provider_transaction_id = ByteExactField(_("former provider's reference"), max_length=128, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("migrated deposit")
        verbose_name_plural = _("migrated deposits")
        ordering = ("-id",)
        default_permissions = ("view",)
        permissions = [("detached_refund", "Can refund payments of an earlier provider")]
        indexes = [
            models.Index(
                fields=["gateway", "provider_transaction_id"],
                name="wallet_deposit_former",
                opclasses=_BY_BYTES,
            ),
            models.Index(fields=["is_test"], name="wallet_deposit_test"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["gateway", "parent_transaction_id"], name="wallet_deposit_once", opclasses=_BY_BYTES
            ),
            models.CheckConstraint(
                condition=Q(refunded__gte=0, refund_reserved__gte=0, refunded_before__gte=0),
                name="wallet_deposit_counters",
            ),
            models.CheckConstraint(
                condition=Q(is_known=False)
                | Q(amount_minor__gte=F("refunded_before") + F("refunded") + F("refund_reserved")),
                name="wallet_deposit_refunds_covered",
            ),
        ]

    def __str__(self) -> str:
        return str(self.parent_transaction_id)

    # Properties

    @property
    def refundable(self) -> Money | None:
        """The amount that can still be refunded, or None when only the gateway knows."""
        if self.amount_minor is None:
            return None
        left = self.amount_minor - self.refunded_before - self.refunded - self.refund_reserved
        return Money.from_minor_units(left, self.currency)

    @property
    def awaits_outcome(self) -> bool:
        """Whether a refund of it has no outcome yet, so that no other may begin."""
        return self.refund_reserved > 0 and self.transactions.filter(outstanding_key__isnull=False).exists()
