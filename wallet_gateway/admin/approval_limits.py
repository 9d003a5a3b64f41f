"""How much one person may refund without approval, shown before a user requests more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from django.utils.translation import gettext as _

from wallet_gateway import conf, gateways
from wallet_gateway.admin.operation_registry import Operation
from wallet_gateway.domain.people import Actor
from wallet_gateway.domain.policy import GIVING_BACK, LIMITED_PERIOD
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import Allowance, GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.protocol.money import Money


def approval_limit_of(
    operation: Operation, of: Payment | MigratedDeposit, *, gateway: str, person: Actor | None = None
) -> Money | None:
    """Return how much of a payment or deposit one person may still refund; None where there is no limit.

    Earlier refunds count, and with a `person` what this person has given back within a day. This value is
    only shown; the operation decides, under the lock.
    """
    if operation.kind not in GIVING_BACK:
        return None
    limit = conf.approval_policy(gateway).limit_for(of.currency)
    left = [] if limit is None else [max(limit - of.refunded - of.refund_reserved, 0)]
    of_day = None if person is None else _left_of_day(person, gateway, of.currency)
    left += [] if of_day is None else [of_day]
    return Money.from_minor_units(min(left), of.currency) if left else None


def _left_of_day(person: Actor, gateway: str, currency: str) -> int | None:
    """Return how many minor units a person may still give back today; None without a limit."""
    limit = conf.approval_policy(gateway).day_limit_for(currency)
    if limit is None:
        return None
    rows = Allowance.objects.filter(gateway=gateway, account=person.account, currency=currency)
    used = Allowance.used_since(gateways.clock().now() - LIMITED_PERIOD)
    return max(limit - (rows.annotate(used=used).values_list("used", flat=True).first() or 0), 0)


def hints_of_many(
    operation: Operation, subjects: Iterable[tuple[str, str]], *, person: Actor
) -> tuple[str, ...]:
    """Return what limits one person beside the limits of each row.

    `subjects` are pairs of a gateway and a currency.
    """
    if operation.kind not in GIVING_BACK:
        return ()
    limits = (_hints(gateway, currency, person) for gateway, currency in sorted(set(subjects)))
    return tuple(chain.from_iterable(limits))


def _hints(gateway: str, currency: str, person: Actor) -> Iterator[str]:
    left = _left_of_day(person, gateway, currency)
    if left is not None:
        words = _(
            "Your refunds of the last 24 hours count: you may refund %(left)s more alone. Each refund above "
            "that needs a second person."
        )
        yield words % {"left": format_money(Money.from_minor_units(left, currency))}


def hint(limit: Money | None, available: Money | None) -> str:
    """Return a hint with the amount that needs a second person; empty if the remaining amount needs none."""
    if limit is None or (available is not None and available.minor_units <= limit.minor_units):
        return ""
    if not limit.minor_units:
        return _("This needs a second person: nothing is sent before somebody else has agreed.")
    words = _(
        "An amount above %(alone)s needs a second person: nothing is sent before somebody else has agreed."
    )
    return words % {"alone": format_money(limit)}


def hint_of_decision(transaction: GatewayTransaction, person: Actor) -> str:
    """Return a hint that a decision on an outcome needs a second person; empty if it does not."""
    if transaction.state == TransactionState.NOT_SENT:
        return ""
    minor, currency = transaction.amount_minor, transaction.currency
    left = _left_of_day(person, transaction.gateway, currency)
    is_above_day = left is not None and minor > left
    if not is_above_day and not conf.approval_policy(transaction.gateway).is_needed(minor, currency):
        return ""
    return _("This needs a second person: your decision counts once somebody else has agreed.")
