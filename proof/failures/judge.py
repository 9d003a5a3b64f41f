"""What others do after something went wrong in one process, and what must be true then.

Callers call again, customers pay, sweeps run for a day, all in a new process, and nobody decides anything.
Whatever has not ended by then waits for a person.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from typing import Any

from proof.failures.operations import Call, Expected
from proof.failures.processes import in_child
from proof.failures.world import World, reference_of, refusals
from proof.gateway_truth import DepositTruth, GatewayTruth, check_references_sent_once
from wallet_gateway import gateways
from wallet_gateway.domain.states import FINAL_STATES, TransactionKind, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxEvent, PaymentOrder
from wallet_gateway.payments.status import type_of
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.testing.control import SandboxRefused
from wallet_gateway.testing.invariants import check_books, check_events, require

S = TransactionState
_AFTER = (125, 5, 20, 70, 310, 3_700, 90_000)
"""Seconds between the sweeps: past the lease, up the ladder, and a day."""
_ONCE_MORE = (310, 90_000)
"""The same after the caller has called again."""


def look_after(world: World, expected: Expected, call: Call, *, since: int, chance: random.Random) -> str:
    """Let a new process do the rest and compare; return what is wrong, or nothing.

    `since` was the length of the gateway's journal before the call.
    """
    is_impatient, pays = chance.random() < 0.5, expected.opens_pages and chance.random() < 0.5

    def others() -> None:
        if is_impatient:
            with refusals():
                call()
        for row in GatewayTransaction.objects.filter(kind=TransactionKind.CHECKOUT) if pays else ():
            # Those pages too whose address the shop has lost.
            with suppress(SandboxRefused):
                world.control.complete_checkout(row.reference, "success")
        world.sweep_after(*_AFTER)
        with refusals():
            call()
        world.sweep_after(*_ONCE_MORE)
        _check_all(world, expected, since=since)

    ending = in_child(others)
    if ending.killed or ending.error:
        world.as_new()
        return f"(is_impatient={is_impatient} pays={pays}) {ending.error or 'it hung'}"
    return ""


def _check_all(world: World, expected: Expected, *, since: int) -> None:
    check_books()
    check_events()
    check_sent_once(world)
    _check_sent(world.sent(since), expected)
    for order in PaymentOrder.objects.all():
        check_gateways_word(order)
    for deposit in MigratedDeposit.objects.all():
        DepositTruth(deposit, gateways.gateway("default")).check_known()
    _check_ended()
    if not (expected.is_elsewhere or expected.opens_pages):
        require(not Discrepancy.objects.exists(), "nothing contradicts anything", expected.name)
    for row in GatewayTransaction.objects.filter(attempt_no__gt=0).exclude(kind=TransactionKind.CHECKOUT):
        _check_end(row, expected)


def check_sent_once(world: World) -> None:
    """No request that moves money came to the gateway a second time."""
    check_references_sent_once(Counter(map(reference_of, world.sent())))


def _check_sent(requests: list[dict[str, Any]], expected: Expected) -> None:
    """Nothing came to the gateway without a row, and nothing more often than it may."""
    asked = {reference_of(request) for request in requests}
    known = GatewayTransaction.objects.filter(reference__in=asked).values_list("reference", flat=True)
    require(asked == set(known), "each request to the gateway has its row", asked - set(known))
    sent = Counter(request["operation"] for request in requests)
    for name, most in expected.at_most.items():
        require(sent[name] <= most, f"sent {most} times at most, not {sent[name]}", name)


def check_gateways_word(order: PaymentOrder) -> None:
    """Each sum here is the gateway's, unless a person was called; nothing happened twice."""
    truth = GatewayTruth(order, gateways.gateway("default"))
    truth.check_allowed_for()
    truth.check_known()


def records_of(reference: str) -> list[StatusRecord]:
    """Return what the gateway has approved under a reference."""
    records = gateways.gateway("default").status(reference).message.records
    return [record for record in records if record.is_approved]


def _check_ended() -> None:
    """A day after the fault, each row has ended or waits for a person, and each event is delivered."""
    for row in GatewayTransaction.objects.exclude(state__in=FINAL_STATES):
        # A page that a repeated call has opened lives until its end.
        lives = row.state == S.OPEN and row.next_query_at is not None
        require(
            row.needs_operator or row.state == S.ANOMALY or lives,
            "it has ended or waits for a person",
            f"{row} {row.state}",
        )
    waiting = OutboxEvent.objects.filter(delivered_at__isnull=True)
    require(not waiting.exists(), "each event is delivered", OutboxEvent.__name__)


def _check_end(row: GatewayTransaction, expected: Expected) -> None:
    """What was carried out is approved, anything else is unknown: nothing proves the contrary."""
    done = any(record.type.lower() == type_of(row) for record in records_of(row.reference))
    what = f"{row} {row.state}"
    require((row.state == S.APPROVED) == done, "approved here is what was carried out there", what)
    require(row.state != S.REJECTED or expected.is_refused, "only the gateway's refusal rejects it", row)
    require(row.state != S.ABANDONED or expected.is_given_up, "only a person gives it up", row)
