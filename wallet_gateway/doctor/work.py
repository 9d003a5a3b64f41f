"""What goes on in this shop: whether the sweep runs, what waits for a person, and whether it may go live."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.exceptions import ImproperlyConfigured

from wallet_gateway import conf, gateways
from wallet_gateway.doctor.findings import Finding, bad, doubtful, good
from wallet_gateway.models import PaymentOrder, WorkMark
from wallet_gateway.operations.inputs import check_storable
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.health import SWEEP_IS_LATE, health

_CHECKED = "checked:"
_LOW_UNITS = 5
"""A small amount in most currencies; where it is not, `GO_LIVE_MAX_AMOUNT` names the limit."""


class UnableToRecord(Exception):
    """The payment cannot stand for the others; nothing was recorded."""


def look_at_work() -> Iterator[Finding]:
    """Say when each gateway was last swept and what waits for a person."""
    now, aliases = gateways.clock().now(), tuple(conf.settings().gateways)
    found = health(now, aliases)
    late = [alias for alias, at in found.swept_at.items() if at is None or now - at > SWEEP_IS_LATE]
    for problem in found.problems:
        if problem.startswith(tuple(f"{alias} was last swept" for alias in late)):
            yield bad("sweep", problem, "Run manage.py wallet_sweep every minute, or with --loop.")
        else:
            yield doubtful("work", problem, "See docs/runbook.md.")
    if not late:
        yield good("sweep", f"every gateway was swept within {SWEEP_IS_LATE.seconds // 60} minutes")


def record_payment(reference: str, *, by: str) -> PaymentOrder:
    """Note that a person has compared a real payment of a small amount with the bank statement.

    Raises `UnableToRecord` when no money of the order was taken, or more than a mistake may cost, and
    `PaymentOrder.DoesNotExist`.
    """
    check_storable(reference=reference, by=by)
    if not by.strip():
        raise UnableToRecord("it needs the name of whoever compared it with the bank statement")
    order = PaymentOrder.objects.get(reference=reference)
    if not order.payments.filter(captured__gt=0).exists():
        raise UnableToRecord(f"no money of order {reference} was taken")
    _check_is_low(order)
    comment = f"{order.amount}, order {reference}, compared by {by.strip()[:150]}"
    WorkMark.set(_CHECKED + order.gateway, now=gateways.clock().now(), comment=comment[:500])
    return order


def low_amount(gateway: str, currency: str) -> Money:
    """Return up to how much the payment may be that is compared before going live."""
    minor = _LOW_UNITS * 10 ** (currency_exponent(currency) or 2)
    given = conf.gateway_settings(gateway).go_live_max_amount
    return Money.from_minor_units(given.get(currency, minor), currency)


def _check_is_low(order: PaymentOrder) -> None:
    """If the decimal point is misread, this payment is a hundred times as much."""
    try:
        low = low_amount(order.gateway, order.currency)
    except ImproperlyConfigured as error:
        raise UnableToRecord(f"order {order.reference} was paid elsewhere: {error}") from error
    if order.amount.minor_units > low.minor_units:
        raise UnableToRecord(
            f"{order.amount} of order {order.reference} is not a low amount: if the decimal point was "
            f"misread, it was a hundred times as much. Pay an order of at most {low} and record that; "
            "GO_LIVE_MAX_AMOUNT in the settings names another limit"
        )


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
                "Pay an order of a low amount, such as 1.00 EUR, compare it, and record it with "
                "--record-payment REFERENCE.",
            )
        else:
            yield good(subject, mark.comment)
