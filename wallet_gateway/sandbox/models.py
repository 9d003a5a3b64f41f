"""The sandbox's tables: what the gateway stores.

Rows only: fields, constraints and values derived from one row. Money is an integer number of minor units with
its currency; every time is a time of the sandbox's clock, not the machine's. No column can hold a card number
or a cryptogram: values that are compared later are stored as hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from wallet_gateway.protocol.money import Money


def new_page_token() -> str:
    """Return a random token for a page's address: 128 bits, safe in a URL."""
    return secrets.token_urlsafe(16)


def new_record_id() -> str:
    """Return a new transaction id in the gateway's format."""
    return f"SBX-{secrets.token_hex(10).upper()}"


class RecordState(models.TextChoices):
    """The states the sandbox gives to a transaction; a fault may store any other text."""

    APPROVED = "Approved", "approved"
    PENDING = "Pending", "pending"
    ERRORED = "Errored", "errored"


class RecordOrigin(models.TextChoices):
    """Who made a transaction."""

    API = "api", "a request of the merchant"
    PAGE = "page", "the customer on the checkout page"
    PORTAL = "portal", "somebody in the provider's portal"


class Outcome(models.TextChoices):
    """How a customer leaves the checkout page."""

    SUCCESS = "success", "paid"
    PENDING = "pending", "pending at the provider"
    REFUSED = "refused", "refused"
    CANCELLED = "cancelled", "cancelled"
    ERROR = "error", "failed"
    RETURN = "return", "went back to the shop undecided"


class SandboxModel(models.Model):
    """A table of the sandbox, which a project need not have installed to read its modules."""

    class Meta:
        abstract = True
        app_label = "wallet_sandbox"

    def __str__(self) -> str:
        return f"{self._meta.object_name} {self.pk}"


class AmountModel(SandboxModel):
    """A table whose rows have an amount."""

    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)

    class Meta(SandboxModel.Meta):
        abstract = True

    @property
    def amount(self) -> Money:
        """The amount: of a transaction also where it failed."""
        return Money.from_minor_units(self.amount_minor, self.currency)


class Merchant(SandboxModel):
    """A store of a merchant that may use the sandbox."""

    merchant_id = models.CharField(max_length=64)
    store_id = models.CharField(max_length=64)
    user_id = models.CharField(max_length=64)
    provider = models.CharField(max_length=64)
    gateway_name = models.CharField(max_length=64)
    origins = models.JSONField(default=list, blank=True)
    display_name = models.CharField(max_length=64, blank=True)

    class Meta(SandboxModel.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant_id", "store_id"], name="wallet_sandbox_merchant_store")
        ]

    def __str__(self) -> str:
        return f"{self.merchant_id} / {self.store_id}"

    @property
    def shown_name(self) -> str:
        """The name that customers read: the display name, otherwise the id."""
        return self.display_name or self.merchant_id


class Checkout(AmountModel):
    """A checkout requested by a merchant: the page behind one ``redirectUrl``."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="checkouts")
    reference = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    request = models.JSONField()
    """The request in wire form, with the canonical names of the interface."""
    skin_id = models.CharField(max_length=255, blank=True)
    language = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    """When the link expires; null for never."""
    decided_outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    """Empty until the customer decides; returning to the shop is not a decision."""
    decided_at = models.DateTimeField(null=True)
    token = models.CharField(max_length=32, unique=True, default=new_page_token)

    class Meta(SandboxModel.Meta):
        indexes: ClassVar = [
            models.Index(fields=["merchant", "reference"], name="wallet_sandbox_checkout_ref")
        ]

    def get_absolute_url(self) -> str:
        """Return the path of the page that the customer sees."""
        return reverse("checkout", kwargs={"token": self.token})


class Deposit(AmountModel):
    """A payment of an earlier provider, imported from a migration file, that detached refunds refer to."""

    merchant_id = models.CharField(max_length=64)
    """The ``merchantId``; a migration file names merchants, not stores."""
    parent_transaction_id = models.CharField(max_length=255)
    provider_transaction_id = models.CharField(max_length=255, blank=True)
    paid_at = models.DateTimeField()
    refunded_before_minor = models.BigIntegerField(default=0)
    """The amount that the earlier provider had refunded when the file was written."""

    class Meta(SandboxModel.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["merchant_id", "parent_transaction_id"], name="wallet_sandbox_deposit_parent"
            ),
            models.CheckConstraint(
                condition=models.Q(refunded_before_minor__gte=0)
                & models.Q(refunded_before_minor__lte=models.F("amount_minor")),
                name="wallet_sandbox_deposit_refunded",
            ),
        ]


class TransactionRecord(AmountModel):
    """A transaction as the status query reports it: an original, a follow-up or a detached refund."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="records")
    record_id = models.CharField(max_length=32, unique=True, default=new_record_id)
    reference = models.CharField(max_length=255)
    """The ``clientSystemTransactionId`` by which the status query finds it."""
    type = models.CharField(max_length=32)
    state = models.CharField(max_length=32)
    provider_state_code = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    origin = models.CharField(max_length=6, choices=RecordOrigin.choices)
    checkout = models.ForeignKey(
        Checkout, on_delete=models.CASCADE, null=True, blank=True, related_name="records"
    )
    original = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="follow_ups"
    )
    deposit = models.ForeignKey(
        Deposit, on_delete=models.CASCADE, null=True, blank=True, related_name="refunds"
    )
    account = models.ForeignKey(
        "PaymentAccount", on_delete=models.CASCADE, null=True, blank=True, related_name="authorizations"
    )
    original_reference = models.CharField(max_length=255, blank=True)
    """The ``clientSystemInvoiceId`` or ``parentTransactionId`` of its original; empty for an original."""
    details = models.JSONField(default=dict)
    """The ``apmDetails`` of the status record, in wire form."""
    history = models.JSONField(default=list)
    """All states so far, oldest first: ``{"at": ISO time, "state": ..., "providerStateCode": ...}``."""

    class Meta(SandboxModel.Meta):
        indexes: ClassVar = [models.Index(fields=["merchant", "reference"], name="wallet_sandbox_record_ref")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(amount_minor__gt=0), name="wallet_sandbox_record_amount"
            )
        ]


