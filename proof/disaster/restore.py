"""A backup is restored while the gateway has gone on: the runbook's way, and what must be true at its end."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from proof.disaster.history import afterwards, before, references
from proof.disaster.sites import Site
from proof.gateway_truth import MOVES_MONEY, check_sent_once
from proof.kills.world import World
from wallet_gateway import gateways, payments
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
)
from wallet_gateway.operations.polling.status_query import type_of
from wallet_gateway.testing.invariants import check_books, require

S = TransactionState


def restore(world: World, site: Site, folder: Path) -> list[str]:
    """Lose a shop and go on from an older backup; return what only the provider's list can tell."""
    left = site.do(lambda: before(world))
    restored = site.backup(folder / "restored.sqlite3")
    site.do(lambda: afterwards(world, left))
    world.advance(3_600)
    sent = len(_moving(world))
    restored.do(_as_the_runbook_says)
    require(len(_moving(world)) == sent, "nothing is sent before everything was asked about", "restore")
    restored.do(lambda: _check_known(world))
    restored.do(lambda: _stop_what_may_be_done(world))
    restored.do(lambda: payments.maintenance.resume_sending("default", by="anna", reason="compared"))
    for seconds in (30, 400, 3_700, 90_000):
        world.advance(seconds)
        restored.sending().do(payments.sweep)
    check_sent_once(world.control)
    restored.do(check_books)
    restored.do(lambda: _check_known(world))
    known = restored.do(references)
    lost = {_reference(entry) for entry in _moving(world)} - known
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
    gateway = gateways.gateway("default")
    known = {row.reference: row for row in GatewayTransaction.objects.all()}
    for reference in {_reference(entry) for entry in _moving(world)} & set(known):
        row, records = known[reference], gateway.status(reference).message.records
        approved = [one for one in records if one.state == "Approved"]
        done = [one for one in approved if one.type.lower() == type_of(row)]
        require(len(done) <= 1, "carried out once", row)
        require(
            not done or row.state in {S.APPROVED, S.ANOMALY},
            "booked, or told to a person",
            f"{row} {row.state}",
        )
        if len(approved) > len(done):
            told = Discrepancy.objects.filter(transaction=row) | Discrepancy.objects.filter(
                payment=row.payment
            )
            require(told.exists(), "what was made in the portal is told", row)


def _moving(world: World) -> list[dict[str, Any]]:
    return [entry for entry in world.control.journal() if entry["operation"] in MOVES_MONEY]


def _reference(entry: dict[str, Any]) -> str:
    return str(entry["body"]["clientSystemTransactionId"])
