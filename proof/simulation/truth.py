"""What must be true at the end of a history, after calm and enough time: one ledger against the other.

The gateway's side is read from its own rows, and once more by its status query, as a shop would ask.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from django.db.models import Q

from proof.gateway_truth import GatewayTruth
from proof.simulation.virtual_time import shop_now
from proof.simulation.world import World
from wallet_gateway import gateways
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    PaymentOrder,
)
from wallet_gateway.reports.work import NOT_FINAL_STATES, unattended
from wallet_gateway.testing.invariants import require

S, K = TransactionState, TransactionKind
_ENDED_WITHOUT_MONEY = (S.REJECTED, S.ABANDONED, S.EXPIRED)
_PAID = (OrderState.PAID, OrderState.AUTHORIZED)


def check_sent_once(world: World) -> None:
    """Make sure that no reference of something that moves money has left twice, in any body."""
    sent: Counter[str] = Counter()
    for request, times in world.network.sent.items():
        path, _, body = request.partition(" ")
        if not any(name in path for name in ("publicKey", "paymentAccounts")):
            sent[json.loads(body)["clientSystemTransactionId"]] += times
    twice = sorted(reference for reference, times in sent.items() if times > 1)
    require(not twice, "what moves money leaves once", twice)


def check_at_the_end(world: World) -> None:
    """Raise BooksDisagree unless both ledgers are equal, or a person was told why they are not."""
    executed, records = world.gateway.executed(), world.gateway.approved_records()
    for transaction in GatewayTransaction.objects.exclude(attempt_no=0).order_by("pk"):
        _check_executions(transaction, executed.get(transaction.reference, Counter()), records)
    _check_no_strangers(executed)
    _check_deposits(executed)
    _check_nothing_waits_alone()
    undelivered = OutboxEvent.objects.filter(delivered_at=None)
    require(not undelivered.exists(), "every event is delivered to the shop", undelivered)
    for order in PaymentOrder.objects.order_by("pk"):
        _check_order(order, executed, records)


def _check_executions(
    transaction: GatewayTransaction, done: Counter[str], records: Mapping[str, str]
) -> None:
    times = sum(done.values())
    told = _told(transaction)
    require(times <= 1 or told, f"{times} executions under one reference are seen", transaction)
    if transaction.state in _ENDED_WITHOUT_MONEY:
        require(not times or told, "released means not executed, or a person was told", transaction)
    if transaction.state == S.APPROVED:
        known = times or transaction.record_id in records
        require(known or told, "approved means executed", transaction)


def _told(transaction: GatewayTransaction) -> bool:
    """Return whether there was a discrepancy of this transaction or its payment, or a person decided."""
    about = Q(transaction=transaction)
    if transaction.payment_id is not None:
        about |= Q(payment=transaction.payment_id)
    if transaction.deposit_id is not None:
        about |= Q(deposit=transaction.deposit_id)
    return transaction.state == S.ANOMALY or Discrepancy.objects.filter(about).exists()


def _check_no_strangers(executed: dict[str, Counter[str]]) -> None:
    known = set(GatewayTransaction.objects.values_list("reference", flat=True))
    strangers = sorted(set(executed) - known)
    require(not strangers, "a row was committed before each request left", strangers)


def _check_deposits(executed: dict[str, Counter[str]]) -> None:
    for deposit in MigratedDeposit.objects.order_by("pk"):
        mine = GatewayTransaction.objects.filter(deposit=deposit, kind=K.DETACHED_REFUND)
        approved = [row for row in mine if row.approved_minor and row.reference in executed]
        booked = sum((row.approved_minor or 0) - row.excess_minor for row in approved)
        require(deposit.refunded == booked, "what is refunded of a deposit was carried out", deposit)


def _check_nothing_waits_alone() -> None:
    alone = GatewayTransaction.objects.filter(unattended(shop_now()))
    require(not alone.exists(), "nothing waits without an instant or a person", alone)


def _check_order(order: PaymentOrder, executed: dict[str, Counter[str]], records: Mapping[str, str]) -> None:
    references = list(order.payments.order_by("pk").values_list("reference", flat=True))
    opened = [reference for reference in references if executed.get(reference)]
    if order.state in _PAID:
        require(opened, "an order is paid only with the gateway's evidence", order)
    rows = GatewayTransaction.objects.filter(payment__order=order)
    # A difference that is not booked is a person's: while it is open, and when it was closed so.
    if Discrepancy.objects.filter(payment__order=order, booked_as=None).exists():
        return
    truth = GatewayTruth(order, gateways.gateway("default"))
    # A lost follow-up is looked for under the payment's reference, too: what was done in the portal, of the
    # same kind and amount, is then taken for it, and the sums are equal all the same.
    if all(
        records.get(row.record_id or "", row.reference) == row.reference for row in rows.filter(origin="SHOP")
    ):
        truth.check_allowed_for()
    # What is still open may explain a record, and its amount stays reserved until it has ended.
    if not rows.filter(state__in=NOT_FINAL_STATES).exists():
        truth.check_known()