# The wallet button: keys, payment accounts, and 3-D Secure on the gateway's page


def new_account_id() -> str:
    """Return a new ``transactionAccountId`` in the gateway's format."""
    return f"ACC-{secrets.token_hex(12).upper()}"


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of a text in hexadecimal; safe only for secrets with enough entropy."""
    return hashlib.sha256(secret.encode()).hexdigest()


class WalletMode(models.TextChoices):
    """How the emulated wallet behaves in the browser; the sheet shows the labels in its language."""

    READY = "ready", _("ready")
    NOT_READY = "not_ready", _("not available in this browser")
    NO_CARD = "no_card", _("available, no card stored")
    SCRIPT_FAILS = "script_fails", _("its script cannot be loaded")
    SLOW = "slow", _("answers slowly")
    DEVELOPER_ERROR = "developer_error", _("refuses every request as wrong")
    CANCELLED = "cancelled", _("closed by the customer at once")


class AuthenticationOutcome(models.TextChoices):
    """How a customer leaves the 3-D Secure page."""

    SUCCESS = "success", "authenticated"
    FAILED = "failed", "not authenticated"
    ABANDONED = "abandoned", "abandoned"


class PublicKey(SandboxModel):
    """A pair of keys issued to a store; only hashes are stored."""

    merchant = models.ForeignKey("Merchant", on_delete=models.CASCADE, related_name="public_keys")
    api_key_hash = models.CharField(max_length=64, unique=True)
    encryption_key_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()


class PaymentAccount(SandboxModel):
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

    def has_cryptogram(self, cryptogram: str) -> bool:
        """Compare a cryptogram with the account's own in constant time."""
        return hmac.compare_digest(hash_secret(cryptogram), self.cryptogram_hash)


class Authentication(SandboxModel):
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

    def get_absolute_url(self) -> str:
        """Return the path of the page that the customer sees."""
        return reverse("three_d_secure", kwargs={"token": self.token})


# State and behaviour, faults, accepted requests, and the journal


MAX_LISTED_PATH_LENGTH = 60
"""Characters of a path that fit into a list."""


class DuplicatePolicy(models.TextChoices):
    """How a request is answered that repeats an earlier one exactly."""

    REJECT = "reject", "refuse it"
    REPLAY = "replay", "answer as the first time"
    EXECUTE = "execute", "carry it out again"


class LetterCase(models.TextChoices):
    """Letter case of the field names in an answer."""

    CANONICAL = "canonical", "as in the field tables"
    PASCAL = "pascal", "first letter upper case"
    LOWER = "lower", "all lower case"


class BillingAddressRule(models.TextChoices):
    """Whether a checkout needs a billing address; the interface marks its fields as mandatory."""

    OPTIONAL = "optional", "may be left out"
    REQUIRED = "required", "is demanded"


class PlaceholderId(models.TextChoices):
    """What a record that is not approved carries in place of its id."""

    OFF = "off", "its own id"
    ZEROS = "zeros", "a UUID of zeros"
    ZERO = "zero", "the digit 0"
    EMPTY = "empty", "an empty text"


class PortalReference(models.TextChoices):
    """The reference of a follow-up that was made in the provider's portal."""

    ORIGINAL = "original", "that of its original"
    OWN = "own", "one of the gateway's own"


AMOUNT_AS_REQUESTED = "requested"
NO_AMOUNT = "null"
"""The two words among the amounts that an errored record may carry."""


