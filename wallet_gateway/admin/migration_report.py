"""The final report of a migration: the deposits, who refunded what, and what is open."""

from __future__ import annotations

import csv
import io

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import DETACHED_REFUND, has_permission
from wallet_gateway.protocol.text import escape_formula
from wallet_gateway.reports.exports import TEST_COLUMN, yes_or_no
from wallet_gateway.reports.migration import MigrationTotals, migration_totals


def report(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the totals by gateway and currency, or return them as CSV."""
    totals = migration_totals(gateways.live_aliases())
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


def _csv(totals: tuple[MigrationTotals, ...]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    amount_columns = ("deposited", "refunded_before", "refunded", "under_way", "open")
    counts = ("deposits", "unknown", "frozen")
    writer.writerow(("gateway", "currency", *counts, *amount_columns, TEST_COLUMN))
    for row in totals:
        amounts = (getattr(row, name).to_wire() for name in amount_columns)
        writer.writerow(
            (
                escape_formula(row.gateway),
                row.currency,
                *(getattr(row, name) for name in counts),
                *amounts,
                yes_or_no(gateways.is_test(row.gateway)),
            )
        )
    return buffer.getvalue()
