"""What the shop and its people do: capture, refund, reverse, agree, decide, cancel, compare, sweep."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from proof.chaos.customer_steps import pay
from proof.chaos.merchants import MERCHANTS
from proof.chaos.outcomes import DONE, NOTHING_TO_DO
from proof.chaos.plan import Step
from proof.chaos.shop import Shop, deposit_of
from wallet_gateway import gateways, payments
from wallet_gateway.client.errors import GatewayError
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import (
    BatchKind,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    PaymentOrder,
)
from wallet_gateway.models.batches import BatchState
from wallet_gateway.payments.status_query import type_of
from wallet_gateway.protocol.money import Money

_REASON: Final = "the provider's support, ticket 4711"
_BATCH_SECONDS: Final = 0.2
_DAYS: Final = 40


def _part(whole: Money, part: str | None) -> Decimal | None:
    """Return a part of an amount in whole minor units, at least one; None for all of it."""
    if part is None:
        return None
    minor = (Decimal(whole.minor_units) * Decimal(part)).to_integral_value(ROUND_DOWN)
    return Money.from_minor_units(max(int(minor), 1), whole.currency).amount


def _on_payment(shop: Shop, step: Step, operate: Callable[..., object], *, has_amount: bool = True) -> str:
    order, found = shop.order(step), shop.payments(step)
    if order is not None and not found:
        pay(shop, order)
        found = shop.payments(step)
    if not found:
        return NOTHING_TO_DO
    payment = found[step.which % len(found)]
    whole = Money.from_minor_units(payment.authorized, payment.currency)
    given: dict[str, Any] = {"amount": _part(whole, step.amount)} if has_amount else {}
    with shop.fault(step.fault, payment.order.gateway):
        operate(
            payment.order,
            payment=payment,
            idempotency_key=step.key,
            by=shop.people[step.person],
            **given,
        )
    return DONE


def capture(shop: Shop, step: Step) -> str:
    """Capture all or a part."""
    return _on_payment(shop, step, payments.capture)


def refund(shop: Shop, step: Step) -> str:
    """Refund all or a part."""
    return _on_payment(shop, step, payments.refund)


def reverse(shop: Shop, step: Step) -> str:
    """Reverse the whole authorization."""
    return _on_payment(shop, step, payments.reverse, has_amount=False)


def detached_refund(shop: Shop, step: Step) -> str:
    """Refund a payment of an earlier provider."""
    amount = _part(Money.parse("12.00", "EUR"), step.amount) or Decimal("12.00")
    with shop.fault(step.fault, "default"):
        payments.refund_migrated(
            deposit_of(step.number // 40 + step.which),
            amount,
            "EUR",
            idempotency_key=step.key and f"{step.key}-{step.number // 40}",
            by=shop.people[step.person],
        )
    return DONE


def second_person(shop: Shop, step: Step) -> str:
    """Agree to a request of somebody else's, or decline it."""
    waiting = payments.approvals.waiting()
    if not waiting:
        return NOTHING_TO_DO
    request, person = waiting[step.which % len(waiting)], shop.people[step.person]
    with shop.fault(step.fault, request.gateway):
        if step.choice == "decline":
            payments.approvals.decline(request, by=person, reason="no")
        else:
            payments.approvals.approve(request, by=person)
    return DONE


def send_again(shop: Shop, step: Step) -> str:
    """Send once more what never left, or give it up."""
    unsent = [row for row in shop.transactions(step) if row.state == TransactionState.NOT_SENT]
    if not unsent:
        return NOTHING_TO_DO
    row, person = unsent[step.which % len(unsent)], shop.people[step.person]
    with shop.fault(step.fault, row.gateway):
        if step.choice == "give_up":
            payments.follow_ups.give_up_unsent(row, by=person)
        else:
            payments.follow_ups.send_again(row, by=person)
    return DONE


_UNDECIDED: Final = {
    TransactionState.UNKNOWN,
    TransactionState.PENDING,
    TransactionState.AWAITING_3DS,
    TransactionState.OPEN,
}


def resolve(shop: Shop, step: Step) -> str:
    """Decide on what nothing else decides, as a person who has asked the provider and says the truth."""
    waiting = [row for row in shop.transactions(step) if _is_for_person(row)]
    if not waiting:
        return NOTHING_TO_DO
    row = waiting[step.which % len(waiting)]
    try:
        is_done = was_carried_out(row)
    except GatewayError:
        # Nobody at the provider's picks up the telephone.
        return NOTHING_TO_DO
    if is_done is None and row.state == TransactionState.ANOMALY:
        # Something was seen of it before, so the gateway's status lags behind: who knows the truth waits.
        return NOTHING_TO_DO
    if is_done and row.state != TransactionState.ANOMALY:
        return NOTHING_TO_DO
    decision = (
        payments.approvals.Decision.DID_HAPPEN if is_done else payments.approvals.Decision.DID_NOT_HAPPEN
    )
    payments.approvals.resolve(row, decision=decision, reason=_REASON, by=shop.people[step.person])
    return DONE


