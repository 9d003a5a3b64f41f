"""What others do after something went wrong in one process, and what must be true then.

Callers call again, customers pay, sweeps run for a day, all in a new process, and nobody decides anything.
Whatever has not ended by then waits for a person. As only one thing went wrong, more is asked here than
the judge of the histories may ask, which looks at it as well.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress

from proof.failures.processes import in_child
from proof.failures.scripts import Script
from proof.failures.world import RealWorld, undisturbed
from proof.gateway_truth import DepositTruth, GatewayTruth, approved_under, check_sent_once, requests_of
from proof.histories.judge import Judge
from wallet_gateway import gateways
from wallet_gateway.domain.states import FINAL_STATES, TransactionKind, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxEvent, PaymentOrder
from wallet_gateway.payments.status import type_of
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.invariants import check_books, check_events, require

S = TransactionState
_AFTER = (125, 5, 20, 70, 310, 3_700, 90_000)
"""Seconds between the sweeps: past the lease, up the ladder, and a day."""
_ONCE_MORE = (310, 90_000)
"""The same after the caller has called again."""


def look_after(world: RealWorld, script: Script, chance: random.Random) -> str:
    """Let a new process do the rest and compare; return what is wrong, or nothing."""
    is_impatient, pays = chance.random() < 0.5, script.opens_pages and chance.random() < 0.5
    again = undisturbed(script.acts)

    def others() -> None:
        world.connect()
        if is_impatient:
            world.carry_out(again)
        for row in GatewayTransaction.objects.filter(kind=TransactionKind.CHECKOUT) if pays else ():
            # Those pages too whose address the shop has lost.
            with suppress(SandboxRefused):
                world.sandbox.decide_page(row.reference, "success")
        world.sweep_after(*_AFTER)
        world.carry_out(again)
        world.sweep_after(*_ONCE_MORE)
        _check_undisturbed(world.control, script)
        if not pays:
            # In histories nobody pays on a page whose address was lost.
            look_at_end(world)

    ending = in_child(others)
    if ending.killed or ending.error:
        return f"(is_impatient={is_impatient} pays={pays}) {ending.error or 'it hung'}"
    return ""


def look_at_end(world: RealWorld) -> None:
    """Let the judge of the histories look at a world in which nothing new happens."""
    # What was asked while others were still at work is no last word.
    for row in GatewayTransaction.objects.filter(attempt_no__gt=0):
        gateways.gateway("default").status(row.reference)
    world.read_answers()
    # Who was killed after a decision has not said what they had been shown.
    for row in GatewayTransaction.objects.filter(decided_by_person=True):
        world.decided.setdefault(row.reference, frozenset(world.answers.ever[row.reference]))
    Judge(world).look_at_end()


def _check_undisturbed(control: SandboxControl, script: Script) -> None:
    check_books()
    check_events()
    check_sent_once(control)
    requests = requests_of(control)
    asked = {reference for _, reference in requests}
    known = GatewayTransaction.objects.filter(reference__in=asked).values_list("reference", flat=True)
    require(asked == set(known), "each request to the gateway has its row", asked - set(known))
    sent = Counter(operation for operation, _ in requests)
    for name, most in script.at_most.items():
        require(sent[name] <= most, f"sent {most} times at most, not {sent[name]}", name)
    for order in PaymentOrder.objects.all():
        check_gateways_word(order)
    for deposit in MigratedDeposit.objects.all():
        DepositTruth(deposit, gateways.gateway("default")).check_known()
    undelivered = OutboxEvent.objects.filter(delivered_at__isnull=True)
    require(not undelivered.exists(), "each event is delivered", undelivered)
    # A day after the fault, each row has ended or waits for a person.
    for row in GatewayTransaction.objects.exclude(state__in=FINAL_STATES):
        # A page that a repeated call has opened lives until its end.
        lives = row.state == S.OPEN and row.next_query_at is not None
        waits = row.needs_operator or row.state == S.ANOMALY or lives
        require(waits, "it has ended or waits for a person", f"{row} {row.state}")
    if not (script.is_elsewhere or script.opens_pages):
        require(not Discrepancy.objects.exists(), "nothing contradicts anything", script.name)
    # What was carried out is approved, anything else is unknown: nothing proves the contrary.
    gateway = gateways.gateway("default")
    for row in GatewayTransaction.objects.filter(attempt_no__gt=0).exclude(kind=TransactionKind.CHECKOUT):
        done = any(one.type.lower() == type_of(row) for one in approved_under(row.reference, gateway))
        what = f"{row} {row.state}"
        require((row.state == S.APPROVED) == done, "approved here is what was carried out there", what)
        require(row.state != S.REJECTED or script.is_refused, "only the gateway's refusal rejects it", row)
        require(row.state != S.ABANDONED or script.is_given_up, "only a person gives it up", row)


def check_gateways_word(order: PaymentOrder) -> None:
    """Each sum here is the gateway's, unless a person was called; nothing happened twice."""
    truth = GatewayTruth(order, gateways.gateway("default"))
    truth.check_allowed_for()
    truth.check_known()
