"""The page of a batch that was confirmed: how far it is, and what carries it on.

Looking at it changes nothing. Rows are carried out by a form: the script of the page of whoever confirmed the
batch submits it again and again, and everybody else with the permission has a button. A page without
JavaScript can only renew itself, so its address then holds a ticket made for that person and that batch.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin import batch_rows, bulk_status_query, confirm_tokens
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.pages import draw, sentence_of
from wallet_gateway.admin.permissions import name_of_person, require_permission
from wallet_gateway.admin.visible_text import visible
from wallet_gateway.models import BatchKind, BatchState, OperationBatch, OperationBatchRow, RowState

_ENDED = frozenset({RowState.CARRIED_OUT, RowState.HANDED_ON, RowState.REFUSED, RowState.LEFT_OUT})


def progress(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show how far a batch is; carry out more of it only for the page that renews itself with its ticket."""
    batch = batch_for(request, batch_id)
    if batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(confirm_url(batch))
    renews = request.method == "GET" and _holds_ticket(request, batch)
    if renews:
        _step(request, batch)
    return _page(site, request, batch, drives=renews or batch.created_by == name_of_person(request))


def control(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Stop a batch; or take it up again where it was stopped, and carry out some of its rows."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    batch = batch_for(request, batch_id)
    if "stop" in request.POST and batch_rows.stop(batch):
        log_change(request, batch, _("Stopped."))
    if not {"go_on", "carry_on"} & request.POST.keys() or batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(batch))
    if "go_on" in request.POST and batch_rows.go_on(batch):
        log_change(request, batch, _("Gone on with."))
        batch.refresh_from_db()
    _step(request, batch)
    return _page(site, request, batch, drives=True)


def batch_for(request: HttpRequest, batch_id: int) -> OperationBatch:
    """Return a batch for somebody who may do what it does."""
    batch = get_object_or_404(OperationBatch, pk=batch_id)
    # Whoever may see rows may ask about them.
    if batch.kind != BatchKind.ASK:
        require_permission(request, batch_rows.operation_of(batch).permission)
    return batch


def _step(request: HttpRequest, batch: OperationBatch) -> None:
    if batch.state == BatchState.RUNNING:
        batch_rows.step(batch, comment=partial(_note, request))
        batch.refresh_from_db()


def _ticket(request: HttpRequest, batch: OperationBatch) -> str:
    return confirm_tokens.issue("batch", batch.pk, person=str(request.user.pk), available=0)


def _holds_ticket(request: HttpRequest, batch: OperationBatch) -> bool:
    try:
        confirm_tokens.read(request.GET.get("go", ""), "batch", batch.pk, person=str(request.user.pk))
    except confirm_tokens.StalePage:
        return False
    return True


def _page(site: AdminSite, request: HttpRequest, batch: OperationBatch, *, drives: bool) -> HttpResponse:
    rows = batch_rows.rows_of(batch)
    address = progress_url(batch)
    query = urlencode({"go": _ticket(request, batch)}) if drives else ""
    context = {
        "title": _heading(batch),
        "batch": batch,
        "author": visible(batch.created_by),
        "rows": [ShownRow(row=row) for row in rows],
        "ended": sum(row.state in _ENDED for row in rows),
        "all": len(rows),
        "counts": _counts(rows),
        "is_running": batch.state == BatchState.RUNNING,
        "is_stopped": batch.state == BatchState.STOPPED,
        "drives": drives,
        "page": address,
        "next_page": f"{address}?{query}" if query else address,
    }
    return draw(site, request, "batch_progress.html", context)


def _heading(batch: OperationBatch) -> Promise | str:
    if batch.kind == BatchKind.ASK:
        return bulk_status_query.HEADING
    return batch_rows.operation_of(batch).heading_of_many


def _note(request: HttpRequest, row: OperationBatchRow) -> None:
    of_batch = {"batch": row.batch_id, "author": row.batch.created_by}
    if row.batch.kind == BatchKind.ASK:
        words = f"{_('Asked the gateway.')} {row.result}"
    elif row.state == RowState.HANDED_ON:
        words = _("%(what)s (batch %(batch)s of %(author)s)") % {"what": row.result, **of_batch}
    elif row.transaction is not None:
        done = {"what": sentence_of(row.transaction), "reference": row.transaction.reference, **of_batch}
        words = _("%(what)s (%(reference)s; batch %(batch)s of %(author)s)") % done
    else:
        return
    log_change(request, row.subject, words)


def _counts(rows: list[OperationBatchRow]) -> list[tuple[str, int]]:
    """Count the rows by how they ended: with a transaction by its state, asked about by result."""
    return sorted(Counter(map(_ending, rows)).items())


def _ending(row: OperationBatchRow) -> str:
    if row.batch.kind == BatchKind.ASK and row.result:
        return row.result
    return str((row.transaction or row).get_state_display())


def confirm_url(batch: OperationBatch) -> str:
    """Return the address of the page that confirms a draft."""
    return reverse("admin:wallet_gateway_operationbatch_confirm", args=[batch.pk])


def progress_url(batch: OperationBatch) -> str:
    """Return the address of a batch's results."""
    return reverse("admin:wallet_gateway_operationbatch_progress", args=[batch.pk])
