"""The health of payments for people: what the health view tells a monitor, with links to the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.admin import AdminSite
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import require_permission
from wallet_gateway.admin.read_only import filtered_list
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.findings import Finding
from wallet_gateway.formats import format_short_datetime
from wallet_gateway.models import BatchState, Discrepancy, GatewayTransaction, OperationBatch, PaymentOrder
from wallet_gateway.models.decisions import VIEW_HEALTH
from wallet_gateway.payments import maintenance
from wallet_gateway.reports.health import Health


def health_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the problems with what to do about each, then all values, the good ones, too."""
    require_permission(request, VIEW_HEALTH)
    found = maintenance.health()
    try:
        monitor_url = reverse("wallet_gateway:health")
    except NoReverseMatch:
        # The project does not include this package's URLs.
        monitor_url = ""
    context = {
        "title": _("Health of payments"),
        "problems": tuple(map(_readable, found.problems)),
        "sweeps": [
            {"gateway": gateway, "swept_at": at, "queries_behind": found.queries_behind.get(gateway, 0)}
            for gateway, at in found.swept_at.items()
        ],
        "counts": list(_counts(found, site, request)),
        "now": found.now,
        "monitor_url": monitor_url,
    }
    return render_page(site, request, "health.html", context)


def _readable(problem: Finding) -> Finding:
    """Return a problem whose time is written for people; monitors read it as ISO 8601."""
    since = problem.params.get("since")
    if not isinstance(since, str):
        return problem
    shown = format_short_datetime(datetime.fromisoformat(since))
    return replace(problem, params={**problem.params, "since": shown})


def _counts(found: Health, site: AdminSite, request: HttpRequest) -> Iterator[dict[str, Any]]:
    """Yield how many rows are in each state that a person should know of, with the list of these rows.

    The list is empty if the current user may not see it.
    """
    held = sum(each.held for each in found.undocumented_states)
    late = _("Orders that are not released long after their end")
    unnamed = _("Unfinished at a gateway that the settings do not name")
    unknown_state = {"open": "yes", "kind__exact": DiscrepancyKind.UNKNOWN_STATE}
    mixed_up = {"open": "yes", "kind__exact": DiscrepancyKind.UNIT_MIX_UP}
    transaction, difference, order = GatewayTransaction, Discrepancy, PaymentOrder
    counts: tuple[tuple[str, int, type[Model] | None, dict[str, str]], ...] = (
        (_("Unknown outcomes"), found.unknown, transaction, {"state__exact": TransactionState.UNKNOWN}),
        (_("Contradictions"), found.anomalies, transaction, {"state__exact": TransactionState.ANOMALY}),
        (
            _("Transactions that wait for a person"),
            found.waiting_for_a_person,
            transaction,
            {"waits": "person"},
        ),
        (_("Transactions that nobody goes on with"), found.unattended, transaction, {"waits": "nobody"}),
        (_("Refused afterwards"), found.refused_afterwards, transaction, {"refused": "unseen"}),
        (_("Open differences"), found.discrepancies, difference, {"open": "yes"}),
        (_("Amounts in the wrong unit"), found.mix_ups, difference, mixed_up),
        (_("Held by a word that nobody knows"), held, difference, unknown_state),
        (_("Orders paid more than once"), found.overpaid, order, {"state__exact": OrderState.OVERPAID}),
        (late, found.unreleased, order, {"released": "late"}),
        (unnamed, found.orphans, transaction, {"waits": "gateway"}),
        # Signals have no list.
        (_("Signals that are late"), found.events_overdue, None, {}),
        (
            _("Batches that nobody drives"),
            found.idle_batches,
            OperationBatch,
            {"state__exact": BatchState.RUNNING},
        ),
        (_("Wallet buttons closed within an hour"), found.buttons_closed, order, {"wallet": "closed"}),
    )
    for label, number, model, parameters in counts:
        rows: Any = None if model is None else site.get_model_admin(model)
        may_see = rows is not None and rows.has_view_permission(request)
        url = filtered_list(rows, request, parameters) if may_see else ""
        yield {"label": label, "number": number, "list_url": url}
