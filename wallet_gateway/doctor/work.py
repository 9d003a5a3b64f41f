"""Checks of the shop's operation: whether the sweep runs, what needs a person, and whether it may go live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf, gateways, payments
from wallet_gateway.conf import project
from wallet_gateway.findings import Code, Finding, Level, error, ok, warning
from wallet_gateway.models import GatewayTransaction, GoLiveCheck, PaymentOrder
from wallet_gateway.models.fields import cut_to
from wallet_gateway.payments.inputs import check_storable
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.health import SWEEP_IS_LATE, health, payments_by_mode

_LATE = frozenset({Code.NEVER_SWEPT, Code.SWEEP_LATE})
_LOW_UNITS = 5
"""A small amount in most currencies, in units of two decimals."""
_LOW_UNITS_OF = {
    **dict.fromkeys(("CZK", "EGP", "INR", "PHP", "RUB", "THB", "TRY", "TWD", "UAH"), 200),
    **dict.fromkeys(("ARS", "DZD", "HUF", "ISK", "JPY", "KES", "PKR", "RSD", "KZT", "LKR"), 2000),
    **dict.fromkeys(("CLP", "COP", "CRC", "KRW", "NGN"), 20_000),
    **dict.fromkeys(("IDR", "IQD", "LBP", "PYG", "TZS", "UGX", "UZS", "VND"), 100_000),
}
"""The same in currencies with units of a few cents or less."""


class UnableToRecord(Exception):
    """The payment does not qualify as the comparison before going live; nothing was recorded."""


def look_at_work(*, go_live: bool = False) -> Iterator[Finding]:
    """Return when each gateway was last swept and what needs a person.

    In a new shop, in which nothing waits for a sweep yet, one that never ran is only a warning.
    """
    now, aliases = gateways.clock().now(), tuple(conf.settings().gateways)
    problems = health(now, aliases, conf.account_problems(), gateways.live_aliases()).problems
    late = GatewayTransaction.objects.filter(next_query_at__lt=now - SWEEP_IS_LATE).order_by()
    waiting = aliases if go_live else set(late.values_list("gateway", flat=True).distinct())
    for problem in problems:
        is_new = problem.code is Code.NEVER_SWEPT and problem.params["gateway"] not in waiting
        yield replace(problem, level=Level.WARNING) if is_new else problem
    if not _LATE.intersection(problem.code for problem in problems):
        message = _("every gateway was swept within %(minutes)d minutes")
        yield ok("sweep", message, minutes=SWEEP_IS_LATE.seconds // 60)


def record_payment(reference: str, *, by: str, gateway: str | None = None) -> PaymentOrder:
    """Record that a person has compared a real payment of a small amount with the bank statement.

    Raises `UnableToRecord` if no real money of the order was taken, or more than a mistake may cost, and what
    `payments.get_order` raises.
    """
    check_storable(reference=reference, by=by)
    if not by.strip():
        raise UnableToRecord("it needs the name of whoever compared it with the bank statement")
    order = payments.get_order(reference, gateway=gateway)
    taken = order.payments.filter(captured__gt=0)
    if not taken.exists():
        raise UnableToRecord(f"no money of order {reference} was taken")
    if not taken.exclude(is_test=True).exists():
        raise UnableToRecord(f"order {reference} was paid in a test, which is on no bank statement")
    _check_is_low(order)
    GoLiveCheck.objects.create(
        gateway=order.gateway,
        order=order,
        currency=order.currency,
        amount_minor=order.amount_minor,
        checked_by=cut_to(GoLiveCheck, "checked_by", by.strip()),
        checked_at=gateways.clock().now(),
    )
    return order


def low_amount(currency: str) -> Money:
    """Return the maximum amount of the payment that is compared before going live."""
    if currency in _LOW_UNITS_OF:
        return Money.from_minor_units(_LOW_UNITS_OF[currency] * 10 ** currency_exponent(currency), currency)
    return Money.from_minor_units(_LOW_UNITS * 10 ** (currency_exponent(currency) or 2), currency)


def _check_is_low(order: PaymentOrder) -> None:
    """Check that the amount is low: with a misread decimal point it would be a hundred times as much."""
    try:
        conf.gateway_settings(order.gateway)
    except ImproperlyConfigured as error:
        raise UnableToRecord(f"order {order.reference} was paid elsewhere: {error}") from error
    low = low_amount(order.currency)
    if order.amount.minor_units > low.minor_units:
        raise UnableToRecord(
            f"{order.amount} of order {order.reference} is not a low amount: if the decimal point was "
            f"misread, it was a hundred times as much. Pay an order of at most {low} and record that"
        )


def look_before_going_live() -> Iterator[Finding]:
    """Check what only a live shop needs: the live profile, and a real payment that a person has compared."""
    for alias, given in conf.settings().gateways.items():
        subject = f"going live with {alias}"
        yield from project.live_profile(given)
        if tests := payments_by_mode(alias, is_test=True):
            yield warning(Code.TESTS_STORED, subject, count=tests)
        checked = GoLiveCheck.objects.filter(gateway=alias).select_related("order").order_by("-pk").first()
        yield error(Code.NO_PAYMENT_COMPARED, subject) if checked is None else _compared(subject, checked)


def _compared(subject: str, checked: GoLiveCheck) -> Finding:
    amount, reference = str(checked.amount), checked.order.reference
    message = _("%(amount)s, order %(reference)s, compared by %(by)s")
    return ok(subject, message, amount=amount, reference=reference, by=checked.checked_by)
