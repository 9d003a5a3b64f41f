"""Erase personal data: old bodies after a time, and a customer's data on request. Totals are kept.

Erased: the content of an order and its metadata, the hashes of e-mail addresses, the bodies of transaction
events and requests, the customer data from the wallet and the choices on its sheet, a card's last digits.
Kept: references, amounts, states, times, record ids and decisions.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Model, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.cancellation import may_still_pay
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import FINAL_STATES, OPENING_KINDS, SENDABLE_STATES, TransactionState
from wallet_gateway.ledger.transactions import in_statement, in_transaction
from wallet_gateway.models import (
    Approval,
    GatewayTransaction,
    Job,
    JobPosition,
    OrderMetadata,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.orders import ERASED
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.operations.wallet.pricing import total_of

_BATCH = 500
_WITH_BODY = SENDABLE_STATES | {TransactionState.SENDING}
"""States in which the exact body is still needed, because it may be sent."""
_UNPAID = FINAL_STATES - {TransactionState.APPROVED}
_BOOKS = ("type", "amount", "currencyCode")
"""The fields of an order's content that its columns hold too, so they contain no personal data."""


def erase_old_bodies(*, clock: Clock, kept: timedelta) -> int:
    """Erase bodies, and data of unpaid wallet sheets, older than `kept`; return how many rows were passed.

    Each call handles some hundred rows and continues where the last one stopped: row ids are in order of
    time.
    """
    before = clock.now() - kept
    passed = _pass(Job.ERASE_EVENT_BODIES, _plain(TransactionEvent), "occurred_at", before, clock)
    _plain(TransactionEvent).filter(pk__in=passed).update(request_body="", answer_body="")
    transactions = _pass(Job.ERASE_REQUEST_BODIES, _plain(GatewayTransaction), "created_at", before, clock)
    old = GatewayTransaction.objects.filter(pk__in=transactions).exclude(state__in=_WITH_BODY)
    old.update(request_body="")
    sheets = _pass(Job.ERASE_WALLET_SHEETS, _plain(WalletAttempt), "transaction__created_at", before, clock)
    # Data of a card that paid stays with its order; an attempt without an outcome may still have paid.
    _erase_sheets(WalletAttempt.objects.filter(pk__in=sheets, transaction__state__in=_UNPAID))
    return len(passed) + len(transactions) + len(sheets)


def _erase_sheets(attempts: QuerySet[WalletAttempt]) -> None:
    """Erase the data and choices of customers on their wallet sheets, and their browsers' reports."""
    for wallet in attempts.only("price"):
        rows = WalletAttempt.objects.filter(pk=wallet.pk)
        # The shipping region is part of the price snapshot.
        rows.update(given={}, email_hash=None, events=[], price=total_of(wallet.price))
    # The counters stay: an erased order has no second allowance.
    orders = attempts.order_by().values("transaction__payment__order")
    WalletUsage.objects.filter(order__in=orders).update(codes_tried=[])


def _pass(job: Job, rows: QuerySet[Any], column: str, before: datetime, clock: Clock) -> list[int]:
    """Return the ids of the next rows older than an instant, and store the new position."""
    batch = rows.filter(pk__gt=JobPosition.of(job)).order_by("pk").values_list("pk", column)[:_BATCH]
    passed = []
    for pk, instant in batch:
        if instant >= before:
            break
        passed.append(pk)
    if passed:
        in_statement(lambda: JobPosition.move(job, passed[-1], now=clock.now()))
    return passed


def _plain(model: type[Model]) -> QuerySet[Any]:
    """Return a model's rows without the manager that refuses changes: only this module erases."""
    return QuerySet(model=model)


def erase_customer(order: PaymentOrder, *, by: By, reason: str, clock: Clock) -> PaymentOrder:
    """Erase an order's customer data; totals, states and references stay unchanged.

    Raises `InvalidState` while a transaction of the order has not ended: its data may still be sent or needed
    to find out the outcome.
    """
    actor = check_decision(by=by, reason=reason)
    in_transaction(lambda: _erase(order, actor=actor, reason=reason.strip(), now=clock.now()))
    order.refresh_from_db()
    return order


def is_unended(transaction: GatewayTransaction) -> bool:
    """Return whether the outcome is open; a page on which a card was refused may be paid until its end."""
    is_opening = transaction.kind in OPENING_KINDS
    may_pay = is_opening and may_still_pay(transaction.poll_state, has_page=bool(transaction.redirect_url))
    return transaction.state not in FINAL_STATES or may_pay


def _erase(order: PaymentOrder, *, actor: Actor, reason: str, now: datetime) -> None:
    # Lock the order, as a new attempt to pay does: none may begin between the check and the erasure.
    PaymentOrder.objects.filter(pk=order.pk).update(version=F("version") + 1)
    # Lock the payments too, as a capture, refund or reversal does before its request is stored.
    order.payments.update(card_last_four="")
    transactions = GatewayTransaction.objects.filter(payment__order=order)
    unended = next(filter(is_unended, transactions.order_by("pk")), None)
    if unended is not None:
        raise InvalidState(
            _("Transaction %(transaction)s has the state “%(state)s”. Wait until it has ended."),
            ErrorCode.TOO_EARLY,
            transaction=unended.reference,
            state=TransactionState(unended.state),
        )
    content = {name: value for name, value in order.content.items() if name in _BOOKS}
    PaymentOrder.objects.filter(pk=order.pk).update(
        content=content | {ERASED: True}, email_hash=None, recipient_email_hash=None, continue_url=""
    )
    _plain(TransactionEvent).filter(transaction__payment__order=order).update(request_body="", answer_body="")
    transactions.update(request_body="", redirect_url="")
    OrderMetadata.objects.filter(order=order).delete()
    Approval.objects.filter(payment__order=order).update(cart=None)
    _erase_sheets(WalletAttempt.objects.filter(transaction__payment__order=order))
    for transaction in transactions.order_by("pk")[:1]:
        TransactionEvent.objects.create(
            transaction=transaction,
            kind=TransactionEventKind.DECISION,
            state_after=transaction.state,
            **explanation_columns(explain(ExplanationCode.DATA_ERASED, said=reason)),
            **actor_columns(TransactionEvent, "created_by", actor),
            occurred_at=now,
        )
