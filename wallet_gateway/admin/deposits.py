"""Deposits of an earlier provider: their list, and the page that confirms refunds, one reason for all.

A confirmed page becomes a batch, which is executed, watched and stopped like a batch of orders. The page's
ticket contains the batch's token, so that submitting a page twice has no further effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf
from wallet_gateway.admin.batches import progress_url
from wallet_gateway.admin.confirm import ManyPage
from wallet_gateway.admin.migration import export, import_page, report
from wallet_gateway.admin.operation_registry import DETACHED_REFUND, limit_of
from wallet_gateway.admin.pages import mark_of, marked, page_url
from wallet_gateway.admin.read_only import ReadOnlyAdmin, datetime_column, label_column, money, text_column
from wallet_gateway.admin.tasks import FOR_A_PERSON, Button, requests_of, tasks_of
from wallet_gateway.domain.error_codes import OPERATION_OUTSTANDING
from wallet_gateway.formats import format_money
from wallet_gateway.models import ApprovalState, GatewayTransaction, MigratedDeposit, OperationBatch
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import OperationOutstanding
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.search import deposits_found

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_DEPOSITS = 200
"""Maximum number of deposits on one page: their ids are in its URL."""


def why_not_refund(deposit: MigratedDeposit) -> str:
    """Return why no refund of a deposit can begin; empty if nothing here forbids it."""
    left = deposit.refundable
    if deposit.is_frozen:
        return _("frozen until a person has looked at it")
    if deposit.awaits_outcome:
        return OperationOutstanding(*OPERATION_OUTSTANDING).message
    return _("nothing is left to refund") if left is not None and not left.minor_units else ""


class DepositsPage(ManyPage):
    """The page that refunds deposits, those of the address."""

    operation = DETACHED_REFUND
    nouns = (gettext_lazy("Deposit"), gettext_lazy("Deposits"))
    nothing_chosen = gettext_lazy("Choose at least one deposit.")
    batch: OperationBatch | None = None

    def __init__(self, site: AdminSite, request: HttpRequest) -> None:
        super().__init__(site, request, self.operation.permission, None, place=MigratedDeposit)
        words = request.GET.get("ids", "").split(",")
        if len(words) > MAX_DEPOSITS or not all(
            word.isascii() and word.isdigit() and len(word) < 19 for word in words
        ):
            raise Http404
        self.deposits = list(MigratedDeposit.objects.filter(pk__in=map(int, words)).order_by("pk"))
        if not self.deposits:
            raise Http404
        self.rows = []
        for deposit in self.deposits:
            left, why_not = deposit.refundable, why_not_refund(deposit)
            limit = limit_of(self.operation, deposit, deposit.gateway)
            self.rows.append(self.row_of(deposit.pk, deposit, left, limit=limit, why_not=why_not))

    @property
    def done_url(self) -> str:
        """The progress of the batch."""
        return progress_url(self.request, self.batch) if self.batch is not None else self.back

    def mark(self) -> dict[str, bool]:
        """Return whether all deposits are tests."""
        return mark_of(self.deposits)

    def shown(self) -> list[str]:
        """Return nothing: the page needs the key of its ticket, and its rows say what has changed."""
        return []

    def is_done(self) -> bool:
        """Find what the first submission has begun; it may have left nothing to refund."""
        self.batch = OperationBatch.objects.filter(token=self.key).first()
        return self.batch is not None

    def act(self) -> None:
        """Start a batch under the key of the page."""
        amounts = {
            deposit: row.asked
            for deposit, row in zip(self.deposits, self.rows, strict=True)
            if row.asked is not None
        }
        self.batch = batches.start_detached_refunds(amounts, token=self.key, by=self.by, **self.form.why)


def refund_url(request: HttpRequest, ids: Iterable[int]) -> str:
    """Return the URL of the refund page for these deposits."""
    return page_url(request, "migrateddeposit_refund") + "?ids=" + ",".join(map(str, ids))


def _minor_column(name: str, label: StrOrPromise) -> Callable[[MigratedDeposit], str]:
    """Return a column with an amount; `?` for one that no migration file contained."""

    @admin.display(description=label)
    def shown(row: MigratedDeposit) -> str:
        minor = getattr(row, name)
        return "?" if minor is None else format_money(Money.from_minor_units(minor, row.currency))

    return shown


DEPOSITED = _minor_column("amount_minor", gettext_lazy("amount"))
REFUNDED = _minor_column("refunded", gettext_lazy("refunded"))


@admin.register(MigratedDeposit)
class MigratedDepositAdmin(ReadOnlyAdmin):
    """Deposits from a migration file, and deposits that were refunded without one."""

    change_list_template = "admin/wallet_gateway/deposits.html"
    finder = staticmethod(deposits_found)
    when_empty = gettext_lazy(
        "No deposit yet. Import the migration file of the earlier provider with the button above."
    )
    actions = ("refund_many",)
    pages: ClassVar = {
        "import": ("import/", import_page),
        "export": ("export/<str:alias>/", export),
        "report": ("report/", report),
        "refund": ("refund/", DepositsPage.view),
    }
    search_help_text = gettext_lazy(
        "Beginning of a reference: the former provider's, or the one that the migration gave"
    )
    list_display = (
        text_column("parent_transaction_id", gettext_lazy("parent transaction id")),
        text_column("provider_transaction_id", gettext_lazy("former provider's reference")),
        "of_gateway",
        DEPOSITED,
        REFUNDED,
        money("refundable", gettext_lazy("left to refund")),
        label_column("is_frozen", gettext_lazy("frozen"), boolean=True),
        datetime_column("created_at", gettext_lazy("created at")),
    )
    fields = readonly_fields = (  # type: ignore[assignment]
        text_column("parent_transaction_id", gettext_lazy("parent transaction id")),
        label_column("gateway", gettext_lazy("gateway")),
        label_column("is_known", gettext_lazy("told by a migration file"), boolean=True),
        DEPOSITED,
        _minor_column("refunded_before", gettext_lazy("refunded by the earlier provider")),
        REFUNDED,
        _minor_column("refund_reserved", gettext_lazy("under way")),
        money("refundable", gettext_lazy("left to refund")),
        label_column("is_frozen", gettext_lazy("frozen"), boolean=True),
        label_column("transacted_at", gettext_lazy("paid at")),
        text_column("provider_transaction_id", gettext_lazy("former provider's reference")),
        label_column("created_at", gettext_lazy("created at")),
    )

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Return whether the refund action is offered and allowed."""
        return request.user.has_perm(DETACHED_REFUND.permission)

    @admin.action(description=gettext_lazy("Refund the selected deposits…"), permissions=["refund"])
    def refund_many(self, request: HttpRequest, deposits: QuerySet[MigratedDeposit]) -> HttpResponse | None:
        """Redirect to the page that confirms a refund of each selected deposit."""
        ids = list(deposits.values_list("pk", flat=True)[: MAX_DEPOSITS + 1])
        if len(ids) > MAX_DEPOSITS:
            most = {"most": MAX_DEPOSITS}
            messages.error(request, _("Choose at most %(most)d deposits at a time.") % most)
            return None
        return HttpResponseRedirect(refund_url(request, ids))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list with the links to import, export and report."""
        shown = {
            "gateways": tuple(conf.settings().gateways),
            "may_refund": request.user.has_perm(DETACHED_REFUND.permission),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def page_context(self, request: HttpRequest, row: MigratedDeposit) -> dict[str, Any]:
        """Show what needs a person, and offer to refund the available amount."""
        waiting = GatewayTransaction.objects.filter(deposit=row, state__in=FOR_A_PERSON).order_by("pk")
        asked = row.approvals.filter(state=ApprovalState.WAITING).select_related("subject")
        buttons: tuple[Button, ...] = ()
        if request.user.has_perm(DETACHED_REFUND.permission) and not why_not_refund(row):
            buttons = (Button(label=_("Refund…"), url=refund_url(request, [row.pk])),)
        return {
            "tasks": tuple(tasks_of(list(waiting), request)),
            "requests": tuple(requests_of(asked, request)),
            "buttons": buttons,
        }

    @admin.display(description=gettext_lazy("gateway"))
    def of_gateway(self, row: MigratedDeposit) -> str:
        """Return the gateway's alias, marked where the row is a test."""
        return marked(row.gateway, row)
