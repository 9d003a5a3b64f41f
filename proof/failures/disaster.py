"""A shop that is restored from an older backup, and two copies of it that work at one gateway by mistake."""

from __future__ import annotations

import copy
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from traceback import format_exc
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.test.utils import override_settings

from proof.failures.processes import in_child
from proof.failures.scripts import Script, authorized, do, sale
from proof.failures.world import RealWorld
from proof.gateway_truth import approved_under, check_sent_once, requests_of
from proof.histories.verbs import person
from proof.results import Tally
from wallet_gateway import gateways, payments
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import Approval, BatchKind, Discrepancy, GatewayTransaction, OperationBatch
from wallet_gateway.payments.status import type_of
from wallet_gateway.testing.invariants import check_books, require

S = TransactionState


@dataclass(frozen=True, slots=True)
class Site:
    """One copy of the shop, with a file of its own: whatever it does, it does in a process of its own."""

    world: RealWorld
    file: Path
    sends: bool = True
    """Whether its settings have `SENDING_ENABLED`."""

    def do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work returns
        """Do this with the site's own database."""
        ending = in_child(lambda: self._do(work))
        is_done = not (ending.killed or ending.error)
        require(is_done, "a site does what it is told to", ending.error or "it hung")
        return ending.result

    def _do(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        connections.close_all()
        connection.settings_dict["NAME"] = str(self.file)
        given: Any = copy.deepcopy(settings.WALLET_GATEWAY)
        given["GATEWAYS"]["default"]["SENDING_ENABLED"] = self.sends
        with override_settings(WALLET_GATEWAY=given):
            self.world.connect()
            return work()

    def backup(self, name: str) -> Site:
        """Copy its database while nobody works on it; the copy does not send."""
        self.do(lambda: connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        file = self.file.with_name(name)
        shutil.copyfile(self.file, file)
        return replace(self, file=file, sends=False)


# A backup finds something in every state to go on with: an open page, an order that is not paid yet, a shown
# button, a request of a second person, operations that were not sent, a dead sender, and a batch.
_BEFORE = (
    *(do("order"), do("checkout")),
    do("order", number=1),
    *sale(2),
    *authorized(3),
    *sale(4),
    *(do("order", number=5), do("show_button", which=-1)),
    *(*sale(6), do("refund", which=-1, percent=100)),
    *(*authorized(7), do("capture", "refused", which=-1, percent=25)),
    *(*sale(8), do("refund", "refused", which=-1, percent=25)),
    *(*authorized(9), do("capture", which=-1, percent=25, dies_at="answer read")),
    *sale(10),
    *sale(11),
)
_CLICKS = (do("refund", percent=25), do("capture", percent=25))
# Some minutes later: customers have paid, people clicked, and the sweep did what was due.
_AFTERWARDS = (
    do("decide_page", which=-1),
    do("pay_on_page", which=1),
    *_CLICKS,
    do("portal", which=2, type="ecom.refund", percent=25),
    do("pay_by_button", which=-1),
    do("agree", by="bert"),
    *(step for wait in (30, 125, 360) for step in (do("wait", seconds=wait), do("sweep"))),
)


def run(world: RealWorld, chance: Random) -> Tally:
    """Go through both disasters."""
    tally, site = Tally(), Site(world, Path(connection.settings_dict["NAME"]))
    for disaster in (restore, two_sites):
        world.restart(Script(disaster.__name__, (), ()).history)
        tally.runs += 1
        try:
            tally.notes += [f"{disaster.__name__}: {note}" for note in disaster(world, site)]
        except AssertionError:
            tally.failures.append(f"{disaster.__name__}: {format_exc()}")
    return tally


def _before(world: RealWorld) -> None:
    world.carry_out(_BEFORE, may_be_idle=False)
    orders = [payments.get_order(f"ORDER-{number}") for number in (10, 11)]
    batch = payments.batches.draft(BatchKind.REFUND, orders, by=person("anna"))
    rows = list(batch.rows.all())
    for row in rows:
        row.amount_minor = 500
    payments.batches.start(batch, rows)


def _references() -> set[str]:
    return set(GatewayTransaction.objects.values_list("reference", flat=True))


# A backup is restored while the gateway has gone on: the runbook's way, and what must be true at its end


def restore(world: RealWorld, site: Site) -> list[str]:
    """Lose a shop and go on from an older backup; return what only the provider's list can tell."""
    site.do(lambda: _before(world))
    restored = site.backup("restored.sqlite3")
    site.do(lambda: world.carry_out(_AFTERWARDS, may_be_idle=False))
    world.time.pass_by(3_600)
    sent = requests_of(world.control)
    restored.do(_as_the_runbook_says)
    require(
        requests_of(world.control) == sent, "nothing is sent before everything was asked about", "restore"
    )
    restored.do(lambda: _check_known(world))
    restored.do(_stop_what_may_be_done)
    restored.do(lambda: payments.maintenance.resume_sending("default", by="anna", reason="compared"))
    restored = replace(restored, sends=True)
    restored.do(lambda: world.sweep_after(30, 400, 3_700, 90_000))
    check_sent_once(world.control)
    restored.do(check_books)
    restored.do(lambda: _check_known(world))
    lost = {reference for _, reference in requests_of(world.control)} - restored.do(_references)
    return [f"{len(lost)} references are in the provider's list alone; all others are booked or told"]


def _as_the_runbook_says() -> None:
    payments.sweep()
    quiet: dict[str, Any] = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("wallet_stop", by="anna", reason="restored from a backup", **quiet)
    call_command("wallet_reconcile", days=400, unsent=True, **quiet)
    call_command("wallet_reconcile", days=400, unsent=True, repair=True, by="anna", **quiet)


def _stop_what_may_be_done() -> None:
    """What the backup would begin, and may have been begun since under another reference."""
    for batch in OperationBatch.objects.filter(state="RUNNING"):
        payments.batches.stop(batch, by="anna")
    for request in Approval.objects.filter(state="WAITING"):
        payments.approvals.decline(request, by=person("bert"), reason="restored from a backup")


def _check_known(world: RealWorld) -> None:
    """Whatever the gateway did under a reference that is known here is booked, or reported to a person."""
    asked = {reference for _, reference in requests_of(world.control)}
    for row in GatewayTransaction.objects.filter(reference__in=asked):
        approved = approved_under(row.reference, gateways.gateway("default"))
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


def _executions(reference: str) -> int:
    return len(approved_under(reference, gateways.gateway("default")))


def two_sites(world: RealWorld, site: Site) -> list[str]:
    """Let both go on from one backup; return what was doubled, and who sees it."""
    # A gateway that recognises repetitions would hide the double.
    world.control.behaviour(duplicates="execute")
    site.do(lambda: _before(world))
    sites = (site, replace(site.backup("other.sqlite3"), sends=True))
    common = site.do(_references)
    site.do(lambda: world.carry_out(_AFTERWARDS, may_be_idle=False))
    # People at the other copy do the same once more, as far as the gateway lets them.
    sites[1].do(lambda: world.carry_out(_CLICKS))
    for seconds in (30, 400, 3_700, 90_000):
        world.time.pass_by(seconds)
        for one in sites:
            one.do(payments.sweep)
    for one in sites:
        one.do(check_books)
    ours, theirs = (one.do(_references) - common for one in sites)
    require(not ours & theirs, "no reference is taken twice by accident", ours & theirs)
    sent = Counter(reference for _, reference in requests_of(world.control))
    twice = sorted(reference for reference, times in sent.items() if times > 1)
    require(set(twice) <= common, "only what waited in the backup is sent by both", set(twice) - common)
    doubled = [reference for reference in twice if site.do(partial(_executions, reference)) > 1]
    for reference in doubled:
        told = Discrepancy.objects.filter(transaction__reference=reference)
        seen = [one.do(told.exists) for one in sites]
        require(all(seen), "a double is seen at both sites", reference)
    return [
        f"sent by both under one reference: {len(twice)}, carried out twice: {len(doubled)}, told at both",
        f"begun by each for itself: {len(ours)} and {len(theirs)}, under references that the other has not",
    ]
