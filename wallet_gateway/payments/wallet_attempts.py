"""Wallet attempts of one order: read all in one statement, find one by its reference, end it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import Change, apply, reread
from wallet_gateway.ledger.repair import give_up_unsent
from wallet_gateway.ledger.transactions import (
    check_outside_transaction,
    log_row_error,
    read_due,
)
from wallet_gateway.models import (
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEventKind,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.models.transactions import MOST_EVENTS, WalletEvent
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.payments.order_creation import check_key
from wallet_gateway.wallet_keys import erase_old_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderAttempts:
    """An order and all its payment attempts, read in one statement."""

    order: PaymentOrder
    openings: Sequence[GatewayTransaction] = ()
    """The opening transactions of its payments, oldest first."""
    usage: WalletUsage | None = None
    """How often its button was used; None before the first button."""

    def of_session(self, session: str) -> tuple[GatewayTransaction, ...]:
        """Return the wallet attempts that were shown in this session, oldest first."""
        wanted = hash_of_session(session)
        return tuple(
            transaction
            for transaction in self.openings
            if hasattr(transaction, "wallet") and hmac.compare_digest(transaction.wallet.session_hash, wanted)
        )

    def meant(self, reference: object, session: str) -> GatewayTransaction:
        """Return the session's attempt with a reference; raise `InvalidInput`, also for another session's."""
        for transaction in self.of_session(session):
            if transaction.reference == reference:
                return transaction
        raise InvalidInput(
            _("No wallet button was shown under this reference in this session."),
            ErrorCode.WALLET_SESSION_UNKNOWN,
        )


def hash_of_session(session: str) -> str:
    """Return the stored hash of a session's key; raise `InvalidInput` if there is no key."""
    if not session:
        raise InvalidInput(
            _("A wallet button needs a session to be bound to."), ErrorCode.WALLET_SESSION_UNKNOWN
        )
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()


def load(order: PaymentOrder | str) -> OrderAttempts:
    """Load the attempts of an order, or of the order with a token. Raises `PaymentOrder.DoesNotExist`."""
    if isinstance(order, str):
        check_key("token", order)
    rows = GatewayTransaction.objects.filter(kind__in=OPENING_KINDS).order_by("pk")
    by_order = (
        rows.filter(payment__order__token=order)
        if isinstance(order, str)
        else rows.filter(payment__order=order)
    )
    openings = list(by_order.select_related("payment__order__wallet_usage", "wallet__key"))
    if not openings:
        if isinstance(order, str):
            raise PaymentOrder.DoesNotExist("no button of such an order was shown")
        return OrderAttempts(order=order)
    payments = [transaction.payment for transaction in openings if transaction.payment is not None]
    found = payments[0].order
    found.known_payments = KnownPayments(version=found.version, payments=payments)
    for payment, transaction in zip(payments, openings, strict=True):
        payment.order, payment.opening = found, transaction
    return OrderAttempts(order=found, openings=openings, usage=getattr(found, "wallet_usage", None))


def fresh(transaction: GatewayTransaction, now: datetime) -> bool:
    """Return whether an attempt may still get a result."""
    waiting = transaction.state == TransactionState.AWAITING_RESULT
    return waiting and transaction.expires_at is not None and transaction.expires_at > now


def with_event(wallet: WalletAttempt, event: WalletEvent, detail: str, *, now: datetime) -> list[Any]:
    """Return the last twenty of an attempt's events including a new one."""
    added = {"at": now.isoformat(), "event": event.value, "detail": detail}
    return [*wallet.events, added][-MOST_EVENTS:]


# Attempts that end without a result


@sensitive_variables()
def abandon(payment: Payment) -> Payment:
    """Close an attempt whose wallet result has not come: one that comes later is refused and charges nothing.

    Call it before you tell a customer that nothing was charged, where the page has lost the way to the shop.

    :param payment: the attempt; one that no longer waits for its result, or has none, stays as it is.
    :returns: the attempt as it is now; give it to `outcome`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.abandon")
    transaction = payment.opening
    if transaction.state != TransactionState.AWAITING_RESULT:
        return payment
    context = context_of(transaction.gateway)
    change = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.ABANDONED,
        explanation=explain(ExplanationCode.RESULT_NOT_RECEIVED),
        decided_on=TransactionState.AWAITING_RESULT,
    )
    try:
        # Of this and the claim of a result that comes at the same moment, the first one to commit wins.
        transaction = apply(transaction, change, context=context)
    except IllegalTransition:
        # A result has claimed it in the meantime, or the sweep has expired it.
        transaction = reread(transaction)
    return transaction.opened_payment


def sweep_wallet(*, context: GatewayContext, limit: int) -> int:
    """Process everything that is due for one gateway's buttons once; return how many have ended."""
    now = context.clock.now()
    erase_old_keys(context=context)
    authorizations = GatewayTransaction.objects.filter(
        gateway=context.alias, kind=TransactionKind.AUTHORIZATION
    ).select_related("payment__order")
    # Of these no byte left, and their sender died before it could abandon them.
    unsent = authorizations.filter(state=TransactionState.NOT_SENT, state_changed_at__lte=now - LEASE)
    for transaction in read_due(unsent, limit=limit):
        with log_row_error(transaction.reference):
            give_up_unsent(transaction, explain(ExplanationCode.PRESSED_AGAIN), context=context)
    # The result of these did not come in time.
    waiting = authorizations.filter(state=TransactionState.AWAITING_RESULT, expires_at__lte=now)
    expired = read_due(waiting, limit=limit)
    for transaction in expired:
        change = Change(
            kind=TransactionEventKind.LEASE_ENDED,
            event=LifecycleEvent.EXPIRED,
            explanation=explain(ExplanationCode.RESULT_NOT_RECEIVED),
            # A result that came in the last second has claimed the attempt and is still processed.
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    return len(expired)
