"""The final report of a migration: the deposits, who refunded what, and what is open."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.admin import AdminSite
from django.db.models import Case, Count, F, Q, Sum, When
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import DETACHED_REFUND, has_permission
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.protocol.codes import stored_currency
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.reports.exports import TEST_COLUMN, yes_or_no


def report(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the totals by gateway and currency, or return them as CSV."""
    totals = _totals(gateways.live_aliases())
    if "csv" in request.GET:
        answer = HttpResponse(_csv(totals), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="migration-report.csv"'
        return answer
    context = {
        "title": _("How the migration stands"),
        "totals": totals,
        "may_import": has_permission(request, DETACHED_REFUND),
    }
    return render_page(site, request, "migrated_report.html", context)


_AMOUNTS = {
    "deposited": "deposited",
    "refunded_before": "before",
    "refunded": "ours",
    "under_way": "under_way",
    "open": "open",
}
"""The columns of the CSV, and the totals that stand in them."""

Totals = dict[str, Any]
"""One gateway's deposits in one currency."""


def _totals(live: Collection[str]) -> list[Totals]:
    """Add up all deposits in one SQL statement; refunds that were tests of the `live` gateways are left out.

    `unknown` are those that were refunded, but are in no migration file: of the amounts, only what this shop
    has refunded and what is under way contains them.
    """
    known, real = Q(is_known=True), ~Q(is_test=True, gateway__in=live)
    ours = Case(When(real, then=F("refunded") + F("refund_reserved")), default=0)
    of = ("gateway", "currency", "exponent")
    rows = MigratedDeposit.objects.order_by(*of).values(*of)
    totals = list(
        rows.annotate(
            deposits=Count("pk"),
            unknown=Count("pk", filter=~known),
            frozen=Count("pk", filter=Q(is_frozen=True)),
            deposited=Sum("amount_minor", filter=known),
            before=Sum("refunded_before"),
            ours=Sum("refunded", filter=real),
            under_way=Sum("refund_reserved", filter=real),
            open=Sum(F("amount_minor") - F("refunded_before") - ours, filter=known),
        )
    )
    for row in totals:
        currency = stored_currency(row["currency"], row["exponent"])
        for name in _AMOUNTS.values():
            row[name] = Money.from_minor_units(int(row[name] or 0), currency)
    return totals


def _csv(totals: Iterable[Totals]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    counts = ("deposits", "unknown", "frozen")
    writer.writerow(("gateway", "currency", *counts, *_AMOUNTS, TEST_COLUMN))
    for row in totals:
        writer.writerow(
            (
                escape_formula(row["gateway"]),
                row["currency"],
                *(row[name] for name in counts),
                *(row[name].to_wire() for name in _AMOUNTS.values()),
                yes_or_no(gateways.is_test(row["gateway"])),
            )
        )
    return buffer.getvalue()
