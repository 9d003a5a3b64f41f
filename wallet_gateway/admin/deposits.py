"""Deposits of an earlier provider: their list, and the page that confirms refunds, one reason for all.

A confirmed page becomes a batch, which is executed, watched and stopped like a batch of orders. The page's
ticket contains the batch's token, so that submitting a page twice has no further effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core import signing
from django.db.models import QuerySet
from django.forms import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf
from wallet_gateway.admin.batches import progress_url
from wallet_gateway.admin.forms import AmountField, ReasonForAll, amount_text
from wallet_gateway.admin.migration import export, import_page, report
from wallet_gateway.admin.operation_registry import (
    CHECK_THE_SUM,
    DETACHED_REFUND,
    approval_limit_of,
    hint,
    hints_of_many,
    sums_in_words,
    sums_of,
    what_was_named,
)
from wallet_gateway.admin.pages import TOO_OLD, StalePage, page_url, render_page, signed
from wallet_gateway.admin.permissions import has_permission, person_of, require_permission
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
from wallet_gateway.domain.error_codes import OPERATION_OUTSTANDING
from wallet_gateway.domain.people import Actor
from wallet_gateway.formats import format_money
from wallet_gateway.models import ApprovalState, GatewayTransaction, MigratedDeposit, OperationBatch
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import OperationOutstanding
from wallet_gateway.protocol.money import MAX_UNITS, Money
from wallet_gateway.reports.search import deposits_found

MAX_DEPOSITS = 200
"""Maximum number of deposits on one page: their ids are in its URL."""
_SALT = "wallet_gateway.admin.detached-refund"


def why_not_refund(deposit: MigratedDeposit) -> str:
    """Return why no refund of a deposit can begin; empty if nothing here forbids it."""
    left = deposit.refundable
    if deposit.is_frozen:
        return _("frozen until a person has looked at it")
    if deposit.awaits_outcome:
        return OperationOutstanding(*OPERATION_OUTSTANDING).message
    return _("nothing is left to refund") if left is not None and not left.minor_units else ""


@dataclass(kw_only=True)
class DepositFields:
    """One deposit of the page: the submitted amount and its errors."""

    deposit: MigratedDeposit
    is_selected: bool
    typed: str
    fault: str = ""
    amount: Money | None = None

    @property
    def why_not(self) -> str:
        """Return why no refund of it can begin; empty if one can."""
        return why_not_refund(self.deposit)

    @property
    def hint(self) -> str:
        """Return from which amount a second person is needed."""
        limit = approval_limit_of(DETACHED_REFUND, self.deposit, gateway=self.deposit.gateway)
        return hint(limit, self.deposit.refundable)

    @property
    def shown_available(self) -> str:
        """Return the available amount in the reader's language; empty if only the gateway knows it."""
        left = self.deposit.refundable
        return "" if left is None else format_money(left)

    def read(self) -> None:
        """Read the amount and record what is wrong with it."""
        if self.deposit.awaits_outcome:
            self.fault = OperationOutstanding(*OPERATION_OUTSTANDING).message
            return
        left = self.deposit.refundable
        available = left if left is not None else Money.from_minor_units(MAX_UNITS, self.deposit.currency)
        try:
            self.amount = AmountField(available=available, left=DETACHED_REFUND.left).clean(self.typed)
        except ValidationError as error:
            self.fault = error.messages[0]


