"""Payment: one attempt to pay an order. Owns the original reference and the counters of its money.

The CHECK constraints limit what we reserve, never what the gateway reports: a fact must always be storable.
Counters change by conditional UPDATE on this row, which is the lock on every supported database.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.states import (
    OPENING_KINDS,
    PaymentState,
    PaymentTotals,
    PaymentType,
    Reversal,
    TransactionState,
)
from wallet_gateway.models.fields import ByteExactField, CurrencyField, ExponentField, choices_of
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from wallet_gateway.models.transactions import GatewayTransaction


class Payment(models.Model):
    """One attempt to pay an order, with the amounts authorized, captured and refunded."""

    # No index of its own: the constraint on `number` is an index that begins with the order.
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="payments", db_index=False)
    number = models.IntegerField()
    """The attempt's number within its order, from 1."""
    reference = ByteExactField(max_length=64)
    """The clientSystemTransactionId that opened the payment; follow-ups send it as their original."""
    type = models.CharField(max_length=16, choices=choices_of(PaymentType))
    currency = CurrencyField(max_length=3)
    exponent = ExponentField()
    amount_minor = models.BigIntegerField()
    authorized = models.BigIntegerField(default=0)
    captured = models.BigIntegerField(default=0)
    refunded = models.BigIntegerField(default=0)
    capture_reserved = models.BigIntegerField(default=0)
    refund_reserved = models.BigIntegerField(default=0)
    reversal = models.CharField(max_length=8, choices=choices_of(Reversal), default=Reversal.NONE)
    card_type = models.CharField(max_length=8, blank=True)
    """`Card` or `Token` if paid by wallet, as in the gateway's payment account."""
    card_network = models.CharField(max_length=16, blank=True)
    card_last_four = models.CharField(max_length=4, blank=True)
    is_frozen = models.BooleanField(default=False)
    """Evidence contradicts our records: no operation until a person has decided."""
    is_test = models.BooleanField(null=True, blank=True)
    """Whether the account had the profile `test` when the attempt was made; None, unknown, counts as live."""
    state = models.CharField(max_length=16, choices=choices_of(PaymentState), default=PaymentState.OPEN)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        ordering = ("-id",)
        default_permissions = ()
        permissions = [
            ("capture_payment", "Can capture payments"),
            ("refund_payment", "Can refund payments"),
            ("reverse_payment", "Can reverse authorizations"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["order", "number"], name="wallet_payment_number"),
            models.UniqueConstraint(fields=["reference"], name="wallet_payment_reference_once"),
            # With the next two, `captured` and `authorized` are not negative either.
            models.CheckConstraint(
                condition=Q(refunded__gte=0, refund_reserved__gte=0, capture_reserved__gte=0),
                name="wallet_payment_counters",
            ),
            models.CheckConstraint(
                condition=Q(authorized__gte=F("captured") + F("capture_reserved")),
                name="wallet_payment_captures_covered",
            ),
            models.CheckConstraint(
                condition=Q(captured__gte=F("refunded") + F("refund_reserved")),
                name="wallet_payment_refunds_covered",
            ),
            models.CheckConstraint(
                condition=Q(reversal="none") | Q(captured=0, capture_reserved=0),
                name="wallet_payment_reversal_alone",
            ),
        ]

        indexes = [
            # Reserved amounts that wait for capture, oldest first.
            models.Index(fields=["state", "created_at"], name="wallet_payment_state"),
            models.Index(fields=["is_test"], name="wallet_payment_test"),
        ]

    def __str__(self) -> str:
        return str(self.reference)

    # Queries

    @property
    def opening(self) -> GatewayTransaction:
        """The transaction that opened this payment: its checkout, or its authorization."""
        if not hasattr(self, "_opening"):
            self._opening = self.transactions.get(reference=self.reference, kind__in=OPENING_KINDS)
        return self._opening

    @opening.setter
    def opening(self, transaction: GatewayTransaction) -> None:
        self._opening = transaction

    # Properties

    @property
    def amount(self) -> Money:
        """The amount of this attempt."""
        return Money.from_minor_units(self.amount_minor, self.currency)

    @property
    def redirect_url(self) -> str:
        """The hosted page of this attempt; empty without one."""
        return self.opening.redirect_url

    @property
    def expires_at(self) -> datetime | None:
        """When the hosted page ends."""
        return self.opening.expires_at

    @property
    def totals(self) -> PaymentTotals:
        """The counters as a value."""
        return PaymentTotals(
            amount=self.amount_minor,
            authorized=self.authorized,
            captured=self.captured,
            refunded=self.refunded,
            capture_reserved=self.capture_reserved,
            refund_reserved=self.refund_reserved,
            reversal=Reversal(self.reversal),
            is_frozen=self.is_frozen,
        )

    @property
    def awaits_outcome(self) -> bool:
        """Whether a capture, refund or reversal of it has no outcome yet, so that no other may begin."""
        holds = self.capture_reserved or self.refund_reserved or self.reversal == Reversal.RESERVED
        return bool(holds) and self.transactions.filter(outstanding_key__isnull=False).exists()

    @property
    def is_open(self) -> bool:
        """Whether the customer can still decide on the hosted page of this attempt."""
        return self.opening.state == TransactionState.OPEN
