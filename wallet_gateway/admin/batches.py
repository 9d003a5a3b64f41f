"""Batches in the admin: from the list action to the confirm page and the results."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.approval_limits import hints_of_many
from wallet_gateway.admin.badges import state_column
from wallet_gateway.admin.batch_forms import BatchForm
from wallet_gateway.admin.batch_log import connect
from wallet_gateway.admin.batch_progress import (
    batch_for,
    confirm_url,
    control,
    is_author,
    operation_of,
    progress,
    progress_url,
    rows_of,
)
from wallet_gateway.admin.operation_registry import BY_KIND, Operation
from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import SEE_ORDERS, SEE_TRANSACTIONS, has_permission, person_of
from wallet_gateway.admin.read_only import OwnPageAdmin, datetime_column, text_column
from wallet_gateway.admin.refusal_text import refusal_text
from wallet_gateway.admin.sums import CHECK_THE_SUM, what_was_named
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    PaymentOrder,
)
from wallet_gateway.payments import batches as payments
from wallet_gateway.payments.errors import OperationRefused

MAX_ORDERS = payments.MAX_ROWS

connect()


def draft_batch(
    request: HttpRequest, operation: Operation, orders: QuerySet[PaymentOrder]
) -> HttpResponse | None:
    """Create a draft batch of the selected orders and redirect to the page that confirms it."""
    chosen = list(orders[: MAX_ORDERS + 1])
    if len(chosen) > MAX_ORDERS:
        messages.error(request, _("Choose at most %(most)d orders at a time.") % {"most": MAX_ORDERS})
        return None
    batch = payments.draft(BatchKind(operation.kind), chosen, by=person_of(request))
    return HttpResponseRedirect(confirm_url(batch))


def query_orders(request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
    """Start status queries for the selected orders and redirect to the results."""
    return _query(request, list(orders[: MAX_ORDERS + 1]))


def query_transactions(
    request: HttpRequest, transactions: QuerySet[GatewayTransaction]
) -> HttpResponse | None:
    """Start status queries for the orders and deposits of the selected transactions, each once."""
    chosen = transactions.select_related("payment__order", "deposit")[: MAX_ORDERS + 1]
    subjects: dict[PaymentOrder | MigratedDeposit, None] = {}
    for transaction in chosen:
        subject = transaction.payment.order if transaction.payment is not None else transaction.deposit
        if subject is not None:
            subjects[subject] = None
    return _query(request, list(subjects))


def _query(request: HttpRequest, subjects: list[PaymentOrder | MigratedDeposit]) -> HttpResponse | None:
    if len(subjects) > MAX_ORDERS:
        messages.error(request, _("Choose at most %(most)d at a time.") % {"most": MAX_ORDERS})
        return None
    batch = payments.start_status_queries(subjects, by=person_of(request))
    return HttpResponseRedirect(progress_url(batch))


def confirm_batch(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the orders of a draft with the available amounts; start the batch on submit."""
    batch = batch_for(request, batch_id)
    if batch.state != BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(batch))
    if not is_author(request, batch):
        raise PermissionDenied
    posted = request.POST if request.method == "POST" else None
    form = BatchForm(batch, rows_of(batch), posted)
    if posted is not None and form.is_valid():
        if form.is_empty:
            messages.error(request, _("Choose at least one order."))
        elif posted.get("confirm") != what_was_named(form.amounts):
            messages.warning(request, CHECK_THE_SUM)
        else:
            try:
                payments.start(batch, [fields.row for fields in form.rows], **form.why.why)
            except OperationRefused as refused:
                messages.error(request, refusal_text(refused, gateway=""))
            else:
                return HttpResponseRedirect(progress_url(batch))
    operation = operation_of(batch)
    context = {
        "title": operation.heading_of_many,
        "operation": operation,
        "batch": batch,
        "form": form,
        "button": operation.button_of_many(form.amounts),
        "named": what_was_named(form.amounts),
        "hints": hints_of_many(
            operation,
            [(fields.order.gateway, fields.available.currency) for fields in form.rows if fields.is_possible],
            person=person_of(request),
        ),
    }
    orders = [fields.order for fields in form.rows]
    return render_page(site, request, "batch_confirm.html", context, about=orders)


@admin.register(OperationBatch)
class OperationBatchAdmin(OwnPageAdmin):
    """Batches: what was done for many orders at once, by whom, and the progress."""

    list_display = (
        "id",
        "kind",
        state_column(gettext_lazy("state")),
        text_column("created_by", gettext_lazy("author")),
        "reason_code",
        datetime_column("created_at", gettext_lazy("created at")),
        datetime_column("finished_at", gettext_lazy("finished at")),
    )
    list_filter = ("state",)
    search_fields = ()
    when_empty = gettext_lazy(
        "There is no batch yet. Tick several payment orders in their list and choose an action to start one."
    )

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return whether the user may view batches; those who create them may: a list action leads here."""
        makers = (SEE_ORDERS, SEE_TRANSACTIONS, *(operation.permission for operation in BY_KIND.values()))
        return any(
            has_permission(request, permission) for permission in makers
        ) or super().has_view_permission(request, obj)

    def get_urls(self) -> list[URLPattern]:
        """Add the pages of a batch before Django's own URLs."""
        name = "wallet_gateway_operationbatch"
        own = [
            path("<int:batch_id>/confirm/", self.staff_view(confirm_batch), name=f"{name}_confirm"),
            path("<int:batch_id>/progress/", self.staff_view(progress), name=f"{name}_progress"),
            path("<int:batch_id>/steer/", self.staff_view(control), name=f"{name}_steer"),
        ]
        return own + super().get_urls()

    def page_of(self, row: OperationBatch) -> str:
        """Return the URL of the page for the batch's current state."""
        return progress_url(row)
