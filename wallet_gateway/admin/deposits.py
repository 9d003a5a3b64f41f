"""Deposits of an earlier provider in the admin: the original payments and their refunds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from wallet_gateway import conf
from wallet_gateway.admin.deposit_import import export, import_page
from wallet_gateway.admin.deposit_refund import MAX_DEPOSITS, refund_page, refund_url, why_not_refund
from wallet_gateway.admin.migration_report import report
from wallet_gateway.admin.permissions import DETACHED_REFUND, has_permission
from wallet_gateway.admin.read_only import (
    ReadOnlyAdmin,
    datetime_column,
    gateway_column,
    label_column,
    money,
    nowrap,
    text_column,
)
from wallet_gateway.admin.tasks import FOR_A_PERSON, Button, requests_of, tasks_of
from wallet_gateway.models import ApprovalState, GatewayTransaction, MigratedDeposit
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.search import deposits_found


@admin.register(MigratedDeposit)
class MigratedDepositAdmin(ReadOnlyAdmin):
    """Deposits from a migration file, and deposits that were refunded without one."""

    change_list_template = "admin/wallet_gateway/deposits.html"
    finder = staticmethod(deposits_found)
    when_empty = _("No deposit yet. Import the migration file of the earlier provider with the button above.")
    actions = ("refund_many",)
    search_help_text = _(
        "Beginning of a reference: the former provider's, or the one that the migration gave"
    )
    list_display = (
        text_column("parent_transaction_id", _("parent transaction id")),
        text_column("provider_transaction_id", _("former provider's reference")),
        gateway_column(),
        "deposited",
        "refunded_since",
        money("refundable", _("left to refund")),
        label_column("is_frozen", _("frozen"), boolean=True),
        datetime_column("created_at", _("created at")),
    )
    fields = readonly_fields = (  # type: ignore[assignment]
        text_column("parent_transaction_id", _("parent transaction id")),
        label_column("gateway", _("gateway")),
        label_column("is_known", _("told by a migration file"), boolean=True),
        "deposited",
        "refunded_earlier",
        "refunded_since",
        "reserved",
        money("refundable", _("left to refund")),
        label_column("is_frozen", _("frozen"), boolean=True),
        label_column("transacted_at", _("paid at")),
        text_column("provider_transaction_id", _("former provider's reference")),
        label_column("created_at", _("created at")),
    )

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Return whether the refund action is offered and allowed."""
        return has_permission(request, DETACHED_REFUND)

    @admin.action(description=_("Refund the selected deposits…"), permissions=["refund"])
    def refund_many(self, request: HttpRequest, deposits: QuerySet[MigratedDeposit]) -> HttpResponse | None:
        """Redirect to the page that confirms a refund of each selected deposit."""
        ids = list(deposits.values_list("pk", flat=True)[: MAX_DEPOSITS + 1])
        if len(ids) > MAX_DEPOSITS:
            most = {"most": MAX_DEPOSITS}
            messages.error(request, gettext("Choose at most %(most)d deposits at a time.") % most)
            return None
        return HttpResponseRedirect(refund_url(ids))

    def get_urls(self) -> list[URLPattern]:
        """Add the pages for import, export and refunds before Django's own URLs."""
        name = "wallet_gateway_migrateddeposit"
        own = [
            path("import/", self.staff_view(import_page), name=f"{name}_import"),
            path("export/<str:alias>/", self.staff_view(export), name=f"{name}_export"),
            path("report/", self.staff_view(report), name=f"{name}_report"),
            path("refund/", self.staff_view(refund_page), name=f"{name}_refund"),
        ]
        return own + super().get_urls()

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list with the links to import, export and report."""
        shown = {
            "gateways": tuple(conf.settings().gateways),
            "may_refund": has_permission(request, DETACHED_REFUND),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def page_context(self, request: HttpRequest, row: MigratedDeposit) -> dict[str, Any]:
        """Show what needs a person, and offer to refund the available amount."""
        waiting = GatewayTransaction.objects.filter(deposit=row, state__in=FOR_A_PERSON).order_by("pk")
        asked = row.approvals.filter(state=ApprovalState.WAITING).select_related("subject")
        return {
            "tasks": tuple(tasks_of(list(waiting), request)),
            "requests": tuple(requests_of(asked, request)),
            "buttons": tuple(_ways_on(row, request)),
        }

    @admin.display(description=_("amount"))
    def deposited(self, row: MigratedDeposit) -> str:
        """Return the amount paid; unknown if no migration file contained it."""
        return "?" if row.amount_minor is None else _units(row, row.amount_minor)

    @admin.display(description=_("refunded by the earlier provider"))
    def refunded_earlier(self, row: MigratedDeposit) -> str:
        """Return the amount refunded before the migration."""
        return _units(row, row.refunded_before)

    @admin.display(description=_("refunded"))
    def refunded_since(self, row: MigratedDeposit) -> str:
        """Return the amount refunded since the migration."""
        return _units(row, row.refunded)

    @admin.display(description=_("under way"))
    def reserved(self, row: MigratedDeposit) -> str:
        """Return the amount of refunds in progress."""
        return _units(row, row.refund_reserved)


def _ways_on(row: MigratedDeposit, request: HttpRequest) -> Iterator[Button]:
    if has_permission(request, DETACHED_REFUND) and not why_not_refund(row):
        yield Button(label=_("Refund…"), url=refund_url([row.pk]))


def _units(row: MigratedDeposit, minor: int) -> str:
    return nowrap(Money.from_minor_units(minor, row.currency))
