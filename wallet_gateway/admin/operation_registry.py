"""The operations a person can ask for: what each is called, what it takes, how much is left.

The rules are the domain's and the doing is the operations'; here stand the words, and what a person is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import payments
from wallet_gateway.admin import permissions
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.limits import (
    capturable,
    refundable,
    reversible,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
)
from wallet_gateway.domain.totals import PaymentTotals
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.operations.errors import OperationRefused, message_of
from wallet_gateway.protocol.money import Money

Reasons = tuple[tuple[str, Promise | str], ...]


class NotDone(Exception):
    """Nothing came of it: nothing was sent, nothing is reserved. The message is for the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One verb on a payment."""

    kind: TransactionKind
    permission: str
    heading: Promise | str
    heading_of_many: Promise | str
    verb: Promise | str
    left: Promise | str
    """What the available amount is called."""
    available: Callable[[PaymentTotals], int]
    why_not: Callable[[PaymentTotals], ErrorCode | None]
    reasons: Reasons
    in_parts: bool = True
    """Whether less than all that is left can be asked for."""

    @property
    def slug(self) -> str:
        """The word of it in an address."""
        return self.kind.value.lower()

    def available_of(self, payment: Payment) -> Money:
        """Return what is left of a payment for this operation, as the row stands."""
        return Money.from_minor_units(max(self.available(payment.totals), 0), payment.currency)

    def why_not_of(self, payment: Payment) -> str:
        """Say why nothing is left; empty where something is."""
        code = self.why_not(payment.totals)
        return message_of(code) if code is not None else ""


_OTHER = ("other", gettext_lazy("Another reason (say it in the note)"))

CAPTURE = Operation(
    kind=TransactionKind.CAPTURE,
    permission=permissions.CAPTURE,
    heading=gettext_lazy("Capture a payment"),
    heading_of_many=gettext_lazy("Capture several orders"),
    verb=gettext_lazy("Capture"),
    left=gettext_lazy("Left to capture"),
    available=capturable,
    why_not=lambda totals: why_not_capture(totals, 0) or ErrorCode.NOTHING_TO_CAPTURE,
    reasons=(
        ("shipped", gettext_lazy("Goods shipped")),
        ("part-shipped", gettext_lazy("Part of the goods shipped")),
        ("service", gettext_lazy("Service rendered")),
        _OTHER,
    ),
)
REFUND = Operation(
    kind=TransactionKind.REFUND,
    permission=permissions.REFUND,
    heading=gettext_lazy("Refund a payment"),
    heading_of_many=gettext_lazy("Refund several orders"),
    verb=gettext_lazy("Refund"),
    left=gettext_lazy("Left to refund"),
    available=refundable,
    why_not=lambda totals: why_not_refund(totals, 0) or ErrorCode.NOTHING_TO_REFUND,
    reasons=(
        ("returned", gettext_lazy("Goods returned")),
        ("damaged", gettext_lazy("Damaged or missing")),
        ("cancelled", gettext_lazy("Order cancelled")),
        ("duplicate", gettext_lazy("Paid twice")),
        ("goodwill", gettext_lazy("Goodwill")),
        _OTHER,
    ),
)
REVERSE = Operation(
    kind=TransactionKind.REVERSAL,
    permission=permissions.REVERSE,
    heading=gettext_lazy("Reverse an authorization"),
    heading_of_many=gettext_lazy("Reverse several orders"),
    verb=gettext_lazy("Reverse"),
    left=gettext_lazy("Reserved at the customer's bank"),
    available=reversible,
    why_not=why_not_reverse,
    reasons=(
        ("cancelled", gettext_lazy("Order cancelled")),
        ("unavailable", gettext_lazy("Goods not available")),
        ("suspicious", gettext_lazy("Suspicion of fraud")),
        _OTHER,
    ),
    in_parts=False,
)
BY_SLUG: Mapping[str, Operation] = MappingProxyType(
    {operation.slug: operation for operation in (CAPTURE, REFUND, REVERSE)}
)
DETACHED_REFUND = replace(
    REFUND,
    kind=TransactionKind.DETACHED_REFUND,
    permission=permissions.DETACHED_REFUND,
    heading_of_many=gettext_lazy("Refund payments of the earlier provider"),
)
"""On a deposit, which has no sums of a payment: how much is left of it says the deposit itself."""
BY_KIND: Mapping[TransactionKind, Operation] = MappingProxyType(
    {operation.kind: operation for operation in (*BY_SLUG.values(), DETACHED_REFUND)}
)


def reason_in_words(kind: TransactionKind, comment: str) -> str:
    """Return a note whose reason's code is said in the reader's language; any other note as it is."""
    operation = BY_KIND.get(kind)
    code, _colon, words = comment.partition(": ")
    label = dict(operation.reasons).get(code) if operation else None
    if label is None:
        return comment
    if code == _OTHER[0] and words:
        return words
    return f"{label}: {words}" if words else str(label)


def execute(
    operation: Operation, of: Payment | MigratedDeposit, amount: Money, *, key: str, by: str, comment: str
) -> GatewayTransaction:
    """Ask for an operation under a key; return its transaction. Raises `NotDone` where nothing came of it.

    Raises `AwaitingApproval` where it takes a second person.

    A person stands by: what never left because the gateway cannot be reached is given up at once instead of
    being sent some time later, and its amount is free again.
    """
    try:
        transaction = _ask(operation, of, amount, key=key, by=by, comment=comment)
    except (OperationRefused, ImproperlyConfigured) as error:
        raise NotDone(refusal_text(error, gateway=_gateway_of(of))) from error
    if transaction.state == TransactionState.NOT_SENT and _gave_up(transaction, by):
        raise NotDone(
            _("The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later.")
        )
    return transaction


def _ask(
    operation: Operation, of: Payment | MigratedDeposit, amount: Money, *, key: str, by: str, comment: str
) -> GatewayTransaction:
    if isinstance(of, MigratedDeposit):
        return payments.refund_migrated(
            of.parent_transaction_id,
            amount,
            of.currency,
            gateway=of.gateway,
            idempotency_key=key,
            by=by,
            comment=comment,
        )
    if operation is REVERSE:
        return payments.reverse(of.order, payment=of, idempotency_key=key, by=by, comment=comment)
    verb = payments.capture if operation is CAPTURE else payments.refund
    return verb(of.order, amount, payment=of, idempotency_key=key, by=by, comment=comment)


def _gateway_of(of: Payment | MigratedDeposit) -> str:
    return of.gateway if isinstance(of, MigratedDeposit) else of.order.gateway


def _gave_up(transaction: GatewayTransaction, by: str) -> bool:
    reason = "the gateway could not be reached; given up while the person stood by"
    try:
        payments.resolve(transaction, decision=payments.Decision.DID_NOT_HAPPEN, reason=reason, by=by or "-")
    except payments.errors.InvalidState:
        # A worker has just sent it: its outcome is the answer.
        transaction.refresh_from_db()
        return False
    return True