class SandboxState(SandboxModel):
    """The single row of global state: the clock, and the behaviour where the interface leaves it open."""

    clock_ahead = models.DurationField(default=timedelta())
    """Offset of the sandbox's clock from the machine's."""
    duplicates = models.CharField(
        max_length=8, choices=DuplicatePolicy.choices, default=DuplicatePolicy.REJECT
    )
    """How a request is answered that repeats an earlier one exactly."""
    status_lag = models.DurationField(default=timedelta())
    """How long the status query does not yet report a change."""
    letter_case = models.CharField(max_length=9, choices=LetterCase.choices, default=LetterCase.CANONICAL)
    """Letter case of the field names in answers."""
    numeric_amounts = models.BooleanField(default=False)
    """Whether answers carry amounts as numbers where the default is text."""
    share_references = models.BooleanField(default=False)
    """Whether a follow-up may carry its original's reference, once per type."""
    another_card = models.BooleanField(default=False)
    """Whether a checkout remains open after a refused card or an error."""
    billing_address = models.CharField(
        max_length=8, choices=BillingAddressRule.choices, default=BillingAddressRule.OPTIONAL
    )
    errored_amount = models.CharField(max_length=24, default=AMOUNT_AS_REQUESTED)
    """What errored records carry as their amount: the amount requested, null, or these digits."""
    placeholder_ids = models.CharField(max_length=5, choices=PlaceholderId.choices, default=PlaceholderId.OFF)
    state_words = models.JSONField(default=dict)
    """Other words for documented states, by the documented one."""
    portal_references = models.CharField(
        max_length=8, choices=PortalReference.choices, default=PortalReference.ORIGINAL
    )
    newest_first = models.BooleanField(default=False)
    """Whether the status query lists the newest record first."""
    wallet_mode = models.CharField(max_length=15, choices=WalletMode.choices, default=WalletMode.READY)

    class Meta(SandboxModel.Meta):
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(pk=1), name="wallet_sandbox_one_state")
        ]


class FaultKind(StrEnum):
    """The faults that can be set."""

    DROP_BEFORE = "drop_before"
    DROP_AFTER = "drop_after"
    DELAY_BEFORE = "delay_before"
    DELAY_AFTER = "delay_after"
    STATUS_BEFORE = "status_before"
    STATUS_AFTER = "status_after"
    TRUNCATED = "truncated"
    NOT_JSON = "not_json"
    WRONG_SHAPE = "wrong_shape"
    EMPTY = "empty"
    LATE = "late"
    UNDOCUMENTED_STATE = "undocumented_state"
    REDIRECTED = "redirected"
    DRIP = "drip"
    ERRORED = "errored"
    PARTIAL = "partial"
    THROTTLED = "throttled"
    DUPLICATE = "duplicate"
    ERROR_BODY = "error_body"
    BARE_ERROR = "bare_error"
    ERROR_200 = "error_200"
    MIXED = "mixed"
    RESET = "reset"
    BAD_GZIP = "bad_gzip"
    BAD_STATUS_LINE = "bad_status_line"
    UNREADABLE_RECORD = "unreadable_record"


class SetFault(SandboxModel):
    """A fault that has been set and not yet used up."""

    operation = models.CharField(max_length=32)
    fault = models.CharField(max_length=32)
    times = models.PositiveIntegerField(null=True, default=1)
    """How many more requests it hits; null for every request until the faults are cleared."""
    skip = models.PositiveIntegerField(default=0)
    """How many matching requests it skips first."""
    delay = models.DurationField(null=True)
    """Waiting time, or delay of a late request; null for the fault's default."""
    status = models.PositiveSmallIntegerField(null=True)
    code = models.CharField(max_length=32, blank=True)
    message = models.CharField(max_length=500, blank=True)


class AcceptedRequest(SandboxModel):
    """A request that used its reference, with its answer, by which a repetition is recognised."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="accepted_requests")
    reference = models.CharField(max_length=255)
    type = models.CharField(max_length=32)
    fingerprint = models.CharField(max_length=64)
    """SHA-256 of the request in canonical form, in hexadecimal."""
    answer = models.JSONField()

    class Meta(SandboxModel.Meta):
        indexes: ClassVar = [
            models.Index(fields=["merchant", "reference"], name="wallet_sandbox_accepted_ref")
        ]


class JournalEntry(SandboxModel):
    """A request received under ``/api/`` with its answer; secrets are masked before it is stored."""

    operation = models.CharField(max_length=32, blank=True)
    """Empty if the operation could not be determined."""
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=2000)
    request_body = models.TextField(blank=True)
    unknown_fields = models.JSONField(default=list)
    """Paths of fields that the interface does not define; they were ignored."""
    answer_status = models.PositiveSmallIntegerField(null=True)
    """Null until the request is answered, and if the connection was closed without an answer."""
    answer_body = models.TextField(blank=True)
    fault = models.CharField(max_length=32, blank=True)
    received_at = models.DateTimeField()

    @property
    def short_path(self) -> str:
        """The path shortened for a list; the end is kept because it holds the reference of a status query."""
        return (
            self.path if len(self.path) <= MAX_LISTED_PATH_LENGTH else f"{self.path[:24]}…{self.path[-27:]}"
        )
