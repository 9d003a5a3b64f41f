"""What must be true after a killed process, once others have done what they do by themselves.

Nobody but the sweep and the caller, who calls again, has done anything. Whatever has not ended by then waits
for a person.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from proof.gateway_truth import MOVES_MONEY, GatewayTruth, check_sent_once
from proof.kills.operations import Operation
from wallet_gateway import gateways
from wallet_gateway.domain.lifecycle import FINAL_STATES, TransactionKind, TransactionState
from wallet_gateway.domain.record_attribution import minor_units
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxEvent, PaymentOrder
from wallet_gateway.operations.polling.status_query import type_of
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books, require

S = TransactionState


def check_all(control: SandboxControl, operation: Operation, *, since: int) -> None:
    """Raise `BooksDisagree` for the first claim that does not hold; `since` was the journal's length."""
    check_books()
    check_sent_once(control)
    journal = [entry for entry in control.journal()[since:] if entry["operation"] in MOVES_MONEY]
    check_written_down(journal)
    check_gateways_word()
    sent = Counter(entry["operation"] for entry in journal)
    for name, most in operation.at_most.items():
        require(sent[name] <= most, f"sent {most} times at most, not {sent[name]}", name)
    check_ended()
    if not (operation.is_elsewhere or operation.opens_pages):
        require(not Discrepancy.objects.exists(), "nothing contradicts anything", operation.name)
    for row in GatewayTransaction.objects.filter(attempt_no__gt=0).exclude(kind=TransactionKind.CHECKOUT):
        check_end(row, operation)


def check_written_down(journal: list[dict[str, Any]]) -> None:
    """Nothing came to the gateway of which no row tells."""
    asked = {entry["body"]["clientSystemTransactionId"] for entry in journal}
    known = GatewayTransaction.objects.filter(reference__in=asked).values_list("reference", flat=True)
    require(asked == set(known), "each request to the gateway has its row", asked - set(known))


def check_gateways_word() -> None:
    """Each sum here is the gateway's, unless a person was called; nothing happened twice."""
    gateway = gateways.gateway("default")
    for order in PaymentOrder.objects.all():
        truth = GatewayTruth(order, gateway)
        truth.check_allowed_for()
        truth.check_known()
    for deposit in MigratedDeposit.objects.filter(is_frozen=False):
        done = 0
        for row in GatewayTransaction.objects.filter(deposit=deposit):
            records = [one for one in gateway.status(row.reference).message.records if one.is_approved]
            require(len(records) <= 1, "carried out once", row)
            done += sum(minor_units(record) or 0 for record in records)
        # The file says 10.00 were given back before.
        require(deposit.refunded == done, f"refunded is what the gateway carried out, {done}", deposit)


def check_ended() -> None:
    """A day after the kill, each row has ended or waits for a person, and each event is told."""
    for row in GatewayTransaction.objects.exclude(state__in=FINAL_STATES):
        require(
            row.needs_operator or row.state == S.ANOMALY or _is_paid_late(row),
            "it has ended or waits for a person",
            f"{row} {row.state}",
        )
    require(
        not OutboxEvent.objects.filter(delivered_at__isnull=True).exists(),
        "each event is delivered",
        OutboxEvent.__name__,
    )


def check_end(row: GatewayTransaction, operation: Operation) -> None:
    """What was sent is approved if it was carried out, and else unknown: nothing proves the contrary."""
    records = gateways.gateway("default").status(row.reference).message.records
    done = any(one.state == "Approved" and one.type.lower() == type_of(row) for one in records)
    require(
        (row.state == S.APPROVED) == done, "approved here is what was carried out there", f"{row} {row.state}"
    )
    if row.state == S.REJECTED:
        require(operation.is_refused, "only the gateway's refusal rejects it", row)
    if row.state == S.ABANDONED:
        require(operation.name == "resolution", "only a person gives it up", row)


def _is_paid_late(row: GatewayTransaction) -> bool:
    """A page that a repeated call has opened lives until its end."""
    return row.state == S.OPEN and row.next_query_at is not None
