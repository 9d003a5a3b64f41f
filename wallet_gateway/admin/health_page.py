"""The health of payments for people: what the health view tells a monitor, with links to the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.admin import AdminSite
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import VIEW_HEALTH, require_permission
from wallet_gateway.admin.read_only import filtered_list
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.findings import Finding
from wallet_gateway.formats import format_short_datetime
from wallet_gateway.models import BatchState, Discrepancy, GatewayTransaction, OperationBatch, PaymentOrder
from wallet_gateway.payments import maintenance
from wallet_gateway.reports.health import Health


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many rows are in a state that a person should know of."""

    label: str | Promise
    number: int
    list_url: str = ""
    """The list of these rows; empty if the current user may not see it or no filter finds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """When one gateway was last swept, and how many of its queries are a day late."""

    gateway: str
    swept_at: datetime | None
    queries_behind: int


def health_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the problems with what to do about each, then all values, the good ones, too."""
    require_permission(request, VIEW_HEALTH)
    found = maintenance.health()
    sweeps = [
        Sweep(gateway=gateway, swept_at=swept_at, queries_behind=found.queries_behind.get(gateway, 0))
        for gateway, swept_at in found.swept_at.items()
    ]
    try:
        monitor_url = reverse("wallet_gateway:health")
    except NoReverseMatch:
        # The project does not include this package's URLs.
        monitor_url = ""
    context = {
        "title": _("Health of payments"),
        "problems": tuple(map(_readable, found.problems)),
        "sweeps": tuple(sweeps),
        "counts": tuple(_counts(found, site, request)),
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


def _counts(found: Health, site: AdminSite, request: HttpRequest) -> Iterator[Count]:
    def rows(model: type[Model], **parameters: str) -> str:
        listed: Any = site.get_model_admin(model)
        return filtered_list(listed, request, parameters) if listed.has_view_permission(request) else ""

    unknown = rows(GatewayTransaction, state__exact=TransactionState.UNKNOWN)
    anomalies = rows(GatewayTransaction, state__exact=TransactionState.ANOMALY)
    refused = rows(GatewayTransaction, refused="unseen")
    mix_ups = rows(Discrepancy, open="yes", kind__exact=DiscrepancyKind.UNIT_MIX_UP)
    differences = rows(Discrepancy, open="yes")
    overpaid = rows(PaymentOrder, state__exact=OrderState.OVERPAID)
    idle = rows(OperationBatch, state__exact=BatchState.RUNNING)
    yield Count(label=_("Unknown outcomes"), number=found.unknown, list_url=unknown)
    yield Count(label=_("Contradictions"), number=found.anomalies, list_url=anomalies)
    yield Count(
        label=_("Transactions that wait for a person"),
        number=found.waiting_for_a_person,
        list_url=rows(GatewayTransaction, waits="person"),
    )
    yield Count(
        label=_("Transactions that nobody goes on with"),
        number=found.unattended,
        list_url=rows(GatewayTransaction, waits="nobody"),
    )
    yield Count(label=_("Refused afterwards"), number=found.refused_afterwards, list_url=refused)
    yield Count(label=_("Open differences"), number=found.discrepancies, list_url=differences)
    yield Count(label=_("Amounts in the wrong unit"), number=found.mix_ups, list_url=mix_ups)
    held = rows(Discrepancy, open="yes", kind__exact=DiscrepancyKind.UNKNOWN_STATE)
    number = sum(each.held for each in found.undocumented_states)
    yield Count(label=_("Held by a word that nobody knows"), number=number, list_url=held)
    yield Count(label=_("Orders paid more than once"), number=found.overpaid, list_url=overpaid)
    yield Count(
        label=_("Orders that are not released long after their end"),
        number=found.unreleased,
        list_url=rows(PaymentOrder, released="late"),
    )
    yield Count(
        label=_("Unfinished at a gateway that the settings do not name"),
        number=found.orphans,
        list_url=rows(GatewayTransaction, waits="gateway"),
    )
    # Signals have no list.
    yield Count(label=_("Signals that are late"), number=found.events_overdue)
    yield Count(label=_("Batches that nobody drives"), number=found.idle_batches, list_url=idle)
    closed = rows(PaymentOrder, wallet="closed")
    yield Count(label=_("Wallet buttons closed within an hour"), number=found.buttons_closed, list_url=closed)