def refund_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show deposits with the available amounts; on confirmation, start a batch and show its results."""
    require_permission(request, DETACHED_REFUND.permission)
    posted = request.POST if request.method == "POST" else None
    if posted is not None:
        try:
            token, person, ids = signed(posted.get("ticket", ""), salt=_SALT)
        except StalePage:
            token, person, ids = "", "", []
        if person != str(request.user.pk):
            messages.error(request, TOO_OLD)
            return HttpResponseRedirect(page_url(request, "migrateddeposit_changelist"))
    else:
        words = request.GET.get("ids", "").split(",")
        if len(words) > MAX_DEPOSITS or not all(
            word.isascii() and word.isdigit() and len(word) < 19 for word in words
        ):
            raise Http404
        token, ids = secrets.token_urlsafe(12), list(map(int, words))
    rows = list(_fields(posted, ids))
    if not rows:
        raise Http404
    why = ReasonForAll(posted, operation=DETACHED_REFUND)
    amounts = {row.deposit: row.amount for row in rows if row.amount is not None}
    if posted is not None:
        # This comes first: the available amount excludes what an earlier submission has refunded.
        batch = OperationBatch.objects.filter(token=token).first()
        if batch is None and _is_valid(request, rows, why):
            by = person_of(request)
            batch = batches.start_detached_refunds(amounts, token=token, by=by, **why.why)
        if batch is not None:
            return HttpResponseRedirect(progress_url(request, batch))
    named = list(amounts.values())
    context = {
        "button": _asking(amounts, person_of(request)) or DETACHED_REFUND.button_of_many(named),
        "named": what_was_named(named),
        "title": DETACHED_REFUND.heading_of_many,
        "rows": rows,
        "why": why,
        "hints": hints_of_many(
            DETACHED_REFUND,
            [(row.deposit.gateway, row.deposit.currency) for row in rows if not row.why_not],
            person=person_of(request),
        ),
        "ticket": signing.dumps([token, str(request.user.pk), [row.deposit.pk for row in rows]], salt=_SALT),
        "back": page_url(request, "migrateddeposit_changelist"),
    }
    deposits = [row.deposit for row in rows]
    return render_page(site, request, "migrated_refund.html", context, about=deposits)


def _is_valid(request: HttpRequest, rows: Iterable[DepositFields], why: ReasonForAll) -> bool:
    selected = [row for row in rows if row.is_selected]
    if not selected:
        messages.error(request, _("Choose at least one deposit."))
    if not why.is_valid() or not selected or any(row.fault for row in selected):
        return False
    named = what_was_named([row.amount for row in rows if row.amount is not None])
    is_named = request.POST.get("confirm") == named
    if not is_named:
        messages.warning(request, CHECK_THE_SUM)
    return is_named


def _asking(amounts: Mapping[MigratedDeposit, Money], person: Actor) -> str:
    """Return the button's text where all it does is ask for a second person; empty otherwise."""
    for deposit, amount in amounts.items():
        limit = approval_limit_of(DETACHED_REFUND, deposit, gateway=deposit.gateway, person=person)
        if limit is None or amount.minor_units <= limit.minor_units:
            return ""
    return _("Ask for %(amount)s") % {"amount": sums_in_words(sums_of(amounts.values()))} if amounts else ""


def _fields(posted: QueryDict | None, ids: Sequence[int]) -> Iterator[DepositFields]:
    for deposit in MigratedDeposit.objects.filter(pk__in=ids).order_by("pk"):
        left = deposit.refundable
        typed = amount_text(left) if left and left.minor_units else ""
        fields = DepositFields(deposit=deposit, is_selected=True, typed=typed)
        fields.is_selected = not fields.why_not
        if posted is not None:
            fields.is_selected = f"take-{deposit.pk}" in posted and not deposit.is_frozen
            fields.typed = posted.get(f"amount-{deposit.pk}", "")
        if fields.is_selected and (fields.typed or posted is not None):
            fields.read()
        yield fields


def refund_url(request: HttpRequest, ids: Iterable[int]) -> str:
    """Return the URL of the refund page for these deposits."""
    return page_url(request, "migrateddeposit_refund") + "?ids=" + ",".join(map(str, ids))


