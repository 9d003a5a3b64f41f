"""Approval: one person's request for an operation that needs a second person, and that person's decision.

It reserves nothing and sends nothing. Its amount is reserved under the lock, in the database transaction in
which the second person agrees, so a waiting request blocks nothing and a late one does nothing.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.reason_codes import ReasonCode
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.domain.stored_values import StoredEnum
from wallet_gateway.models.actors import account_column
from wallet_gateway.models.fields import ByteExactField, CurrencyField, ExponentField, choices_of
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.protocol.cart import ShoppingCart
from wallet_gateway.protocol.money import Money


class ApprovalState(StoredEnum):
    """The result of a request for a second person."""

    WAITING = "WAITING"
    AGREED = "AGREED"
    """A second person agreed, and the operation was started in the same transaction."""
    DECLINED = "DECLINED"
    WITHDRAWN = "WITHDRAWN"
    """The person who made the request withdrew it."""
    EXPIRED = "EXPIRED"
    """No second person decided in time."""


class Approval(models.Model):
    """A request that waits, or waited, for a second person. Only that person's decision changes it."""

    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, related_name="approvals", null=True, blank=True
    )
    deposit = models.ForeignKey(
        MigratedDeposit, on_delete=models.PROTECT, related_name="approvals", null=True, blank=True
    )
    gateway = models.CharField(_("gateway"), max_length=32)
    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(TransactionKind))
    subject = models.ForeignKey(
        GatewayTransaction, on_delete=models.PROTECT, related_name="approvals", null=True, blank=True
    )
    """The transaction to decide on; None if a new one is to be created."""
    decision = models.CharField(max_length=16, blank=True)
    """The decision about `subject`."""
    currency = CurrencyField(_("currency"), max_length=3)
    exponent = ExponentField()
    amount_minor = models.BigIntegerField(_("amount in minor units"))
    order_number = models.CharField(max_length=127, blank=True)
    """The order number that a detached refund sends to the provider."""
    cart = models.JSONField(null=True, blank=True)
    """The lines that the operation sends, in wire format, while the request waits; None without lines."""
    idempotency_key = ByteExactField(max_length=64, unique=True)
    """The idempotency key of the resulting transaction: two agreements still make one operation."""
    outstanding_key = ByteExactField(max_length=40, null=True, blank=True, unique=True)
    """Set while the request waits: at most one request for each payment, deposit or transaction."""
    created_by = models.CharField(_("author"), max_length=150, blank=True)
    created_by_account = account_column()
    reason_code = models.CharField(
        _("reason"), max_length=16, choices=choices_of(ReasonCode), blank=True, default=""
    )
    comment = models.CharField(_("note"), max_length=500, blank=True)
    state = models.CharField(
        _("state"), max_length=16, choices=choices_of(ApprovalState), default=ApprovalState.WAITING
    )
    created_at = models.DateTimeField(_("created at"))
    expires_at = models.DateTimeField(_("waits until"))
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decided_by = models.CharField(_("second person"), max_length=150, blank=True)
    decided_by_account = account_column()
    reason = models.CharField(_("what the second person said"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")
        ordering = ("-id",)
        default_permissions = ("view",)
        permissions = [("approve_operation", "Can agree to what another person has asked for")]
        constraints = [
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="wallet_approval_amount_positive"),
            models.CheckConstraint(
                condition=Q(payment__isnull=False, deposit__isnull=True)
                | Q(payment__isnull=True, deposit__isnull=False),
                name="wallet_approval_has_one_parent",
            ),
            # The last safeguard, after all checks in the code.
            models.CheckConstraint(
                condition=~Q(state="AGREED")
                | (
                    ~Q(decided_by="")
                    & ~Q(decided_by_account="")
                    & ~Q(decided_by=F("created_by"))
                    & ~Q(decided_by_account=F("created_by_account"))
                ),
                name="wallet_approval_second_person",
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"], name="wallet_approval_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    # Properties

    @property
    def amount(self) -> Money:
        """The amount requested, or that of the transaction decided on."""
        return Money.from_minor_units(self.amount_minor, self.currency)

    @property
    def shopping_cart(self) -> ShoppingCart | None:
        """The lines that the operation sends; None without lines, and once the request has ended."""
        return ShoppingCart.from_canonical(self.cart) if self.cart else None

    @property
    def parent(self) -> Payment | MigratedDeposit:
        """The payment or deposit that the request concerns."""
        parent = self.payment or self.deposit
        assert parent is not None  # noqa: S101 - the database holds no row without one
        return parent

    def is_waiting(self, now: datetime) -> bool:
        """Whether a second person may still decide."""
        return self.state == ApprovalState.WAITING and now < self.expires_at
