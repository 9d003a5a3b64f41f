"""Checks of the shop's operation: whether the sweep runs, what needs a person, and whether it may go live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf, gateways, payments
from wallet_gateway.findings import Code, Finding, Level, error, ok, warning
from wallet_gateway.models import GatewayTransaction, GoLiveCheck, PaymentOrder
from wallet_gateway.models.fields import cut_to
from wallet_gateway.payments.inputs import check_storable
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.health import SWEEP_IS_LATE, health, payments_by_mode

_LATE = frozenset({Code.NEVER_SWEPT, Code.SWEEP_LATE})


class UnableToRecord(Exception):
    """The payment does not qualify as the comparison before going live; nothing was recorded."""


def look_at_work(*, go_live: bool = False) -> Iterator[Finding]:
    """Return when each gateway was last swept and what needs a person.

    In a new shop, in which nothing waits for a sweep yet, one that never ran is only a warning.
    """
    now, aliases = gateways.clock().now(), tuple(conf.settings().gateways)
    problems = health(now, aliases, conf.wrong_accounts(), gateways.live_aliases()).problems
    late = GatewayTransaction.objects.filter(next_query_at__lt=now - SWEEP_IS_LATE).order_by()
    waiting = aliases if go_live else set(late.values_list("gateway", flat=True).distinct())
    for problem in problems:
        is_new = problem.code is Code.NEVER_SWEPT and problem.params["gateway"] not in waiting
        yield replace(problem, level=Level.WARNING) if is_new else problem
    if not _LATE.intersection(problem.code for problem in problems):
        message = _("every gateway was swept within %(minutes)d minutes")
        yield ok("sweep", message, minutes=SWEEP_IS_LATE.seconds // 60)


def record_payment(reference: str, *, amount: str, by: str, gateway: str | None = None) -> PaymentOrder:
    """Record that a person has compared a real payment with the bank statement.

    Raises `UnableToRecord` if no real money of the order was taken, or not what the statement shows, and what
    `payments.get_order` raises.

    :param amount: what the bank statement shows, in the currency of the order.
    """
    check_storable(reference=reference, by=by)
    if not by.strip():
        raise UnableToRecord("it needs the name of whoever compared it with the bank statement")
    order = payments.get_order(reference, gateway=gateway)
    try:
        conf.gateway_settings(order.gateway)
        shown = Money.parse(amount, order.currency)
    except ImproperlyConfigured as error:
        raise UnableToRecord(f"order {reference} was paid elsewhere: {error}") from error
    except ProtocolError as error:
        raise UnableToRecord(
            f"--amount is what the bank statement shows in {order.currency}, such as {order.amount.to_wire()}"
        ) from error
    taken = order.payments.filter(captured__gt=0)
    if not taken.exists():
        raise UnableToRecord(f"no money of order {reference} was taken")
    captured = taken.exclude(is_test=True).aggregate(minor=Sum("captured"))["minor"]
    if captured is None:
        raise UnableToRecord(f"order {reference} was paid in a test, which is on no bank statement")
    if captured != shown.minor_units:
        known = Money.from_minor_units(captured, order.currency)
        raise UnableToRecord(
            f"the bank statement shows {shown}, and {known} of order {reference} was taken. Do not go live "
            f"before you know why: one of them may misread the decimal point"
        )
    GoLiveCheck.objects.create(
        gateway=order.gateway,
        order=order,
        currency=order.currency,
        amount_minor=captured,
        checked_by=cut_to(GoLiveCheck, "checked_by", by.strip()),
        checked_at=gateways.clock().now(),
    )
    return order


def look_before_going_live() -> Iterator[Finding]:
    """Check what only a live shop needs: the live profile, and a real payment that a person has compared."""
    for alias, given in conf.settings().gateways.items():
        subject = f"going live with {alias}"
        if given.account.profile != "prod":
            yield error(Code.PROFILE_NOT_LIVE, subject, profile=repr(given.account.profile))
        if tests := payments_by_mode(alias, is_test=True):
            yield warning(Code.TESTS_STORED, subject, count=tests)
        checked = GoLiveCheck.objects.filter(gateway=alias).select_related("order").order_by("-pk").first()
        if checked is None:
            yield error(Code.NO_PAYMENT_COMPARED, subject)
            continue
        amount, reference = str(checked.amount), checked.order.reference
        message = _("%(amount)s, order %(reference)s, compared by %(by)s")
        yield ok(subject, message, amount=amount, reference=reference, by=checked.checked_by)
