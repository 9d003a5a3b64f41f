"""Two copies of a shop at one gateway: what is doubled, and whether anybody sees it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from proof.disaster.history import afterwards, before, click_again, references
from proof.disaster.sites import Site
from proof.gateway_truth import MOVES_MONEY
from proof.kills.world import World
from wallet_gateway import gateways, payments
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.testing.invariants import check_books, require


def two_sites(world: World, site: Site, folder: Path) -> list[str]:
    """Let both go on from one backup; return what was doubled, and who sees it."""
    # A gateway that recognises repetitions would hide the double.
    world.control.behaviour(duplicates="execute")
    left = site.do(lambda: before(world))
    other = site.backup(folder / "other.sqlite3").sending()
    common = site.do(references)
    site.do(lambda: afterwards(world, left))
    other.do(lambda: click_again(left))
    for seconds in (30, 400, 3_700, 90_000):
        world.advance(seconds)
        for one in (site, other):
            one.do(payments.sweep)
    for one in (site, other):
        one.do(check_books)
    ours, theirs = site.do(references) - common, other.do(references) - common
    require(not ours & theirs, "no reference is taken twice by accident", ours & theirs)
    sent = Counter(
        str(entry["body"]["clientSystemTransactionId"])
        for entry in world.control.journal()
        if entry["operation"] in MOVES_MONEY
    )
    twice = sorted(reference for reference, times in sent.items() if times > 1)
    require(set(twice) <= common, "only what waited in the backup is sent by both", set(twice) - common)
    doubled = 0
    for reference in twice:
        executed = site.do(lambda: _executed(reference))  # noqa: B023
        seen = [one for one in (site, other) if one.do(lambda: _is_seen(reference))]  # noqa: B023
        doubled += executed > 1
        require(executed <= 1 or len(seen) == 2, "a double is seen at both sites", reference)
    return [
        f"sent by both under one reference: {len(twice)}, carried out twice: {doubled}, told at both sites",
        f"begun by each for itself: {len(ours)} and {len(theirs)}, under references that the other has not",
    ]


def _executed(reference: str) -> int:
    records = gateways.gateway("default").status(reference).message.records
    return sum(record.state == "Approved" for record in records)


def _is_seen(reference: str) -> bool:
    row = GatewayTransaction.objects.get(reference=reference)
    return Discrepancy.objects.filter(transaction=row).exists()
