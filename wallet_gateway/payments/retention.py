"""Erase what is no longer needed: old bodies, a customer's data on request, and orders that were tests.

Erased from an order that stays: its content and metadata, the hashes of e-mail addresses, the bodies of
transaction events and requests, the customer data from the wallet and the choices on its sheet, a card's last
digits. Kept: references, amounts, states, times, record ids and decisions.

Of rows of money only those of tests are ever deleted. A payment in the provider's portal outlives them, so
the hash of each reference is kept.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import F, ForeignObjectRel, Model, ProtectedError, QuerySet, RestrictedError
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.people import By
from wallet_gateway.domain.polling_schedule import may_still_pay
from wallet_gateway.domain.states import FINAL_STATES, OPENING_KINDS, TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.transactions import check_outside_transaction, in_statement, in_transaction
from wallet_gateway.models import (
    Approval,
    ForgottenReference,
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
from wallet_gateway.models.fields import actor_columns, explanation_columns
from wallet_gateway.models.maintenance import test_orders
from wallet_gateway.models.orders import ERASED
from wallet_gateway.operation_errors import InvalidState
from wallet_gateway.payments.inputs import check_decision, check_row
from wallet_gateway.payments.wallet_pricing import total_of

logger = logging.getLogger("wallet_gateway.operations")

_BATCH = 500
_WITH_BODY = {TransactionState.NOT_SENT, TransactionState.SENDING}
"""States in which the exact body is still needed, because it may be sent."""
_UNPAID = FINAL_STATES - {TransactionState.APPROVED}
_BOOKS = ("type", "amount", "currencyCode")
"""The fields of an order's content that its columns hold too, so they contain no personal data."""


def erase_old_bodies(kept: timedelta) -> int:
    """Erase bodies, and data of unpaid wallet sheets, older than `kept`; return how many rows were passed.

    Each call handles some hundred rows and continues where the last one stopped: row ids are in order of
    time.
    """
    before = gateways.clock().now() - kept
    passed = _pass(Job.ERASE_EVENT_BODIES, _rows(TransactionEvent), "occurred_at", before)
    _rows(TransactionEvent).filter(pk__in=passed).update(request_body="", answer_body="")
    transactions = _pass(Job.ERASE_REQUEST_BODIES, _rows(GatewayTransaction), "created_at", before)
    old = GatewayTransaction.objects.filter(pk__in=transactions).exclude(state__in=_WITH_BODY)
    old.update(request_body="")
    sheets = _pass(Job.ERASE_WALLET_SHEETS, _rows(WalletAttempt), "transaction__created_at", before)
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


def _pass(job: Job, rows: QuerySet[Any], column: str, before: datetime) -> list[int]:
    """Return the ids of the next rows older than an instant, and store the new position."""
    batch = rows.filter(pk__gt=JobPosition.of(job)).order_by("pk").values_list("pk", column)[:_BATCH]
    passed = []
    for pk, instant in batch:
        if instant >= before:
            break
        passed.append(pk)
    if passed:
        in_statement(lambda: JobPosition.move(job, passed[-1], now=gateways.clock().now()))
    return passed


def _rows(model: type[Model]) -> QuerySet[Any]:
    """Return a model's rows without the manager that refuses changes: only this module erases."""
    return QuerySet(model=model)


