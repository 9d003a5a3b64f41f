"""Notify the shop of authorizations before they expire, and capture or reverse them as the settings say.

Each notice is sent once, by one worker; if a receiver raises, the next sweep sends it again. An automatic
capture or reversal uses the same operations as a person's click, under a key made from the payment's
reference: a repetition is still one operation. If the gateway refuses it, the notice is sent once more, with
the policy `ask`.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q

from wallet_gateway import signals
from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.ledger.due_rows import failure, log_row_error
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import ExpiryNotice, ExpiryNoticeState, GatewayTransaction, Payment
from wallet_gateway.models.authorizations import uncaptured
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, reverse
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.merchant_accounts import asked_about
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.sweep")

AUTHOR = "authorization expiry"
_LEFT_TO_PEOPLE = frozenset({OrderState.FROZEN, OrderState.OVERPAID})
"""States of an order in which a person decides first what becomes of the money, e.g. of a second payment."""
_WITHOUT_EFFECT = frozenset({TransactionState.REJECTED, TransactionState.ABANDONED})
_CLAIM = timedelta(minutes=5)
"""Time after which a notice that was claimed and not finished may be claimed again."""


def watch_authorizations(*, context: GatewayContext, limit: int = 100) -> int:
    """Notify of authorizations that expire soon; capture or reverse them if configured; return how many."""
    window, now = context.policy.capture_window, context.clock.now()
    notices = ExpiryNotice.objects.filter(payment=OuterRef("payment"))
    handled = Exists(notices.filter(Q(state=ExpiryNoticeState.DONE) | Q(claimed_at__gt=now - _CLAIM)))
    due = uncaptured(context.alias, since=window.warns_from(now)).filter(~handled, asked_about(context))
    done = 0
    for transaction in due[:limit]:
        with log_row_error(transaction.reference):
            done += _handle(transaction, window, context)
    return done


def _handle(transaction: GatewayTransaction, window: CaptureWindow, context: GatewayContext) -> bool:
    payment, approved_at, now = transaction.payment, transaction.approved_at, context.clock.now()
    assert payment is not None  # noqa: S101 - an authorization has a payment
    assert approved_at is not None  # noqa: S101 - only approved ones are read
    if not _claim(payment, now):
        return False
    notice = ExpiryNotice.objects.filter(payment=payment)
    told_before = notice.filter(state=ExpiryNoticeState.SENT).exists()
    # What was done with another payment of the order, in this sweep too, may have changed its state.
    payment.order.refresh_from_db()
    is_left = payment.order.state in _LEFT_TO_PEOPLE
    if is_left:
        window = replace(window, policy=CapturePolicy.ASK)
    if not (told_before or _tell(payment, window, approved_at)):
        return False
    done = False if is_left else _act(payment, window.policy, context)
    if done is None:
        # The gateway refused it, and the machine does not try a second one: it is left to people.
        done = _tell(payment, replace(window, policy=CapturePolicy.ASK), approved_at)
    # If it is not done, the claim ends in a few minutes and a later sweep looks again.
    notice.update(state=ExpiryNoticeState.DONE if done else ExpiryNoticeState.SENT, claimed_at=now)
    return not told_before


def _claim(payment: Payment, now: datetime) -> bool:
    stale = ExpiryNotice.objects.filter(payment=payment, claimed_at__lte=now - _CLAIM)
    if stale.exclude(state=ExpiryNoticeState.DONE).update(claimed_at=now):
        return True
    of: dict[str, Any] = {"payment": payment, "defaults": {"claimed_at": now}}
    _notice, is_new = in_statement(lambda: ExpiryNotice.objects.get_or_create(**of))
    return is_new


def _tell(payment: Payment, window: CaptureWindow, approved_at: datetime) -> bool:
    answers = signals.authorization_expiring.send_robust(
        sender=type(payment.order),
        reference=payment.order.reference,
        order=payment.order,
        payment=payment,
        amount=_left(payment),
        expires_at=window.expires_at(approved_at),
        policy=str(window.policy),
    )
    failures = [answer for _, answer in answers if isinstance(answer, Exception)]
    for error in failures:
        logger.error("a receiver of authorization_expiring failed, it is told again: %s", failure(error))
    return not failures


def _left(payment: Payment) -> Money:
    left = payment.authorized - payment.captured - payment.capture_reserved
    return Money.from_minor_units(left, payment.currency)


def _act(payment: Payment, policy: CapturePolicy, context: GatewayContext) -> bool | None:
    """Do what the settings say; return whether nothing is left to do, and None if it ended without effect.

    An action of an earlier sweep is found again by its key: its outcome may have been unknown.
    """
    who = Initiator(
        idempotency_key=f"expiry-{payment.reference}",
        by=AUTHOR,
        comment="about to expire",
        is_awaited=False,
    )
    try:
        if policy is CapturePolicy.CAPTURE:
            state = capture(payment=payment, context=context, who=who).state
        elif policy is CapturePolicy.REVERSE and payment.captured == 0:
            state = reverse(payment=payment, context=context, who=who).state
        else:
            return True
    except OperationRefused as error:
        logger.warning("%s was not handled before it expires: %s", payment.reference, one_line(repr(error)))
        return False
    if state in _WITHOUT_EFFECT:
        logger.error("%s was not handled before it expires: it ended as %s", payment.reference, state)
        return None
    return state == TransactionState.APPROVED
