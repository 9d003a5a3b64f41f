"""A shop that is restored from an older backup, and two copies of it that work at one gateway by mistake."""

from __future__ import annotations

import copy
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from traceback import format_exc
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.test.utils import override_settings

from proof.failures.judge import check_sent_once, records_of
from proof.failures.operations import FIVE, capture_and_die, waiting_approval
from proof.failures.processes import in_child
from proof.failures.tally import Tally
from proof.failures.world import World, again, gateway_out_of_reach, reference_of, refusals
from proof.wallet_customer import Customer
from wallet_gateway import gateways, payments
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import (
    Approval,
    BatchKind,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    PaymentOrder,
)
from wallet_gateway.payments.status import type_of
from wallet_gateway.testing.invariants import check_books, require

S = TransactionState
_SESSION = "key-of-ada"


@dataclass(frozen=True, slots=True)
class Site:
    """One copy of the shop, with a file of its own: whatever it does, it does in a process of its own."""

    file: Path
    sends: bool = True
    """Whether its settings have `SENDING_ENABLED`."""

    def do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work returns
        """Do this with the site's own database."""
        ending = in_child(lambda: self._do(work))
        require(
            not (ending.killed or ending.error), "a site does what it is told to", ending.error or "it hung"
        )
        return ending.result

    def _do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        connections.close_all()
        connection.settings_dict["NAME"] = str(self.file)
        given: Any = copy.deepcopy(settings.WALLET_GATEWAY)
        given["GATEWAYS"]["default"]["SENDING_ENABLED"] = self.sends
        with override_settings(WALLET_GATEWAY=given):
            return work()

    def backup(self, name: str) -> Site:
        """Copy its database while nobody works on it; the copy does not send."""
        self.do(lambda: connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        file = self.file.with_name(name)
        shutil.copyfile(self.file, file)
        return Site(file, sends=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a backup finds: something in every state to go on with."""

    page: str
    unpaid: PaymentOrder
    paid: PaymentOrder
    authorized: PaymentOrder
    portal: PaymentOrder
    button: PaymentOrder
    request: int


def _before(world: World) -> Left:
    left = Left(
        page=payments.start_checkout(world.order()).reference,
        unpaid=world.order(),
        paid=world.paid(),
        authorized=world.paid("preauthorization"),
        portal=world.paid(),
        button=world.order(),
        request=waiting_approval(world),
    )
    for call, order in (
        (payments.capture, world.paid("preauthorization")),
        (payments.refund, world.paid()),
    ):
        with gateway_out_of_reach():
            call(order, FIVE)
    sent = world.paid("preauthorization")
    in_child(lambda: capture_and_die(sent))
    payments.wallet.open_session(left.button, session=_SESSION)
    batch = payments.batches.draft(BatchKind.REFUND, [world.paid() for _ in range(2)], by=world.anna)
    rows = list(batch.rows.all())
    for row in rows:
        row.amount_minor = 500
    payments.batches.start(batch, rows)
    return left


def _afterwards(world: World, left: Left) -> None:
    """Go on for some minutes: customers pay, people click, the sweep does what is due."""
    world.control.complete_checkout(left.page, "success")
    world.control.complete_checkout(payments.start_checkout(again(left.unpaid)).reference, "success")
    payments.reconcile(again(left.unpaid))
    payments.refund(again(left.paid), FIVE)
    payments.capture(again(left.authorized), FIVE)
    world.control.portal(left.portal.payments.get().reference, "ecom.refund", "5.00")
    Customer(world.control, gateways.context_of("default"), _SESSION).pay(again(left.button))
    payments.approvals.approve(Approval.objects.get(pk=left.request), by=world.ben)
    world.sweep_after(30, 125, 360)


def _references() -> set[str]:
    return set(GatewayTransaction.objects.values_list("reference", flat=True))


# A backup is restored while the gateway has gone on: the runbook's way, and what must be true at its end


def restore(world: World, site: Site) -> list[str]:
    """Lose a shop and go on from an older backup; return what only the provider's list can tell."""
    left = site.do(lambda: _before(world))
    restored = site.backup("restored.sqlite3")
    site.do(lambda: _afterwards(world, left))
    world.advance(3_600)
    sent = len(world.sent())
    restored.do(_as_the_runbook_says)
    require(len(world.sent()) == sent, "nothing is sent before everything was asked about", "restore")
    restored.do(lambda: _check_known(world))
    restored.do(lambda: _stop_what_may_be_done(world))
    restored.do(lambda: payments.maintenance.resume_sending("default", by="anna", reason="compared"))
    restored = replace(restored, sends=True)
    restored.do(lambda: world.sweep_after(30, 400, 3_700, 90_000))
    check_sent_once(world)
    restored.do(check_books)
    restored.do(lambda: _check_known(world))
    lost = set(map(reference_of, world.sent())) - restored.do(_references)
    return [f"{len(lost)} references are in the provider's list alone; all others are booked or told"]


def _as_the_runbook_says() -> None:
    payments.sweep()
    quiet: dict[str, Any] = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("wallet_stop", by="anna", reason="restored from a backup", **quiet)
    call_command("wallet_reconcile", days=400, unsent=True, **quiet)
    call_command("wallet_reconcile", days=400, unsent=True, repair=True, by="anna", **quiet)


def _stop_what_may_be_done(world: World) -> None:
    """What the backup would begin, and may have been begun since under another reference."""
    for batch in OperationBatch.objects.filter(state="RUNNING"):
        payments.batches.stop(batch, by="anna")
    for request in Approval.objects.filter(state="WAITING"):
        payments.approvals.decline(request, by=world.ben, reason="restored from a backup")


def _check_known(world: World) -> None:
    """Whatever the gateway did under a reference that is known here is booked, or reported to a person."""
    for row in GatewayTransaction.objects.filter(reference__in=set(map(reference_of, world.sent()))):
        approved = records_of(row.reference)
        done = [one for one in approved if one.type.lower() == type_of(row)]
        require(len(done) <= 1, "carried out once", row)
        booked = not done or row.state in {S.APPROVED, S.ANOMALY}
        require(booked, "booked, or told to a person", f"{row} {row.state}")
        if len(approved) > len(done):
            told = Discrepancy.objects.filter(transaction=row) | Discrepancy.objects.filter(
                payment=row.payment
            )
            require(told.exists(), "what was made in the portal is told", row)


# Two copies at one gateway: what is doubled, and whether anybody sees it


def two_sites(world: World, site: Site) -> list[str]:
    """Let both go on from one backup; return what was doubled, and who sees it."""
    # A gateway that recognises repetitions would hide the double.
    world.control.behaviour(duplicates="execute")
    left = site.do(lambda: _before(world))
    sites = (site, replace(site.backup("other.sqlite3"), sends=True))
    common = site.do(_references)
    site.do(lambda: _afterwards(world, left))
    sites[1].do(lambda: _click_again(left))
    for seconds in (30, 400, 3_700, 90_000):
        world.advance(seconds)
        for one in sites:
            one.do(payments.sweep)
    for one in sites:
        one.do(check_books)
    ours, theirs = (one.do(_references) - common for one in sites)
    require(not ours & theirs, "no reference is taken twice by accident", ours & theirs)
    sent = Counter(map(reference_of, world.sent()))
    twice = sorted(reference for reference, times in sent.items() if times > 1)
    require(set(twice) <= common, "only what waited in the backup is sent by both", set(twice) - common)
    doubled = [reference for reference in twice if site.do(lambda: len(records_of(reference))) > 1]  # noqa: B023
    for reference in doubled:
        told = Discrepancy.objects.filter(transaction__reference=reference)
        seen = [one.do(told.exists) for one in sites]
        require(all(seen), "a double is seen at both sites", reference)
    return [
        f"sent by both under one reference: {len(twice)}, carried out twice: {len(doubled)}, told at both",
        f"begun by each for itself: {len(ours)} and {len(theirs)}, under references that the other has not",
    ]


def _click_again(left: Left) -> None:
    """Let people at another copy of the shop do the same once more, as far as the gateway lets them."""
    for call, order in ((payments.refund, left.paid), (payments.capture, left.authorized)):
        with refusals():
            call(again(order), FIVE)


def run(world: World, server: object, tally: Tally, chance: object) -> None:
    """Go through both disasters."""
    site = Site(Path(connection.settings_dict["NAME"]))
    for disaster in (restore, two_sites):
        world.as_new()
        tally.runs += 1
        try:
            tally.notes += [f"{disaster.__name__}: {note}" for note in disaster(world, site)]
        except AssertionError:
            tally.failures.append(f"{disaster.__name__}: {format_exc()}")
