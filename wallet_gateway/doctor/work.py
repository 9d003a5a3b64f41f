"""What goes on in this shop: whether the sweep runs, what waits for a person, and whether it may go live."""

from __future__ import annotations

from collections.abc import Iterator

from wallet_gateway import conf, wiring
from wallet_gateway.doctor.findings import Finding, bad, doubtful, good
from wallet_gateway.models import PaymentOrder, WorkMark
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.texts import check_storable
from wallet_gateway.queries.health import SWEEP_IS_LATE, health

_CHECKED = "checked:"


class UnableToRecord(OperationRefused):
    """The payment cannot stand for the others; nothing was recorded."""


def look_at_work() -> Iterator[Finding]:
    """Say when each gateway was last swept and what waits for a person."""
    now, aliases = wiring.clock().now(), tuple(conf.settings().gateways)
    found = health(now, aliases)
    late = [alias for alias, at in found.swept_at.items() if at is None or now - at > SWEEP_IS_LATE]
    for problem in found.problems:
        if problem.startswith(tuple(f"{alias} was last swept" for alias in late)):
            yield bad("sweep", problem, "Run manage.py wallet_sweep every minute, or with --loop.")
        else:
            yield doubtful("work", problem, "See docs/runbook.md.")
    if not late:
        yield good("sweep", f"every gateway was swept within {SWEEP_IS_LATE.seconds // 60} minutes")


def record_payment(reference: str, *, author: str) -> PaymentOrder:
    """Note that a person has compared a real payment of a small amount with the bank statement.

    Raises `UnableToRecord` when no money of the order was taken, and `PaymentOrder.DoesNotExist`.
    """
    check_storable(reference=reference, author=author)
    if not author.strip():
        raise UnableToRecord("it needs the name of whoever compared it with the bank statement")
    order = PaymentOrder.objects.get(reference=reference)
    if not order.payments.filter(captured__gt=0).exists():
        raise UnableToRecord(f"no money of order {reference} was taken")
    note = f"{order.amount}, order {reference}, compared by {author.strip()[:150]}"
    WorkMark.set(_CHECKED + order.gateway, now=wiring.clock().now(), note=note[:500])
    return order


def look_before_going_live() -> Iterator[Finding]:
    """Demand what only a live shop needs: the live profile, and a real payment that a person has checked."""
    for alias, given in conf.settings().gateways.items():
        subject = f"going live with {alias}"
        if given.account.profile != "prod":
            yield bad(subject, f"PROFILE is {given.account.profile!r}", "Set it to 'prod'.")
        mark = WorkMark.objects.filter(name=_CHECKED + alias).first()
        if mark is None:
            yield bad(
                subject,
                "no real payment was compared with the bank statement",
                "Pay an order of a small amount, compare it, and record it with --record-payment REFERENCE.",
            )
        else:
            yield good(subject, mark.note)
