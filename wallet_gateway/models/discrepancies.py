"""Discrepancy: our records differ from the gateway's; a task for a person, never corrected automatically."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.models.actors import account_column
from wallet_gateway.models.explanations import Explained
from wallet_gateway.models.fields import ByteExactField, choices_of
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transactions import GatewayTransaction


class Discrepancy(Explained):
    """One difference, with its subject and its resolution."""

    kind = models.CharField(_("kind"), max_length=24, choices=choices_of(DiscrepancyKind))
    gateway = models.CharField(max_length=32)
    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="discrepancies", null=True, blank=True
    )
    deposit = models.ForeignKey(
        MigratedDeposit, on_delete=models.PROTECT, related_name="discrepancies", null=True, blank=True
    )
    transaction = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="discrepancies", null=True, blank=True
    )
    fingerprint = ByteExactField(max_length=200, unique=True)
    """Identifies the difference, so that the same difference seen again is the same row."""
    is_freezing = models.BooleanField(default=False)
    """Whether the payment or deposit may not be used until this is closed."""
    found_at = models.DateTimeField(_("found at"))
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    closed_by_account = account_column()
    reason = models.CharField(max_length=500, blank=True)
    booked_as = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    """The transaction that this operation, made elsewhere, was booked as; then it is closed."""

    class Meta:
        verbose_name = _("difference")
        verbose_name_plural = _("differences")
        ordering = ("-id",)
        default_permissions = ("view",)
        indexes = [models.Index(fields=["closed_at", "-id"], name="wallet_discrepancy_open")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.explanation}"