def _is_for_person(row: GatewayTransaction) -> bool:
    is_contradicted = row.state == TransactionState.ANOMALY
    return is_contradicted or (row.needs_operator and row.state in _UNDECIDED)


def was_carried_out(row: GatewayTransaction) -> bool | None:
    """Ask the gateway, as a person at the provider's would look, whether a transaction was carried out.

    None if the gateway shows nothing of it.
    """
    records = [
        one
        for one in gateways.gateway(row.gateway).status(row.reference).message.records
        if one.client_system_transaction_id == row.reference and one.type.lower() == type_of(row)
    ]
    return any(one.state == "Approved" for one in records) if records else None


def discrepancy(shop: Shop, step: Step) -> str:
    """Book what was made elsewhere, or close a difference that needs no booking."""
    open_ones = Discrepancy.objects.filter(closed_at=None).order_by("pk")
    if step.story:
        open_ones = open_ones.filter(payment__order__reference=shop.story(step).reference)
    differences = list(open_ones)
    if not differences:
        return NOTHING_TO_DO
    difference, person = differences[step.which % len(differences)], shop.people[step.person]
    if difference.kind == DiscrepancyKind.MADE_ELSEWHERE:
        # A person who closed one without booking it would have to remember it themselves.
        payments.approvals.book_discrepancy(difference, reason=_REASON, by=person)
    else:
        payments.approvals.close_discrepancy(difference, reason=_REASON, by=person)
    return DONE


def batch(shop: Shop, step: Step) -> str:
    """Begin one operation for several orders."""
    orders = list(PaymentOrder.objects.order_by("-pk")[step.which : step.which + 4])
    if not orders:
        return NOTHING_TO_DO
    draft = payments.batches.draft(BatchKind(step.choice), orders, by=shop.people[step.person])
    payments.batches.start(draft)
    return DONE


def batch_step(shop: Shop, step: Step) -> str:
    """Drive a running batch a little further; pause and resume it now and then."""
    running = list(OperationBatch.objects.filter(state__in=[BatchState.RUNNING, BatchState.PAUSED]))
    if not running:
        return NOTHING_TO_DO
    chosen = running[step.which % len(running)]
    with shop.fault(step.fault, "default"):
        if chosen.state == BatchState.PAUSED:
            payments.batches.resume(chosen)
        elif step.which == 5:
            payments.batches.pause(chosen, by=shop.people[step.person])
        else:
            payments.batches.step(chosen, seconds=_BATCH_SECONDS)
    return DONE


def cancel(shop: Shop, step: Step) -> str:
    """Take no new payment for an order."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    payments.cancel(order, by=shop.people[step.person])
    return DONE


def erase(shop: Shop, step: Step) -> str:
    """Erase the customer's data from an order."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    payments.maintenance.erase_customer(order, by=shop.people[step.person], reason="asked for")
    return DONE


def reconcile(shop: Shop, step: Step) -> str:
    """Ask about an order now."""
    order = shop.order(step)
    if order is None:
        return NOTHING_TO_DO
    with shop.fault(step.fault, order.gateway):
        if step.which % 2:
            payments.reconcile(order, everything=step.which == 5)
        else:
            payments.maintenance.query_status(order)
    return DONE


def sweep(shop: Shop, step: Step) -> str:
    """Do the background work, beside other workers that do it, too."""
    with shop.fault(step.fault, "default"):
        payments.sweep()
    return DONE


def compare(shop: Shop, step: Step) -> str:
    """Compare the books record by record, and store what differs."""
    with shop.fault(step.fault, "default"):
        compare_all(step.person)
    return DONE


def compare_all(person: str) -> int:
    """Compare every gateway as `wallet_reconcile --repair` does; return how many differences there were."""
    found = 0
    for alias in MERCHANTS:
        rows = payments.maintenance.comparison(alias, days=_DAYS, repair_as=person).rows
        found += sum(len(row.differences) for row in rows)
    return found


def stop_sending(shop: Shop, step: Step) -> str:
    """Stop all new requests to one gateway."""
    alias = sorted(MERCHANTS)[step.which % len(MERCHANTS)]
    payments.maintenance.stop_sending(alias, by=shop.people[step.person], reason="drill")
    return DONE


def resume_sending(_shop: Shop, step: Step) -> str:
    """Allow new requests again wherever they were stopped."""
    resume_everywhere(step.person)
    return DONE


def resume_everywhere(person: str) -> None:
    """Take back every stop."""
    for alias in MERCHANTS:
        try:
            payments.maintenance.resume_sending(alias, by=person, reason="over")
        except payments.errors.InvalidState:
            continue
