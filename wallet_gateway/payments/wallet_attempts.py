"""Wallet attempts of one order: read all in one statement, find one by its reference, insert, note and close.

What a browser reports about its sheet is kept for the timeline and never trusted; a reported failure is a
reason to ask the gateway whether it still takes the key that the page has.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.polling_schedule import BUTTON_IS_FRESH, LEASE, SECRETS_LIVE
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
from wallet_gateway.ledger.due_rows import log_row_error, read_due
from wallet_gateway.ledger.transactions import check_outside_transaction, in_statement, in_transaction
from wallet_gateway.models import (
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEventKind,
    WalletAttempt,
    WalletKey,
    WalletUsage,
)
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.models.transactions import MOST_EVENTS, STATES_WITH_SECRETS, WalletEvent
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.payments.checkout import insert_attempt, lock_payable
from wallet_gateway.payments.inputs import member_of
from wallet_gateway.payments.order_creation import check_key
from wallet_gateway.payments.wallet_result import as_report
from wallet_gateway.payments.wallet_usage import count_attempt, count_event, limits_of
from wallet_gateway.wallet_keys import erase_old_keys, is_refused


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


# What browsers report


_ONCE = frozenset({WalletEvent.READY, WalletEvent.UNAVAILABLE})
"""Reported again by every reload: only the first report is stored."""


def with_event(wallet: WalletAttempt, event: WalletEvent, detail: str, *, now: datetime) -> list[Any]:
    """Return the last twenty of an attempt's events including a new one."""
    added = {"at": now.isoformat(), "event": event.value, "detail": detail}
    return [*wallet.events, added][-MOST_EVENTS:]


@sensitive_variables()
def record_event(
    order: PaymentOrder, *, reference: str, session: str, event: WalletEvent | str, message: str = ""
) -> bool:
    """Store an event reported by the browser, such as a closed sheet, for the timeline.

    The first twenty events of an attempt and 200 of an order are stored. After an `ERROR` the gateway is
    asked, at most once a minute, whether it still takes the key that the page has.

    :param order: the order of the page.
    :param reference: the attempt's reference.
    :param session: the session's key, as for `open_session`.
    :param event: one of `WalletEvent`: `"CLOSED"`.
    :param message: what the browser says; shortened, and stored without card numbers.
    :returns: whether the page needs a new session, because the gateway refuses the key of this one.
    :raises InvalidInput: `argument_invalid` for another event; `wallet_session_unknown`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.record_event")
    context = context_of(order.gateway)
    event = member_of(WalletEvent, event, argument="event")
    tried = load(order)
    transaction, order_id = tried.meant(reference, session), tried.order.pk
    detail = as_report(message)

    def comment() -> None:
        # Two pages may report at once, and a result may arrive in between: none of these may be lost.
        rows = WalletAttempt.objects.select_for_update().filter(pk=transaction.wallet.pk)
        wallet = rows.only("events").get()
        if _is_worth_noting(wallet, event) and count_event(order_id):
            wallet.events = with_event(wallet, event, detail, now=context.clock.now())
            wallet.save(update_fields=["events"])

    in_transaction(comment)
    return event is WalletEvent.ERROR and is_refused(transaction.wallet.key, context=context)


def _is_worth_noting(wallet: WalletAttempt, event: WalletEvent) -> bool:
    if len(wallet.events) >= MOST_EVENTS:
        return False
    return event not in _ONCE or event not in {known["event"] for known in wallet.events}


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
    erase_secrets(context=context)
    erase_old_keys(context=context)
    give_up_unsent_authorizations(context=context, limit=limit)
    return expire_buttons(context=context, limit=limit)


def erase_secrets(*, context: GatewayContext) -> int:
    """Erase every cryptogram older than 15 minutes, for whatever reason it was kept; return how many."""
    # For all gateways: one that is no longer in the settings has no sweep of its own.
    old = GatewayTransaction.objects.filter(
        kind=TransactionKind.AUTHORIZATION,
        state__in=sorted(STATES_WITH_SECRETS),
        state_changed_at__lte=context.clock.now() - SECRETS_LIVE,
        wallet_secrets__isnull=False,
    )
    return in_statement(lambda: old.update(wallet_secrets=None))


def give_up_unsent_authorizations(*, context: GatewayContext, limit: int) -> int:
    """Abandon authorizations of which no byte left and whose sender died before it could abandon them."""
    unsent = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.AUTHORIZATION,
        state=TransactionState.NOT_SENT,
        state_changed_at__lte=context.clock.now() - LEASE,
    )
    rows = read_due(unsent.select_related("payment__order"), limit=limit)
    for transaction in rows:
        with log_row_error(transaction.reference):
            abandon_unsent(transaction, context=context)
    return len(rows)


def expire_buttons(*, context: GatewayContext, limit: int) -> int:
    """Expire attempts whose result did not come in time; return how many."""
    waiting = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.AUTHORIZATION,
        state=TransactionState.AWAITING_RESULT,
        expires_at__lte=context.clock.now(),
    )
    rows = read_due(waiting.select_related("payment__order"), limit=limit)
    for transaction in rows:
        change = Change(
            kind=TransactionEventKind.LEASE_ENDED,
            event=LifecycleEvent.EXPIRED,
            explanation=explain(ExplanationCode.RESULT_NOT_RECEIVED),
            # A result that came in the last second has claimed the attempt and is still processed.
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    return len(rows)


def abandon_unsent(transaction: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Abandon an authorization of which no byte left, and erase its stored secrets."""
    given_up = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.ABANDONED,
        explanation=explain(ExplanationCode.PRESSED_AGAIN),
        attempt_no=transaction.attempt_no,
    )
    return apply(transaction, given_up, context=context)
