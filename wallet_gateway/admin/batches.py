"""Batches in the admin: from the list's action to the page that confirms, and on to the results."""

from __future__ import annotations

from collections import Counter
from functools import partial

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.admin import asking, batch_rows
from wallet_gateway.admin.batch_forms import BatchForm
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.journal import note_down
from wallet_gateway.admin.operating import BY_KIND, Operation
from wallet_gateway.admin.pages import draw, sentence_of
from wallet_gateway.admin.permissions import SEE_ORDERS, SEE_TRANSACTIONS, demand, may, name_of_person
from wallet_gateway.admin.read_only import OwnPageAdmin, seen
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    RowState,
)

_ENDED = frozenset({RowState.CARRIED_OUT, RowState.HANDED_ON, RowState.REFUSED, RowState.LEFT_OUT})


def begin(request: HttpRequest, operation: Operation, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
    """Make a draft of the chosen orders and go to the page that confirms it."""
    chosen = list(orders[: batch_rows.MOST_ORDERS + 1])
    if len(chosen) > batch_rows.MOST_ORDERS:
        most = {"most": batch_rows.MOST_ORDERS}
        messages.error(request, _("Choose at most %(most)d orders at a time.") % most)
        return None
    batch = batch_rows.draft(operation, chosen, author=name_of_person(request))
    return HttpResponseRedirect(_page(batch))


def confirm_batch(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the orders of a draft with what is left of each; set it going when it is submitted."""
    batch = _batch(request, batch_id)
    if batch.state != BatchState.DRAFT:
        return HttpResponseRedirect(_page(batch))
    if batch.author != name_of_person(request):
        raise PermissionDenied
    posted = request.POST if request.method == "POST" else None
    form = BatchForm(batch, batch_rows.rows_of(batch), posted)
    if posted is not None and form.is_valid():
        if form.is_empty:
            messages.error(request, _("Choose at least one order."))
        else:
            batch_rows.start(batch, [fields.row for fields in form.rows], note=form.why.words)
            return HttpResponseRedirect(_progress(batch))
    operation = batch_rows.operation_of(batch)
    context = {"title": operation.heading_of_many, "operation": operation, "batch": batch, "form": form}
    return draw(site, request, "batch_confirm.html", context)


def progress(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show how far a batch is; while it runs, each look at this page carries out some more of its rows.

    It was confirmed by a form, so that no more than the next look at it is needed to go on: a page that
    renews itself does that without a script.
    """
    batch = _batch(request, batch_id)
    if batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(_page(batch))
    if batch.state == BatchState.RUNNING and request.method == "GET":
        batch_rows.step(batch, note=partial(_note, request))
        batch.refresh_from_db()
    rows = batch_rows.rows_of(batch)
    ended = sum(row.state in _ENDED for row in rows)
    context = {
        "title": _heading(batch),
        "batch": batch,
        "rows": [ShownRow(row=row) for row in rows],
        "ended": ended,
        "all": len(rows),
        "counts": _counts(rows),
        "is_running": batch.state == BatchState.RUNNING,
        "is_stopped": batch.state == BatchState.STOPPED,
    }
    return draw(site, request, "batch_progress.html", context)


def steer(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:  # noqa: ARG001 - as the others
    """Stop a batch, or go on with it."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    batch = _batch(request, batch_id)
    if "stop" in request.POST and batch_rows.stop(batch):
        note_down(request, batch, _("Stopped."))
    elif "go_on" in request.POST and batch_rows.go_on(batch):
        note_down(request, batch, _("Gone on with."))
    return HttpResponseRedirect(_progress(batch))


def _batch(request: HttpRequest, batch_id: int) -> OperationBatch:
    batch = get_object_or_404(OperationBatch, pk=batch_id)
    # Whoever may see rows may ask about them.
    if batch.kind != BatchKind.ASK:
        demand(request, batch_rows.operation_of(batch).permission)
    return batch


def _heading(batch: OperationBatch) -> Promise | str:
    if batch.kind == BatchKind.ASK:
        return asking.HEADING
    return batch_rows.operation_of(batch).heading_of_many


def _note(request: HttpRequest, row: OperationBatchRow) -> None:
    of_batch = {"batch": row.batch_id, "author": row.batch.author}
    if row.batch.kind == BatchKind.ASK:
        words = f"{_('Asked the gateway.')} {row.result}"
    elif row.state == RowState.HANDED_ON:
        words = _("%(what)s (batch %(batch)s of %(author)s)") % {"what": row.result, **of_batch}
    elif row.intent is not None:
        done = {"what": sentence_of(row.intent), "reference": row.intent.reference, **of_batch}
        words = _("%(what)s (%(reference)s; batch %(batch)s of %(author)s)") % done
    else:
        return
    note_down(request, row.subject, words)


def _counts(rows: list[OperationBatchRow]) -> list[tuple[str, int]]:
    """Count the rows by how they ended: those with an intent by its state, those asked about by result."""
    return sorted(Counter(map(_ending, rows)).items())


def _ending(row: OperationBatchRow) -> str:
    if row.batch.kind == BatchKind.ASK and row.result:
        return row.result
    return str((row.intent or row).get_state_display())


def _page(batch: OperationBatch) -> str:
    return reverse("admin:wallet_gateway_operationbatch_confirm", args=[batch.pk])


def _progress(batch: OperationBatch) -> str:
    return reverse("admin:wallet_gateway_operationbatch_progress", args=[batch.pk])


@admin.register(OperationBatch)
class OperationBatchAdmin(OwnPageAdmin):
    """What was done for many orders at once, by whom, and how far it has come."""

    list_display = (
        "id",
        "kind",
        "state",
        seen("author", gettext_lazy("author")),
        "created_at",
        "finished_at",
    )
    list_filter = ("state",)
    search_fields = ()

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Let also those see batches who make them: an action of a list leads here."""
        makers = (SEE_ORDERS, SEE_TRANSACTIONS, *(operation.permission for operation in BY_KIND.values()))
        return any(may(request, permission) for permission in makers) or super().has_view_permission(
            request, obj
        )

    def get_urls(self) -> list[URLPattern]:
        """Add the pages of a batch before those of Django."""
        name = "wallet_gateway_operationbatch"
        own = [
            path("<int:batch_id>/confirm/", self.acting(confirm_batch), name=f"{name}_confirm"),
            path("<int:batch_id>/progress/", self.acting(progress), name=f"{name}_progress"),
            path("<int:batch_id>/steer/", self.acting(steer), name=f"{name}_steer"),
        ]
        return own + super().get_urls()

    def page_of(self, row: OperationBatch) -> str:
        """Return the page that the batch has come to."""
        return _progress(row)
