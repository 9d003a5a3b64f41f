"""Wallet attempts of one order: read all in one statement, find one by its reference, insert a new one."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import BUTTON_IS_FRESH
from wallet_gateway.models import (
    GatewayTransaction,
    Payment,
    PaymentOrder,
    WalletAttempt,
    WalletKey,
    WalletUsage,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operations.checkout.orders import check_key
from wallet_gateway.operations.checkout.payment_attempts import insert_attempt, lock_payable
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.wallet.usage import count_attempt, limits_of


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


def write_attempt(
    tried: OrderAttempts, *, key: WalletKey, session: str, price: Mapping[str, Any], context: GatewayContext
) -> GatewayTransaction:
    """Lock the order, count and insert a further attempt; call it in a database transaction.

    Raises `OrderNotPayable` and `LimitReached`. The order's other attempts stay unchanged: nothing is sent
    yet.
    """
    order, session_hash = tried.order, hash_of_session(session)
    now = context.clock.now()
    lock_payable(order, now)
    number, is_new_session = _place_of(order, session_hash)
    count_attempt(order, tried.usage, is_new_session=is_new_session, limits=limits_of(context))
    transaction = insert_attempt(
        order,
        TransactionKind.AUTHORIZATION,
        number=number,
        reference=context.new_reference(),
        context=context,
        created_at=now,
        state_changed_at=now,
        state=TransactionState.AWAITING_RESULT,
        expires_at=min(_ends_of_button(order, key, now)),
    )
    wallet = WalletAttempt(
        transaction=transaction,
        key=key,
        gateway=context.alias,
        session_hash=session_hash,
        price=dict(price),
    )
    wallet.save(force_insert=True)
    return transaction


def _ends_of_button(order: PaymentOrder, key: WalletKey, now: datetime) -> Sequence[datetime]:
    ends = (now + BUTTON_IS_FRESH, key.expires_at)
    return ends if order.payable_until is None else (*ends, order.payable_until)


def _place_of(order: PaymentOrder, session_hash: str) -> tuple[int, bool]:
    """Return the number of the order's next payment, and whether the session saw no button of it before."""
    mine = WalletAttempt.objects.filter(transaction__payment=OuterRef("pk"), session_hash=session_hash)
    found = Payment.objects.filter(order=order).aggregate(
        payments=Count("pk"), mine=Count("pk", filter=Exists(mine))
    )
    return found["payments"] + 1, not found["mine"]
