"""One operation at the gateway, committed before its first byte leaves, and what was sent and heard of it.

Beside it, what its wallet button needs.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NoReturn

from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from wallet_gateway.domain.discrepancies import DiscrepancyKind, ExplanationCode
from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.domain.evidence import LONGEST_RECORD_ID
from wallet_gateway.domain.polling_schedule import PollState, QueryPriority
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    PaymentState,
    PaymentType,
    Reversal,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
)
from wallet_gateway.models.fields import (
    ByteExactField,
    Explained,
    Requested,
    WithAmount,
    account_column,
    choices_of,
    optional_key,
)
from wallet_gateway.models.orders import MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.protocol.faults import RefundLimit
from wallet_gateway.protocol.money import Money


class GatewayTransaction(Explained, WithAmount, Requested):
    """One request to the gateway, with one reference that is never used again."""

    payment = optional_key(Payment, "transactions")
    # Its index is below: nearly no transaction has a deposit.
    deposit = optional_key(MigratedDeposit, "transactions", db_index=False)
    """The earlier provider's payment that a detached refund returns."""
    gateway = models.CharField(max_length=32)
    kind = models.CharField(_("kind"), max_length=16, choices=choices_of(TransactionKind))
    reference = ByteExactField(_("reference"), max_length=64)
    """The clientSystemTransactionId; of an operation made elsewhere our own, which is never sent."""
    origin = models.CharField(
        _("origin"), max_length=9, choices=choices_of(TransactionOrigin), default=TransactionOrigin.SHOP
    )
    payment_type = models.CharField(max_length=16, choices=choices_of(PaymentType), blank=True)
    """The type of the payment it opens, which never changes; empty for follow-ups and detached refunds.

    Totals over many rows use it to separate sales from reservations: a join would read all the payments.
    """
    approved_minor = models.BigIntegerField(null=True, blank=True)
    """The approved amount; for a detached refund it may be less than requested."""
    excess_minor = models.BigIntegerField(default=0)
    """The part of the approved amount above the limits of its parent; no counter contains it."""
    state = models.CharField(_("state"), max_length=16, choices=choices_of(TransactionState))
    state_changed_at = models.DateTimeField()
    # Numbers that only count up are no `Positive…Field`: PostgreSQL reads the CHECK of each with every write.
    attempt_no = models.IntegerField(default=0)
    """Counts the claims to send; a sender may only finish with its own number."""
    leased_until = models.DateTimeField(null=True, blank=True)
    holds_reservation = models.BooleanField(default=False)
    """Whether its amount is included in the reserved counter of its payment or deposit."""
    outstanding_key = ByteExactField(max_length=40, null=True, blank=True)
    """Set while the outcome is outstanding: at most one such transaction for each payment or deposit."""
    request_body = models.TextField(blank=True)
    """The exact body while it may still be sent; then its redacted copy, unless an event has it."""
    merchant_id = models.CharField(max_length=255, blank=True)
    """The merchant account of the request; empty until there is one."""
    store_id = models.CharField(max_length=255, blank=True)
    body_hash = models.CharField(max_length=64, blank=True)
    """SHA-256 of the exact body."""
    redirect_url = models.TextField(blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    next_query_at = models.DateTimeField(null=True, blank=True)
    """When to query the gateway; the row is the queue."""
    query_priority = models.SmallIntegerField(default=QueryPriority.UNFINISHED)
    """One of `QueryPriority`, written together with `next_query_at`: more urgent queries are sent first."""
    next_send_at = models.DateTimeField(null=True, blank=True)
    """When a worker may send a request that never left; None if this is left to a person."""
    last_queried_at = models.DateTimeField(null=True, blank=True)
    poll_step = models.IntegerField(default=0)
    query_count = models.IntegerField(default=0)
    absent_count = models.IntegerField(default=0)
    """Consecutive answers that ended nothing: empty, or still pending."""
    approved_at = models.DateTimeField(null=True, blank=True)
    """When the approval was first recorded; it stays if the transaction becomes contradictory later."""
    confirmed_at = models.DateTimeField(null=True, blank=True)
    needs_operator = models.BooleanField(default=False)
    decided_by_person = models.BooleanField(default=False)
    record_id = ByteExactField(max_length=LONGEST_RECORD_ID, null=True, blank=True)
    """The id of the gateway's approved record; no other transaction of this kind can have it."""
    reported_id = ByteExactField(max_length=LONGEST_RECORD_ID, blank=True, default="")
    """The id in the answer to our request, or of an approval that a person decides on; it claims nothing."""
    shown_minor = models.BigIntegerField(null=True, blank=True)
    """The amount of an approval as requested that the gateway has shown, whatever contradicts it."""
    undocumented_state = models.CharField(max_length=64, blank=True, default="")
    """The gateway's last word about it, if the interface does not name that word as a state."""
    provider_transaction_id = ByteExactField(max_length=128, blank=True)
    """The provider's id of the transaction, as the gateway's record has it; it decides nothing."""
    provider_state = models.CharField(max_length=64, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    idempotency_key = ByteExactField(max_length=64, null=True, blank=True)
    """The caller's idempotency key: a repeated call returns this transaction."""
    refusal_unseen_since = models.DateTimeField(null=True, blank=True)
    """When an operation was refused or given up after the call that made it had returned.

    None once a person has marked that as seen, and for a refusal that the call itself returned.
    """
    refusal_seen_at = models.DateTimeField(null=True, blank=True)
    refusal_seen_by = models.CharField(max_length=150, blank=True)
    refusal_seen_by_account = account_column()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("gateway transaction")
        verbose_name_plural = _("gateway transactions")
        ordering = ("-id",)
        default_permissions = ("view",)
        permissions = [
            ("resolve_unknown", "Can decide on outcomes, contradictions and differences"),
            ("rotate_keys", "Can rotate the keys of encrypted columns"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_minor__gt=0), name="wallet_transaction_amount_positive"
            ),
            models.CheckConstraint(
                # Only a person books another amount than was requested.
                condition=Q(approved_minor__isnull=True)
                | Q(approved_minor__gt=0, approved_minor__lte=F("amount_minor"))
                | Q(approved_minor__gt=0, decided_by_person=True),
                name="wallet_transaction_approved_within",
            ),
            models.CheckConstraint(
                condition=Q(excess_minor=0) | Q(excess_minor__gt=0, excess_minor__lte=F("approved_minor")),
                name="wallet_transaction_excess_within",
            ),
            models.CheckConstraint(
                condition=Q(payment__isnull=False, deposit__isnull=True)
                | Q(payment__isnull=True, deposit__isnull=False),
                name="wallet_transaction_has_one_parent",
            ),
            # `unique=True` would give PostgreSQL a second index, for searches by prefix, and this table is
            # written more often than any other. An index of this class, which only PostgreSQL has, is both.
            models.UniqueConstraint(
                fields=["reference"],
                name="wallet_transaction_reference_once",
                opclasses=["varchar_pattern_ops"],
            ),
            models.UniqueConstraint(fields=["outstanding_key"], name="wallet_transaction_outstanding_once"),
            models.UniqueConstraint(fields=["idempotency_key"], name="wallet_transaction_idempotency_once"),
            # One gateway record belongs to one transaction.
            models.UniqueConstraint(
                fields=["gateway", "record_id", "kind"], name="wallet_transaction_record_once"
            ),
        ]
        indexes = [
            models.Index(fields=["deposit"], name="wallet_transaction_deposit"),
            # With the priority first, urgent queries are found however many others have fallen behind.
            models.Index(fields=["query_priority", "next_query_at"], name="wallet_transaction_next_query"),
            models.Index(fields=["refusal_unseen_since"], name="wallet_transaction_refusal"),
            # Searches for unsent or currently sent transactions find few rows by state alone.
            models.Index(fields=["state", "state_changed_at"], name="wallet_transaction_state"),
            models.Index(fields=["state", "-id"], name="wallet_transaction_newest"),
            models.Index(fields=["kind", "-id"], name="wallet_transaction_kind"),
            # The number that a customer or the provider's support names.
            models.Index(fields=["provider_transaction_id"], name="wallet_transaction_provider"),
            # The dashboard's counts by day, answered by the index alone.
            models.Index(
                fields=["created_at", "kind", "state", "currency"], name="wallet_transaction_created"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference}"

    @property
    def log_fields(self) -> dict[str, str]:
        """Return what a log line about it carries as `extra`: its reference, gateway and state."""
        return {"reference": self.reference, "gateway": self.gateway, "state": self.state}

    # Properties

    @property
    def approved_amount(self) -> Money | None:
        """The amount approved, or None without an approval."""
        if self.approved_minor is None:
            return None
        return Money.from_minor_units(self.approved_minor, self.currency)

    @property
    def excess(self) -> Money | None:
        """The part of the approved amount above the limits, or None if there is none."""
        return Money.from_minor_units(self.excess_minor, self.currency) if self.excess_minor else None

    @property
    def refund_limit(self) -> RefundLimit | None:
        """The four amounts with which the gateway refused a refund as too high; None for anything else."""
        params, names = self.explanation_params, [amount.name for amount in fields(RefundLimit)]
        if self.explanation_code != ExplanationCode.REFUND_AMOUNT_EXCEEDED or not params.keys() >= {*names}:
            return None
        return RefundLimit(**{name: Decimal(params[name]) for name in names})

    @property
    def is_test(self) -> bool | None:
        """Whether its payment or deposit is a test; None if that is not known, which counts as live."""
        parent = self.payment or self.deposit
        return parent.is_test if parent else None

    @property
    def parent_key(self) -> str:
        """The key of its payment or deposit, stored while its outcome is outstanding."""
        return f"payment:{self.payment_id}" if self.payment_id else f"deposit:{self.deposit_id}"

    @property
    def opened_payment(self) -> Payment:
        """The payment that this transaction opens, with the transaction as its `opening`."""
        assert self.payment is not None  # noqa: S101 - a transaction that opens a payment belongs to it
        self.payment.opening = self
        return self.payment

    @property
    def poll_state(self) -> PollState:
        """The position of this transaction in the schedule of its state."""
        return PollState(
            kind=TransactionKind(self.kind),
            state=TransactionState(self.state),
            since=self.state_changed_at,
            expires_at=self.expires_at,
            step=self.poll_step,
            decided_by_person=self.decided_by_person,
            confirmed=self.confirmed_at is not None,
        )


# What was sent and heard


class TransactionEventKind(StoredEnum):
    """The source of an event."""

    ANSWER = "ANSWER"
    """The direct answer to our request."""
    FAULT = "FAULT"
    """No usable answer, with the error."""
    RECORDS = "RECORDS"
    """The answer to a status query."""
    DECISION = "DECISION"
    """A person's decision, with the reason."""
    APPROVAL = "APPROVAL"
    """A second person agreed to an `approval`. Only that agreement writes it: no text can imitate it."""
    LEASE_ENDED = "LEASE_ENDED"
    """The sender's lease ended without a result."""
    LIMIT_REACHED = "LIMIT_REACHED"
    """A limit closed the wallet button of the transaction's order."""


BY_PEOPLE = frozenset({TransactionEventKind.DECISION, TransactionEventKind.APPROVAL})


class EventsAreAppendOnly(TypeError):
    """An event was about to be changed or deleted."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    """Raise `EventsAreAppendOnly`."""
    raise EventsAreAppendOnly(
        "events are never changed or deleted: add another row that says what is right;"
        " old bodies are erased by retention alone"
    )


class TransactionEventQuerySet(models.QuerySet["TransactionEvent"]):
    """Reads only; rows are added one by one and never changed."""

    update = delete = _refuse


class TransactionEvent(Explained):
    """One thing that was received, or decided, about one transaction."""

    transaction = models.ForeignKey(GatewayTransaction, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=16, choices=choices_of(TransactionEventKind))
    lifecycle_event = models.CharField(max_length=24, blank=True)
    """Its meaning for the transaction (a `LifecycleEvent`); empty when it contained nothing new."""
    state_after = models.CharField(max_length=16)
    discrepancy_kind = models.CharField(max_length=24, blank=True, choices=choices_of(DiscrepancyKind))
    """How it differs from our records; empty if it does not."""
    http_status = models.SmallIntegerField(null=True, blank=True)
    request_body = models.TextField(blank=True)
    answer_body = models.TextField(blank=True)
    elapsed_ms = models.IntegerField(null=True, blank=True)
    created_by = models.CharField(max_length=150, blank=True)
    created_by_account = account_column()
    approval = models.ForeignKey(
        "Approval",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="events",
        db_index=False,
    )
    occurred_at = models.DateTimeField(_("occurred at"))

    objects = TransactionEventQuerySet.as_manager()

    class Meta:
        verbose_name = _("transaction event")
        verbose_name_plural = _("transaction events")
        ordering = ("id",)
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="APPROVAL", approval__isnull=False)
                | (~Q(kind="APPROVAL") & Q(approval__isnull=True)),
                name="wallet_event_approval",
            ),
        ]
        indexes = [
            # Few events are agreements.
            models.Index(fields=["approval"], name="wallet_event_of_approval"),
            # The dashboard's counts by day, answered by the index alone.
            models.Index(
                fields=["occurred_at", "kind", "http_status", "elapsed_ms"], name="wallet_event_occurred"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.lifecycle_event or 'nothing new'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the row; raise `EventsAreAppendOnly` if it is stored already."""
        if not self._state.adding:
            _refuse()
        super().save(*args, **kwargs)

    delete = _refuse


# Authorizations that still hold money


_UNFINISHED = (
    PaymentState.AUTHORIZED,
    PaymentState.PART_CAPTURED,
    PaymentState.PART_REFUNDED,
    PaymentState.FROZEN,
)
"""The states in which a payment may hold money: after a part refund only the amounts tell."""


def holds(of: str = "") -> Q:
    """Return the condition that a payment holds money which lapses; `of` is the path to it, with its `__`.

    The amounts decide. The states are what has an index: without them a database reads the paid payments of
    all years.
    """
    columns = {
        "state__in": _UNFINISHED,
        "type": PaymentType.PREAUTHORIZATION,
        "authorized__gt": F(f"{of}captured"),
        "reversal": Reversal.NONE,
    }
    return Q(**{f"{of}{name}": value for name, value in columns.items()})


def holding() -> QuerySet[GatewayTransaction]:
    """Return the authorizations of every gateway that hold money."""
    return GatewayTransaction.objects.filter(
        holds("payment__"), kind__in=OPENING_KINDS, state=TransactionState.APPROVED
    )


def uncaptured(gateway: str, *, since: datetime) -> QuerySet[GatewayTransaction]:
    """Return a gateway's authorizations of which something may be captured, held since an instant or longer.

    The oldest come first: their time has an index, and is not that of the approval. A payment is older than
    its authorization, and what the gateway holds runs out from the first approval on, whatever is decided
    about it later.
    """
    rows = holding().filter(
        gateway=gateway,
        approved_at__lte=since,
        payment__created_at__lte=since,
        payment__authorized__gt=F("payment__captured") + F("payment__capture_reserved"),
    )
    return rows.select_related("payment__order").order_by("payment__created_at", "payment")


# The wallet button, besides the attempt's own rows: keys of the gateway, and the browser's side. Keys are
# stored as ciphertext; the Fernet keys decrypt them, and no page and no `repr` shows them.


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
        ordering = ("-id",)
        default_permissions = ()
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
        ordering = ("-id",)
        default_permissions = ()
        indexes = [models.Index(fields=["email_hash"], name="wallet_attempt_email")]
        constraints = [
            # NULLs are distinct on every database.
            models.UniqueConstraint(fields=["gateway", "account_id"], name="wallet_attempt_account_once"),
            models.CheckConstraint(
                condition=Q(results_count__lte=MOST_RESULTS), name="wallet_attempt_results"
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
