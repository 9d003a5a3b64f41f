"""The state of the migration: an earlier provider's deposits by gateway and currency. One SQL statement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, F, Q, Sum, When

from wallet_gateway.models import MigratedDeposit
from wallet_gateway.protocol.codes import stored_currency
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationTotals:
    """One gateway's deposits in one currency."""

    gateway: str
    currency: str
    deposits: int
    unknown: int
    """Refunded, but not in a migration file; among the amounts, counted only in our own refunds."""
    frozen: int
    deposited: Money
    refunded_before: Money
    refunded: Money
    """Refunded by this shop, unknown deposits included."""
    under_way: Money
    open: Money
    """The amount of the known deposits that can still be refunded."""


def migration_totals(live: Collection[str] = ()) -> tuple[MigrationTotals, ...]:
    """Return the totals of all deposits; refunds that were tests of the `live` gateways are left out."""
    known, real = Q(is_known=True), ~Q(is_test=True, gateway__in=live)
    ours = Case(When(real, then=F("refunded") + F("refund_reserved")), default=0)
    left = F("amount_minor") - F("refunded_before") - ours
    of = ("gateway", "currency", "exponent")
    rows = MigratedDeposit.objects.order_by(*of).values(*of)
    summed = rows.annotate(
        deposits=Count("pk"),
        unknown=Count("pk", filter=~known),
        stopped=Count("pk", filter=Q(is_frozen=True)),
        deposited=Sum("amount_minor", filter=known),
        before=Sum("refunded_before"),
        ours=Sum("refunded", filter=real),
        reserved=Sum("refund_reserved", filter=real),
        left=Sum(left, filter=known),
    )

    def money(row: Mapping[str, Any], name: str) -> Money:
        currency = stored_currency(row["currency"], row["exponent"])
        return Money.from_minor_units(int(row[name] or 0), currency)

    return tuple(
        MigrationTotals(
            gateway=row["gateway"],
            currency=row["currency"],
            deposits=row["deposits"],
            unknown=row["unknown"],
            frozen=row["stopped"],
            deposited=money(row, "deposited"),
            refunded_before=money(row, "before"),
            refunded=money(row, "ours"),
            under_way=money(row, "reserved"),
            open=money(row, "left"),
        )
        for row in summed
    )
