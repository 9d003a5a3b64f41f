"""The page of a confirmed batch: its progress, and the buttons to pause, resume and stop it.

Viewing the page changes nothing, and no batch depends on it: the sweep executes batches. While the user who
confirmed the batch has the page open, its script submits a form repeatedly, which executes some rows
at once; if no worker processes the batch, every user with the permission has a button for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways
from wallet_gateway.admin.admin_log import log_change
from wallet_gateway.admin.badges import state_badge
from wallet_gateway.admin.batch_results import ShownRow
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.operation_registry import BY_KIND, Operation
from wallet_gateway.admin.pages import render_page
from wallet_gateway.admin.permissions import person_of, require_permission
from wallet_gateway.admin.sums import sums_in_words, sums_of
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import BatchKind, BatchState, OperationBatch, OperationBatchRow
from wallet_gateway.models.decisions import UNENDED_ROWS
from wallet_gateway.models.fields import actor_in
from wallet_gateway.payments import batches
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import is_stalled

QUERY_HEADING = gettext_lazy("Ask the gateway")


def progress(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the progress of a batch."""
    batch = batch_for(request, batch_id)
    if batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(confirm_url(batch))
    return _page(site, request, batch, drives=is_author(request, batch))


def control(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Pause, resume or stop a batch, or execute some of its rows now."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    batch = batch_for(request, batch_id)
    _control(request, batch)
    if not {"resume", "carry_on"} & request.POST.keys() or batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(batch))
    batches.step(batch)
    batch.refresh_from_db()
    return _page(site, request, batch, drives=True)


def _control(request: HttpRequest, batch: OperationBatch) -> None:
    by = person_of(request)
    if "pause" in request.POST and batches.pause(batch, by=by):
        log_change(request, batch, _("Paused."))
    elif "resume" in request.POST and batches.resume(batch):
        log_change(request, batch, _("Resumed."))
    elif "stop" in request.POST and batches.stop(batch, by=by):
        log_change(request, batch, _("Stopped."))


def batch_for(request: HttpRequest, batch_id: int) -> OperationBatch:
    """Return a batch if the user may run its operation."""
    batch = get_object_or_404(OperationBatch, pk=batch_id)
    if batch.kind not in set(BatchKind):
        raise Http404(f"batch {batch_id} is of the kind {batch.kind}, which this version does not know")
    # Every user who may view rows may query their status.
    if batch.kind != BatchKind.STATUS_QUERY:
        require_permission(request, operation_of(batch).permission)
    return batch


def is_author(request: HttpRequest, batch: OperationBatch) -> bool:
    """Return whether the current user created a batch: by the account, or by the name where it has none."""
    person, author = person_of(request), actor_in(batch, "created_by")
    return person.name == author.name if author.is_program else person.account == author.account


def operation_of(batch: OperationBatch) -> Operation:
    """Return the operation of a batch; a batch of status queries has none."""
    return BY_KIND[TransactionKind(batch.kind)]


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    """Return the rows with everything that a page shows, in two SQL statements."""
    related = ("order", "payment", "deposit", "transaction", "approval")
    rows = list(batch.rows.select_related(*related).prefetch_related("changed"))
    for row in rows:
        row.batch = batch
    return rows


def _page(site: AdminSite, request: HttpRequest, batch: OperationBatch, *, drives: bool) -> HttpResponse:
    rows = [ShownRow(row=row) for row in rows_of(batch)]
    amounts = [shown.amount for shown in rows if shown.amount and shown.row.state in UNENDED_ROWS]
    context = {
        "title": _heading(batch),
        "batch": batch,
        "state": state_badge(batch),
        "author": visible(batch.created_by),
        "paused_by": visible(batch.paused_by),
        "stopped_by": visible(batch.stopped_by),
        "rows": rows,
        "ended": sum(shown.row.state not in UNENDED_ROWS for shown in rows),
        "all": len(rows),
        "counts": _counts(rows),
        "left": sums_in_words(sums_of(amounts)),
        "is_running": batch.state == BatchState.RUNNING,
        "is_paused": batch.state == BatchState.PAUSED,
        "is_stalled": is_stalled(batch, gateways.clock().now()),
        "drives": drives,
        "page": progress_url(batch),
    }
    subjects = [shown.row.subject for shown in rows]
    return render_page(site, request, "batch_progress.html", context, about=subjects)


def _heading(batch: OperationBatch) -> Promise | str:
    return QUERY_HEADING if batch.kind == BatchKind.STATUS_QUERY else operation_of(batch).heading_of_many


def _counts(rows: Iterable[ShownRow]) -> list[tuple[str, int]]:
    return sorted(Counter(shown.ending for shown in rows).items())


def confirm_url(batch: OperationBatch) -> str:
    """Return the URL of the page that confirms a draft."""
    return reverse("admin:wallet_gateway_operationbatch_confirm", args=[batch.pk])


def progress_url(batch: OperationBatch) -> str:
    """Return the URL of a batch's results."""
    return reverse("admin:wallet_gateway_operationbatch_progress", args=[batch.pk])