@sensitive_variables()
def erase_customer(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Erase the customer's personal data from an order; amounts, states and references remain.

    :param order: one whose transactions have all ended.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty: `"request of the customer"`.
    :returns: the order without the data.
    :raises InvalidState: `too_early`.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.erase_customer")
    check_row(order, PaymentOrder)
    actor, now = check_decision(by=by, reason=reason), gateways.clock().now()

    def erase() -> None:
        # Lock the order, as a new attempt to pay does: none may begin between the check and the erasure.
        PaymentOrder.objects.filter(pk=order.pk).update(version=F("version") + 1)
        # Lock the payments too, as a capture, refund or reversal does before its request is stored.
        order.payments.update(card_last_four="")
        transactions = GatewayTransaction.objects.filter(payment__order=order)
        unended = next(filter(_is_unended, transactions.order_by("pk")), None)
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
        events = _rows(TransactionEvent).filter(transaction__payment__order=order)
        events.update(request_body="", answer_body="")
        transactions.update(request_body="", redirect_url="")
        OrderMetadata.objects.filter(order=order).delete()
        Approval.objects.filter(payment__order=order).update(sends=None)
        _erase_sheets(WalletAttempt.objects.filter(transaction__payment__order=order))
        for transaction in transactions.order_by("pk")[:1]:
            TransactionEvent.objects.create(
                transaction=transaction,
                kind=TransactionEventKind.DECISION,
                state_after=transaction.state,
                **explanation_columns(explain(ExplanationCode.DATA_ERASED, said=reason.strip())),
                **actor_columns(TransactionEvent, "created_by", actor),
                occurred_at=now,
            )

    in_transaction(erase)
    order.refresh_from_db()
    return order


def _is_unended(transaction: GatewayTransaction) -> bool:
    """Return whether the outcome is open; a page on which a card was refused may be paid until its end."""
    is_opening = transaction.kind in OPENING_KINDS
    may_pay = is_opening and may_still_pay(transaction.poll_state, has_page=bool(transaction.redirect_url))
    return transaction.state not in FINAL_STATES or may_pay


# The orders that were tests


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenTests:
    """How many orders were tests."""

    deleted: int
    """Deleted orders; in a dry run, those that would be."""
    kept: int
    """Tests of which an attempt or operation has not ended, or that a row of the shop refers to."""


@sensitive_variables()
def forget_tests(*, gateway: str | None = None, dry_run: bool = False) -> ForgottenTests:
    """Delete the orders of which every payment is marked as a test: the only deletion of money rows.

    An order without a payment, or with one that is live or of unknown mode, is never deleted. A hash of each
    reference is kept, so that an operation in the provider's portal is still known as ours.

    :param gateway: alias of the gateway whose orders alone are deleted: `"default"`; None for all.
    :param dry_run: count them only.
    :returns: how many orders were deleted, and how many were kept: with an attempt or operation that has not
        ended, or that a row of the shop refers to.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.forget_tests")
    found = test_orders() if gateway is None else test_orders().filter(gateway=gateway)
    forget = _is_ended if dry_run else _forget
    done = [forget(order) for order in list(found.order_by("pk").values_list("pk", flat=True))]
    if not dry_run:
        logger.warning("deleted test orders: %d, kept: %d", sum(done), len(done) - sum(done))
    return ForgottenTests(deleted=sum(done), kept=len(done) - sum(done))


def _is_ended(order: int) -> bool:
    return not any(map(_is_unended, GatewayTransaction.objects.filter(payment__order=order)))


def _forget(order: int) -> bool:
    def delete() -> bool:
        # Lock the order, as a new attempt to pay does, and look again: it may just have been paid.
        PaymentOrder.objects.filter(pk=order).update(version=F("version") + 1)
        if not test_orders().filter(pk=order).exists() or not _is_ended(order):
            return False
        transactions = GatewayTransaction.objects.filter(payment__order=order)
        references = transactions.values_list("reference", flat=True)
        hashes = [ForgottenReference(reference_hash=ForgottenReference.hash_of(each)) for each in references]
        ForgottenReference.objects.bulk_create(hashes, ignore_conflicts=True)
        _delete(PaymentOrder, [order])
        return True

    try:
        return in_transaction(delete)
    except (ProtectedError, RestrictedError) as error:
        # A row of the shop, such as its own order, holds it.
        logger.warning("order %d is a test and was kept: %s", order, error.args[0])
        return False


def _delete(model: type[Model], keys: list[int]) -> None:
    """Delete rows, and first the plugin's rows that refer to them; `on_delete` decides about the shop's."""
    ours = set(apps.get_app_config("wallet_gateway").get_models())
    for relation in model._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.related_model in ours:
            child = relation.related_model
            referring = _rows(child).filter(**{f"{relation.field.name}__in": keys})
            if found := list(referring.order_by().values_list("pk", flat=True)):
                _delete(child, found)
    _rows(model).filter(pk__in=keys).delete()
