"""Differences between our records and the gateway's, in the admin; a person ends them with a reason."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from wallet_gateway.admin.badges import Tone, badge
from wallet_gateway.admin.decisions import BookPage, ClosePage
from wallet_gateway.admin.filters import ChoiceFilter
from wallet_gateway.admin.read_only import (
    ReadOnlyAdmin,
    datetime_column,
    label_column,
    link_column,
    text_column,
)
from wallet_gateway.admin.tasks import explanation_of, ways_to_end
from wallet_gateway.models import Discrepancy
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.search import discrepancies_found


class OpenFilter(ChoiceFilter):
    """Filter for open discrepancies, closed ones, or all."""

    title = _("open")
    parameter_name = "open"
    ways = {
        "yes": (_("Open"), lambda: Q(closed_at__isnull=True)),
        "no": (_("Closed"), lambda: Q(closed_at__isnull=False)),
    }


FOUND_AT = datetime_column("found_at", _("found at"))


@admin.register(Discrepancy)
class DiscrepancyAdmin(ReadOnlyAdmin):
    """Differences as tasks for a person; nothing here is corrected silently."""

    finder = staticmethod(discrepancies_found)
    search_help_text = _("An order's or a transaction's reference")
    order = link_column("payment.order", _("order"))
    of_transaction = link_column("transaction", _("transaction"))
    of_deposit = link_column("deposit", _("migrated deposit"))
    booking = link_column("booked_as", _("booked as"))
    list_display = (
        "kind",
        "standing",
        "order",
        "explained",
        FOUND_AT,
    )
    list_filter = (OpenFilter, "kind")
    pages: ClassVar = {
        "close": ("<int:discrepancy_id>/close/", ClosePage.view),
        "book": ("<int:discrepancy_id>/book/", BookPage.view),
    }
    list_select_related = ("payment__order", "transaction")
    when_empty = _(
        "No difference between the shop's records and the gateway's was ever found. There is nothing to do."
    )
    fields = readonly_fields = (  # type: ignore[assignment]
        "kind",
        "order",
        "of_transaction",
        "of_deposit",
        label_column("gateway", _("gateway")),
        text_column("explanation", _("explanation")),
        FOUND_AT,
        label_column("closed_at", _("closed at")),
        text_column("closed_by", _("closed by")),
        text_column("reason", _("reason")),
        "booking",
    )

    @admin.display(description=_("open"))
    def standing(self, row: Discrepancy) -> str:
        """Return whether somebody still has to look at it, or since when it is closed."""
        if row.closed_at is None:
            return badge(Tone.BAD, _("Open"))
        return datetime_column("closed_at", "")(row)

    @admin.display(description=_("explanation"))
    def explained(self, row: Discrepancy) -> str:
        """Return what is different, as the dashboard and the order's page tell it."""
        return visible(explanation_of(row))

    def page_context(self, request: HttpRequest, row: Discrepancy) -> dict[str, Any]:
        """Offer to book an open discrepancy, where that is possible, and to close it."""
        return {"buttons": tuple(ways_to_end(row, request))}
