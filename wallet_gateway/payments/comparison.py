"""Compare our records with the gateway's, transaction by transaction, and repair differences on request.

A comparison only sends status queries and writes its own position. A repair records the gateway's answer as a
transaction event with an author: states and totals follow by the normal rules, and a case that no rule
decides becomes a discrepancy for a person. No request that moves money is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db.models import Q, QuerySet

from wallet_gateway.context import GatewayContext, asked_about
from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode, explain
from wallet_gateway.domain.error_codes import GATEWAY_SILENT
from wallet_gateway.domain.evidence import Finding, FoundDiscrepancy
from wallet_gateway.domain.gateway_records import as_status_update, differences
from wallet_gateway.domain.people import Actor
from wallet_gateway.domain.polling_schedule import SETTLE_TIME
from wallet_gateway.domain.states import UNSENT_STATES, TransactionOrigin, TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import Change, apply, reread
from wallet_gateway.ledger.discrepancies import is_settled_by_person
from wallet_gateway.ledger.repair import book_by_policy
from wallet_gateway.ledger.transactions import check_outside_transaction, in_statement
from wallet_gateway.models import GatewayTransaction, Job, JobPosition, TransactionEventKind
from wallet_gateway.operation_errors import GatewayUnreachable
from wallet_gateway.payments.status import contradict_others, others_told_otherwise, query_status

BACKOFF = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds between tries while the gateway does not answer; after the last try the comparison stops."""
_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTransaction:
    """The result of comparing one transaction."""

    transaction: GatewayTransaction
    """The transaction as it is now."""
    differences: tuple[FoundDiscrepancy, ...]
    """What differs; empty if nothing does."""
    repaired: bool = False
    """Whether the differences were recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of the shop's records with one gateway's; it runs while `rows` is read."""

    total: int
    """The number of transactions to compare."""
    rows: Iterator[ComparedTransaction]
    """The result for each of them; the gateway is asked while this is read."""


@sensitive_variables()
def comparison(
    gateway: str, *, days: int, repair_as: str = "", resume: bool = False, unsent: bool = False
) -> Comparison:
    """Compare the transactions of one gateway that were created or changed lately with its records.

    It keeps to the gateway's `QUERIES["RATE"]` and runs while the rows are read. Reading them raises
    `GatewayUnreachable` when the gateway stops answering; `resume` continues there.

    :param gateway: its alias in the settings: `"default"`.
    :param days: how far back, a whole number: `30`.
    :param repair_as: the person in whose name differences are recorded; empty to change nothing.
    :param resume: continue an interrupted comparison.
    :param unsent: include what was not sent as far as these records say: after a restored backup the gateway
        may know more of it.
    :returns: the number of transactions, and the rows to read.
    :raises GatewayUnreachable: `gateway_silent`, while the rows are read.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    check_outside_transaction("payments.maintenance.comparison")
    context = context_of(gateway)
    after = JobPosition.of(Job.LEDGER_COMPARISON, gateway=context.alias) if resume else 0
    since = context.clock.now() - timedelta(days=days)
    sent = GatewayTransaction.objects.filter(
        # A live gateway does not know the tests.
        asked_about(context),
        Q(state_changed_at__gte=since) | Q(created_at__gte=since),
        gateway=context.alias,
        origin=TransactionOrigin.SHOP,
    )
    left_out = {TransactionState.SENDING} if unsent else UNSENT_STATES | {TransactionState.SENDING}
    compared = sent.exclude(state__in=sorted(left_out)).order_by("pk")
    return Comparison(
        total=compared.filter(pk__gt=after).count(),
        rows=_compare_all(compared, after, repair_as, context),
    )


def _compare_all(
    compared: QuerySet[GatewayTransaction], after: int, repair_as: str, context: GatewayContext
) -> Iterator[ComparedTransaction]:
    """Compare transactions one by one, at the gateway's query rate and with bounded memory."""
    rows = compared.select_related("payment__order", "deposit")
    pause, last = 1 / context.policy.query_rate, after
    while batch := list(rows.filter(pk__gt=last)[:_BATCH]):
        for transaction in batch:
            yield _compare(transaction, repair_as, context)
            last = transaction.pk
            _remember(context, last)
            context.clock.sleep(pause)
    _remember(context, 0)


def _insist(transaction: GatewayTransaction, context: GatewayContext) -> Finding:
    for wait in BACKOFF:
        finding = query_status(transaction, context=context)
        if finding is not None:
            return finding
        context.clock.sleep(wait)
    finding = query_status(transaction, context=context)
    if finding is None:
        raise GatewayUnreachable(*GATEWAY_SILENT, gateway=context.alias, address=context.policy.address)
    return finding


def _compare(transaction: GatewayTransaction, repair_as: str, context: GatewayContext) -> ComparedTransaction:
    before = reread(transaction)
    finding = _insist(before, context)
    transaction = reread(before)
    if (transaction.state, transaction.state_changed_at) != (before.state, before.state_changed_at):
        # It changed in the meantime.
        finding = _insist(transaction, context)
    if finding.absent and transaction.state_changed_at > context.clock.now() - SETTLE_TIME:
        # A gateway may show a record only some time after its answer.
        finding = replace(finding, absent=False)
    event, said = as_status_update(TransactionState(transaction.state), finding)
    is_settled = is_settled_by_person(transaction, said)
    found = differences(TransactionState(transaction.state), finding, is_settled=is_settled)
    others = others_told_otherwise(transaction, finding)
    told = tuple(one for _, judged in others for one in differences(TransactionState.APPROVED, judged))
    if not (found or told) or not repair_as:
        return ComparedTransaction(transaction=transaction, differences=found + told)
    actor = Actor(name=repair_as)
    if others:
        why = _reconciled(told)
        transaction = contradict_others(transaction, others, context, explanation=why, actor=actor)
    if not found:
        return ComparedTransaction(transaction=transaction, differences=told, repaired=True)
    change = Change(
        kind=TransactionEventKind.RECORDS,
        event=event,
        finding=book_by_policy(transaction, said, context=context),
        queried_in=(TransactionState(transaction.state), transaction.state_changed_at),
        explanation=_reconciled(found),
        actor=actor,
    )
    return ComparedTransaction(
        transaction=apply(transaction, change, context=context), differences=found + told, repaired=True
    )


def _reconciled(found: Sequence[FoundDiscrepancy]) -> Explanation:
    named = [{"code": one.explanation.code, "params": one.explanation.stored_params} for one in found]
    return explain(ExplanationCode.RECONCILED, count=len(named), differences=named)


def _remember(context: GatewayContext, pk: int) -> None:
    now = context.clock.now()
    in_statement(lambda: JobPosition.move(Job.LEDGER_COMPARISON, pk, gateway=context.alias, now=now))
