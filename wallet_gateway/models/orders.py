"""Orders, what a shop notes on them, their payments, one for each attempt to pay, and earlier deposits.

`PaymentOrder` is what the shop wants paid: its content never changes, its state follows its payments.
`Payment` owns the original reference and the counters of its money. The CHECK constraints limit what we
reserve, never what the gateway reports: a fact must always be storable. Counters change by conditional UPDATE
on this row, which is the lock on every supported database.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.orders import MAX_METADATA_KEY_LENGTH, MAX_METADATA_VALUE_LENGTH
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    PAYABLE_STATES,
    LatePayment,
    OrderState,
    PaymentState,
    PaymentTotals,
    PaymentType,
    Reversal,
    TransactionState,
)
from wallet_gateway.models.fields import (
    VISIBLE_ASCII,
    ByteExactField,
    CurrencyField,
    ExponentField,
    WithAmount,
    account_column,
    choices_of,
)
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from wallet_gateway.models.transactions import GatewayTransaction

ERASED = "erased"
"""The mark in the content of an order whose personal data were erased."""


def new_token() -> str:
    """Return 128 random bits, URL-safe: the token in the addresses of an order's pages, and of a batch."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPayments:
    """All payments of an order, as read at one version of it."""

    version: int
    payments: Sequence[Payment]