@admin.register(MigratedDeposit)
class MigratedDepositAdmin(ReadOnlyAdmin):
    """Deposits from a migration file, and deposits that were refunded without one."""

    change_list_template = "admin/wallet_gateway/deposits.html"
    finder = staticmethod(deposits_found)
    when_empty = gettext_lazy(
        "No deposit yet. Import the migration file of the earlier provider with the button above."
    )
    actions = ("refund_many",)
    search_help_text = gettext_lazy(
        "Beginning of a reference: the former provider's, or the one that the migration gave"
    )
    list_display = (
        text_column("parent_transaction_id", gettext_lazy("parent transaction id")),
        text_column("provider_transaction_id", gettext_lazy("former provider's reference")),
        gateway_column(),
        "deposited",
        "refunded_since",
        money("refundable", gettext_lazy("left to refund")),
        label_column("is_frozen", gettext_lazy("frozen"), boolean=True),
        datetime_column("created_at", gettext_lazy("created at")),
    )
    fields = readonly_fields = (  # type: ignore[assignment]
        text_column("parent_transaction_id", gettext_lazy("parent transaction id")),
        label_column("gateway", gettext_lazy("gateway")),
        label_column("is_known", gettext_lazy("told by a migration file"), boolean=True),
        "deposited",
        "refunded_earlier",
        "refunded_since",
        "reserved",
        money("refundable", gettext_lazy("left to refund")),
        label_column("is_frozen", gettext_lazy("frozen"), boolean=True),
        label_column("transacted_at", gettext_lazy("paid at")),
        text_column("provider_transaction_id", gettext_lazy("former provider's reference")),
        label_column("created_at", gettext_lazy("created at")),
    )

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Return whether the refund action is offered and allowed."""
        return has_permission(request, DETACHED_REFUND.permission)

    @admin.action(description=gettext_lazy("Refund the selected deposits…"), permissions=["refund"])
    def refund_many(self, request: HttpRequest, deposits: QuerySet[MigratedDeposit]) -> HttpResponse | None:
        """Redirect to the page that confirms a refund of each selected deposit."""
        ids = list(deposits.values_list("pk", flat=True)[: MAX_DEPOSITS + 1])
        if len(ids) > MAX_DEPOSITS:
            most = {"most": MAX_DEPOSITS}
            messages.error(request, _("Choose at most %(most)d deposits at a time.") % most)
            return None
        return HttpResponseRedirect(refund_url(request, ids))

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
            "may_refund": has_permission(request, DETACHED_REFUND.permission),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def page_context(self, request: HttpRequest, row: MigratedDeposit) -> dict[str, Any]:
        """Show what needs a person, and offer to refund the available amount."""
        waiting = GatewayTransaction.objects.filter(deposit=row, state__in=FOR_A_PERSON).order_by("pk")
        asked = row.approvals.filter(state=ApprovalState.WAITING).select_related("subject")
        buttons: tuple[Button, ...] = ()
        if has_permission(request, DETACHED_REFUND.permission) and not why_not_refund(row):
            buttons = (Button(label=_("Refund…"), url=refund_url(request, [row.pk])),)
        return {
            "tasks": tuple(tasks_of(list(waiting), request)),
            "requests": tuple(requests_of(asked, request)),
            "buttons": buttons,
        }

    @admin.display(description=gettext_lazy("amount"))
    def deposited(self, row: MigratedDeposit) -> str:
        """Return the amount paid; unknown if no migration file contained it."""
        return "?" if row.amount_minor is None else _units(row, row.amount_minor)

    @admin.display(description=gettext_lazy("refunded by the earlier provider"))
    def refunded_earlier(self, row: MigratedDeposit) -> str:
        """Return the amount refunded before the migration."""
        return _units(row, row.refunded_before)

    @admin.display(description=gettext_lazy("refunded"))
    def refunded_since(self, row: MigratedDeposit) -> str:
        """Return the amount refunded since the migration."""
        return _units(row, row.refunded)

    @admin.display(description=gettext_lazy("under way"))
    def reserved(self, row: MigratedDeposit) -> str:
        """Return the amount of refunds in progress."""
        return _units(row, row.refund_reserved)


def _units(row: MigratedDeposit, minor: int) -> str:
    return nowrap(Money.from_minor_units(minor, row.currency))
