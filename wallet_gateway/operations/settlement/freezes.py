"""Takes the freeze off a payment or deposit, once nothing contradicts the books any more, and tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TypeVar

from django.db.models import Exists, F, OuterRef, QuerySet
from django.views.decorators.debug import sensitive_variables

from wallet_gateway.domain.discrepancies import FREEZING
from wallet_gateway.domain.lifecycle import IntentState, PaymentState, TransactionKind
from wallet_gateway.domain.standing import payment_state
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxFact, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.booking import OPENING
from wallet_gateway.operations.settlement.counters import Outrun, write_order
from wallet_gateway.operations.settlement.db_transactions import in_transaction
from wallet_gateway.operations.settlement.notifications import facts_of_thawed
from wallet_gateway.operations.settlement.outbox import deliver
from wallet_gateway.operations.settlement.row_errors import alone, rows_of
from wallet_gateway.operations.settlement.settle import add_facts, reread

P = TypeVar("P", Payment, MigratedDeposit)
_TRIES = 5


def unfreeze(intent: GatewayTransaction, *, context: GatewayContext) -> None:
    """Let operations touch the payment or deposit of an intent again, if no difference on it is open."""
    for _ in range(_TRIES):
        try:
            facts = in_transaction(lambda: _unfreeze(intent, context.clock.now()))
        except Outrun:
            continue
        break
    else:
        facts = in_transaction(lambda: _unfreeze(intent, context.clock.now()))
    deliver(facts, clock=context.clock)


@sensitive_variables()
def thaw(*, context: GatewayContext, limit: int) -> int:
    """Lift freezes that nothing asks for any more, whose lifter died before doing it; return how many."""
    forgotten = list(_forgotten(context.alias, limit))
    for intent in forgotten:
        with alone(intent.reference):
            unfreeze(intent, context=context)
    return len(forgotten)


def _forgotten(gateway: str, limit: int) -> Iterator[GatewayTransaction]:
    """Yield an intent of each payment and deposit that is frozen although nothing contradicts the books."""
    # Whether anything is frozen is asked first: the whole question would be most of an idle sweep.
    frozen = Payment.objects.filter(state=PaymentState.FROZEN, order__gateway=gateway)
    if frozen.exists():
        payments = list(_uncontradicted(frozen, "payment").values_list("pk", flat=True)[:limit])
        yield from GatewayTransaction.objects.filter(payment__in=payments, kind__in=OPENING)
    # A deposit is frozen with a difference: the few that ever had one are looked at, and not all.
    differed = Discrepancy.objects.filter(deposit__isnull=False, closed_at__isnull=False)
    if differed.exists():
        deposits = MigratedDeposit.objects.filter(
            frozen=True, gateway=gateway, pk__in=differed.values("deposit")
        )
        for deposit in rows_of(_uncontradicted(deposits, "deposit"), limit=limit):
            yield from deposit.transactions.all()[:1]


def _uncontradicted(rows: QuerySet[P], parent: str) -> QuerySet[P]:
    of = {parent: OuterRef("pk")}
    still_open = Discrepancy.objects.filter(**of, kind__in=FREEZING, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**of, state=IntentState.ANOMALY)
    return rows.filter(~Exists(still_open), ~Exists(anomalies))


def _unfreeze(intent: GatewayTransaction, now: datetime) -> tuple[OutboxFact, ...]:
    # The transaction may be run again, so every run starts from rows as they then are.
    intent = reread(intent)
    if intent.deposit is not None:
        # The row is locked before anything is looked at: whoever freezes it meanwhile comes after us.
        MigratedDeposit.objects.filter(pk=intent.deposit.pk).update(refunded=F("refunded"))
        still_frozen = _is_contradicted(deposit=intent.deposit)
        MigratedDeposit.objects.filter(pk=intent.deposit.pk).update(frozen=still_frozen)
    elif intent.payment is not None and not _is_contradicted(payment=intent.payment):
        return _unfreeze_payment(intent.payment, now)
    return ()


def _is_contradicted(**parent: Payment | MigratedDeposit) -> bool:
    still_open = Discrepancy.objects.filter(**parent, kind__in=FREEZING, closed_at__isnull=True)
    anomalies = GatewayTransaction.objects.filter(**parent, state=IntentState.ANOMALY)
    return still_open.exists() or anomalies.exists()


def _unfreeze_payment(payment: Payment, now: datetime) -> tuple[OutboxFact, ...]:
    payment.frozen = False
    opening = payment.opening
    payment.state = payment_state(payment.sums, IntentState(opening.state), TransactionKind(opening.kind))
    write_order(payment, now)
    Payment.objects.filter(pk=payment.pk).update(state=payment.state, frozen=False)
    return tuple(fact for intent in _untold(payment) for fact in _tell(intent, payment, now))


def _untold(payment: Payment) -> QuerySet[GatewayTransaction]:
    # Whatever is told of money has an amount.
    told = OutboxFact.objects.filter(intent=OuterRef("pk"), amount_minor__isnull=False)
    kinds = (*OPENING, TransactionKind.CAPTURE)
    approved = payment.transactions.filter(state=IntentState.APPROVED, kind__in=kinds)
    return approved.filter(~Exists(told)).order_by("pk")


def _tell(intent: GatewayTransaction, payment: Payment, now: datetime) -> tuple[OutboxFact, ...]:
    intent.payment = payment
    return add_facts(intent, facts_of_thawed(intent), now)