class PaymentOrder(WithAmount):
    """What the shop wants paid: an amount, a cart, a customer, under the shop's own reference."""

    reference = ByteExactField(_("reference"), max_length=64, validators=[VISIBLE_ASCII])
    """The shop's own name for its order, unique in its numbering and at its gateway; in every signal."""
    token = ByteExactField(max_length=32, default=new_token, editable=False)
    """128 random bits; identifies the order in URLs."""
    gateway = models.CharField(_("gateway"), max_length=32, default="default")
    """Alias of the gateway in the settings."""
    numbering = models.CharField(max_length=32, blank=True, default="")
    """The numbering of the gateway when the order was stored; empty for the one that most gateways share."""
    type = models.CharField(_("type"), max_length=16, choices=choices_of(PaymentType))
    order_number = models.CharField(_("order number"), max_length=127, blank=True)
    """The order number that the customer knows."""
    language = models.CharField(_("language"), max_length=35, blank=True)
    content = models.JSONField(default=dict)
    """The checkout request in wire format, less the parts that differ between attempts. Has personal data."""
    content_hash = models.CharField(max_length=64)
    """SHA-256 of the content: a repeated call for the same reference must have the same content."""
    email_hash = ByteExactField(max_length=64, null=True, blank=True)
    """Keyed hash of the cardholder's e-mail address, by which the order is found. Personal data."""
    recipient_email_hash = ByteExactField(max_length=64, null=True, blank=True)
    """The same of the address to which the goods are sent."""
    continue_url = models.CharField(max_length=500, blank=True)
    """Where the link on the result page leads."""
    redirect_when_paid = models.BooleanField(default=False)
    """Whether a customer who has paid is sent to `continue_url` in place of our page that says so."""
    state = models.CharField(
        _("state"), max_length=16, choices=choices_of(OrderState), default=OrderState.OPEN
    )
    version = models.PositiveBigIntegerField(default=0)
    """Incremented by each change of its money; a writer that saw an older version starts again."""
    wallet_closed_at = models.DateTimeField(null=True, blank=True)
    """Since when the order has no wallet button, because a limit was reached; None while it may have one."""
    wallet_limit = models.CharField(max_length=16, blank=True, choices=choices_of(WalletLimit))
    """The limit that was reached; empty while none is."""
    payable_until = models.DateTimeField(_("payable until"), null=True, blank=True)
    """When the time to pay it is over; None without an end. It never changes."""
    cancelled_at = models.DateTimeField(_("cancelled at"), null=True, blank=True)
    """Since when it takes no new payment; it stays when a late payment is accepted."""
    cancelled_by = models.CharField(_("cancelled by"), max_length=150, blank=True)
    """Who cancelled it; empty if the time to pay it was over."""
    cancelled_by_account = account_column()
    cancellation_note = models.CharField(max_length=500, blank=True)
    released_at = models.DateTimeField(_("released at"), null=True, blank=True)
    """Since when nothing that was begun for the cancelled order can pay it any more."""
    release_check_at = models.DateTimeField(null=True, blank=True)
    """When the sweep looks whether the order's time is over, and whether it can be released."""
    late_payment = models.CharField(max_length=8, default=LatePayment.NONE, blank=True)
    """What was decided about a payment that came after the cancellation, one of `LatePayment`."""
    created_at = models.DateTimeField(_("created at"))
    updated_at = models.DateTimeField(_("updated at"))

    known_payments: KnownPayments | None = None
    """All payments, if they were read together with the order."""

    class Meta:
        verbose_name = _("payment order")
        verbose_name_plural = _("payment orders")
        ordering = ("-id",)
        default_permissions = ("view",)
        permissions = [
            ("view_customer", "Can see who the customer of an order is, and their addresses"),
            ("cancel_order", "Can cancel orders that are not paid"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(amount_minor__gt=0), name="wallet_order_amount_positive"),
            models.UniqueConstraint(fields=["token"], name="wallet_order_token_once"),
            models.UniqueConstraint(fields=["reference", "numbering"], name="wallet_order_reference_once"),
            # Its classes, which only PostgreSQL has, serve searches by the beginning of a reference.
            models.UniqueConstraint(
                fields=["reference", "gateway"],
                name="wallet_order_reference_of_gateway",
                opclasses=["varchar_pattern_ops", "varchar_ops"],
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-id"], name="wallet_order_state"),
            # A customer names it on the telephone.
            models.Index(fields=["order_number"], name="wallet_order_number"),
            models.Index(fields=["email_hash"], name="wallet_order_email"),
            models.Index(fields=["recipient_email_hash"], name="wallet_order_recipient"),
            # The list of orders, filtered by day.
            models.Index(fields=["created_at"], name="wallet_order_created"),
            models.Index(fields=["wallet_closed_at"], name="wallet_order_button_closed"),
            # The queue of the sweep: few orders have an end.
            models.Index(fields=["release_check_at"], name="wallet_order_release_check"),
        ]

    def __str__(self) -> str:
        return str(self.reference)

    # Properties

    @property
    def metadata(self) -> dict[str, str]:
        """What the shop has noted on the order for itself; one SQL statement, none if it was prefetched."""
        return {entry.key: entry.value for entry in self.metadata_entries.all()}

    @property
    def log_fields(self) -> dict[str, str]:
        """Return what a log line about it carries as `extra`: its reference and gateway."""
        return {"reference": self.reference, "gateway": self.gateway}

    @property
    def cart(self) -> dict[str, Any] | None:
        """The shopping cart in wire format, or None for an order created with an amount only."""
        cart: dict[str, Any] | None = self.content.get("shoppingCartDetails")
        return cart

    @property
    def cart_extras(self) -> Iterator[tuple[str, str]]:
        """Name and wire amount of shipping and of each discount; the name may be empty.

        The amount of a discount has a minus sign. They stand beside the lines of the cart (`itemDetails`).
        """
        cart = self.cart or {}
        shipping = cart.get("shippingDetails") or {}
        if amount := shipping.get("shippingAmount"):
            yield shipping.get("shippingName") or "", str(amount)
        for discount in cart.get("discountDetails") or ():
            if amount := discount.get("discountAmount"):
                yield discount.get("discountName") or "", f"-{amount}"

    @staticmethod
    def hash_of(gateway: str, content: str) -> str:
        """Return the hash of an order's gateway and of its content, as canonical JSON."""
        return hashlib.sha256(f"{gateway}\n{content}".encode()).hexdigest()

    @property
    def is_erased(self) -> bool:
        """Whether the customer's data were erased."""
        return bool(self.content.get(ERASED))

    @property
    def is_test(self) -> bool | None:
        """Whether each of its payments is a test; None without a payment. One SQL statement."""
        modes = [payment.is_test for payment in self.payments.all()]
        return all(modes) if modes else None

    @property
    def is_paid(self) -> bool:
        """Whether the whole amount is captured and not returned.

        An overpaid order may hold only authorizations, so its payments are summed.
        """
        if self.state != OrderState.OVERPAID:
            return self.state == OrderState.PAID
        return (
            sum(payment.captured - payment.refunded for payment in self.payments.all()) >= self.amount_minor
        )

    def is_payable_at(self, now: datetime) -> bool:
        """Return whether a customer may start another attempt to pay at this instant."""
        return self.state in PAYABLE_STATES and not self.is_time_over(now)

    def is_time_over(self, now: datetime) -> bool:
        """Return whether `payable_until` has been reached."""
        return self.payable_until is not None and self.payable_until <= now

    @property
    def is_payable(self) -> bool:
        """Whether a customer may start another attempt to pay now."""
        return self.is_payable_at(timezone.now())

    @property
    def is_cancelled(self) -> bool:
        """Whether it takes no new payment; what was begun before may still pay it until it is released."""
        return self.cancelled_at is not None

    @property
    def is_released(self) -> bool:
        """Whether nothing that was begun for the cancelled order can pay it: its goods are free."""
        return self.released_at is not None

    @property
    def has_end(self) -> bool:
        """Whether the sweep has to release it at some time, if it is not paid."""
        return self.payable_until is not None or self.cancelled_at is not None

    @property
    def is_wallet_closed(self) -> bool:
        """Whether a limit has closed the wallet button; the payment page can still be used."""
        return self.wallet_closed_at is not None

    @property
    def is_final(self) -> bool:
        """Whether no further automatic change is expected."""
        if self.state == OrderState.CANCELLED:
            return self.is_released
        return self.state not in {OrderState.OPEN, OrderState.PENDING}


class OrderMetadata(models.Model):
    """One entry of an order's metadata: a text that the shop has noted for itself, under a name."""

    order = models.ForeignKey(
        PaymentOrder, on_delete=models.CASCADE, related_name="metadata_entries", db_index=False
    )
    key = ByteExactField(max_length=MAX_METADATA_KEY_LENGTH)
    value = ByteExactField(max_length=MAX_METADATA_VALUE_LENGTH, blank=True)

    class Meta:
        ordering = ("id",)
        default_permissions = ()
        constraints = [
            # Its index begins with the order.
            models.UniqueConstraint(fields=["order", "key"], name="wallet_metadata_key_once"),
        ]
        # The number under which the shop knows the order elsewhere.
        indexes = [models.Index(fields=["value"], name="wallet_metadata_value")]

    def __str__(self) -> str:
        return str(self.key)


# Payments


class Payment(WithAmount):
    """One attempt to pay an order, with the amounts authorized, captured and refunded."""

    # No index of its own: the constraint on `number` is an index that begins with the order.
    order = models.ForeignKey(PaymentOrder, on_delete=models.PROTECT, related_name="payments", db_index=False)
    number = models.IntegerField()
    """The attempt's number within its order, from 1."""
    reference = ByteExactField(max_length=64)
    """The clientSystemTransactionId that opened the payment; follow-ups send it as their original."""
    type = models.CharField(max_length=16, choices=choices_of(PaymentType))
    authorized = models.BigIntegerField(default=0)
    captured = models.BigIntegerField(default=0)
    refunded = models.BigIntegerField(default=0)
    capture_reserved = models.BigIntegerField(default=0)
    refund_reserved = models.BigIntegerField(default=0)
    reversal = models.CharField(max_length=8, default=Reversal.NONE)
    """One of `Reversal`."""
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

    @cached_property
    def opening(self) -> GatewayTransaction:
        """The transaction that opened this payment: its checkout, or its authorization."""
        return self.transactions.get(reference=self.reference, kind__in=OPENING_KINDS)

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


# A payment made through an earlier provider, which detached refunds may return


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
