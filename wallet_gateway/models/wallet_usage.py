"""WalletUsage: how often the wallet button of one order was used. Counted by conditional UPDATE only."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from wallet_gateway.models.orders import PaymentOrder

MOST_ORDER_EVENTS = 200
"""Maximum number of browsers' reports that are stored for one order, all its attempts together."""


class WalletUsage(models.Model):
    """The counters of one order's wallet button, written with its first button.

    A row of its own, so that counting never waits for a settlement, and settling never for a count. The
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
