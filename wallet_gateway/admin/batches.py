"""Batches: from the list action to the page that confirms one, and the page of its progress and results.

Viewing the page of a confirmed batch changes nothing, and no batch depends on it: the sweep executes batches.
While the user who confirmed the batch has the page open, its script submits a form repeatedly, which executes
some rows at once; if no worker processes the batch, every user with the permission has a button for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.confirm import ManyPage
from wallet_gateway.admin.operation_registry import BY_KIND, Operation, limit_of, sums_in_words, sums_of
from wallet_gateway.admin.pages import log_change, mark_of, page_url, render_page, row_url, sentence_of
from wallet_gateway.admin.permissions import SEE_ORDERS, SEE_TRANSACTIONS, person_of, require_permission
from wallet_gateway.admin.read_only import ReadOnlyAdmin, datetime_column, text_column
from wallet_gateway.admin.tasks import sentence_of_request
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.models.decisions import UNENDED_ROWS, account_of
from wallet_gateway.models.fields import actor_in
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import OperationRefused, message_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import is_stalled
from wallet_gateway.signals import batch_row_done

_RESULTS = {
    ResultCode.SEVERAL_PAYMENTS: gettext_lazy("It has several payments; open the order and choose one."),
    ResultCode.NOTHING_AUTHORIZED: gettext_lazy("Nothing is authorized."),
    ResultCode.BATCH_STOPPED: gettext_lazy("Not begun: the batch was stopped."),
    ResultCode.UNREACHABLE: gettext_lazy(
        "The gateway cannot be reached. Nothing was sent and nothing is reserved; try again later."
    ),
    ResultCode.NO_PERMISSION: gettext_lazy(
        "%(author)s, who confirmed it, has no longer the permission for it. Nothing was sent."
    ),
    ResultCode.UNKNOWN_GATEWAY: gettext_lazy("The order's gateway is not in the settings."),
    ResultCode.UNCHANGED: gettext_lazy("The gateway was asked; everything stands as before."),
    ResultCode.UNANSWERED: gettext_lazy("The gateway did not answer; ask again later."),
    ResultCode.NEVER_SENT: gettext_lazy("Nothing was ever asked of the gateway."),
    ResultCode.FAILED: gettext_lazy("An unexpected error, which is in the log. Nothing was sent."),
}
"""Sentences for results that come from neither a transaction nor a refusal."""


def sentence_of_row(row: OperationBatchRow, *, write: Callable[[Money], str] = format_money) -> str:
    """Return a row's result, or its status if there is no result yet; see `pages.sentence_of`."""
    parts = [sentence_of(transaction, write=write) for transaction in row.changed.all()]
    if row.result_code and row.refusal_code:
        parts.append(visible(message_of(ErrorCode(row.refusal_code), **row.refusal_params)))
    elif row.result_code:
        words = str(_RESULTS.get(ResultCode(row.result_code), ""))
        parts.append(words % {"author": visible(row.batch.created_by)})
    elif row.transaction is not None:
        parts.append(sentence_of(row.transaction, write=write))
    elif row.approval is not None:
        parts.append(sentence_of_request(row.approval, write=write))
    return " ".join(filter(None, parts)) or str(row.get_state_display())


def record_row(batch: OperationBatch, row: OperationBatchRow, **_kwargs: Any) -> None:
    """Record a row under the name of the user who confirmed the batch, unless it was refused."""
    of_batch = {"batch": batch.pk, "author": batch.created_by}
    if batch.kind == BatchKind.STATUS_QUERY:
        words = f"{_('Asked the gateway.')} {sentence_of_row(row, write=str)}"
    elif row.approval is not None:
        what = sentence_of_request(row.approval, write=str)
        words = _("%(what)s (batch %(batch)s of %(author)s)") % {"what": what, **of_batch}
    elif row.transaction is not None:
        done = {
            "what": sentence_of(row.transaction, write=str),
            "reference": row.transaction.reference,
            **of_batch,
        }
        words = _("%(what)s (%(reference)s; batch %(batch)s of %(author)s)") % done
    else:
        return
    if (account := account_of(actor_in(batch, "created_by"))) is not None:
        log_change(account, row.subject, words)


batch_row_done.connect(record_row, dispatch_uid="wallet_gateway.admin.batch_log")


def progress(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the progress of a batch."""
    batch = batch_for(request, batch_id)
    if batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(page_url(request, "operationbatch_confirm", batch.pk))
    return _page(site, request, batch, drives=is_author(request, batch))


def control(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Pause, resume or stop a batch, or execute some of its rows now."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    batch = batch_for(request, batch_id)
    by = person_of(request)
    if "pause" in request.POST and batches.pause(batch, by=by):
        log_change(request.user, batch, _("Paused."))
    elif "resume" in request.POST and batches.resume(batch):
        log_change(request.user, batch, _("Resumed."))
    elif "stop" in request.POST and batches.stop(batch, by=by):
        log_change(request.user, batch, _("Stopped."))
    if not {"resume", "carry_on"} & request.POST.keys() or batch.state == BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(request, batch))
    batches.step(batch)
    batch.refresh_from_db()
    return _page(site, request, batch, drives=True)


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
    return list(batch.rows.select_related(*related).prefetch_related("changed"))


def _page(site: AdminSite, request: HttpRequest, batch: OperationBatch, *, drives: bool) -> HttpResponse:
    rows, is_query = rows_of(batch), batch.kind == BatchKind.STATUS_QUERY
    shown, endings = [], Counter[str]()
    for row in rows:
        transaction, sentence = row.transaction, sentence_of_row(row)
        approved = transaction.approved_amount if transaction is not None else None
        ended = row if transaction is None or row.result_code else transaction
        endings[sentence if is_query else str(ended.get_state_display())] += 1
        shown.append(
            {
                "name": visible(row.subject),
                "url": row_url(request, row.subject),
                "state": row.state,
                "amount": format_money(row.amount) if row.amount_minor else "",
                "sentence": sentence,
                "approved": format_money(approved) if approved else "",
                "is_short": approved is not None and approved != row.amount,
                "limit": transaction.refund_limit if transaction is not None else None,
            }
        )
    unended = [row for row in rows if row.state in UNENDED_ROWS]
    context = {
        "title": _("Ask the gateway") if is_query else operation_of(batch).heading_of_many,
        "batch": batch,
        "state": state_badge(batch),
        "author": visible(batch.created_by),
        "paused_by": visible(batch.paused_by),
        "stopped_by": visible(batch.stopped_by),
        "rows": shown,
        "ended": len(rows) - len(unended),
        "all": len(rows),
        "counts": sorted(endings.items()),
        "left": sums_in_words(sums_of(row.amount for row in unended if row.amount_minor)),
        "is_running": batch.state == BatchState.RUNNING,
        "is_paused": batch.state == BatchState.PAUSED,
        "is_stalled": is_stalled(batch, gateways.clock().now()),
        "drives": drives,
        "page": progress_url(request, batch),
    }
    return render_page(site, request, "batch_progress.html", context, about=[row.subject for row in rows])


def progress_url(request: HttpRequest, batch: OperationBatch) -> str:
    """Return the URL of a batch's results."""
    return page_url(request, "operationbatch_progress", batch.pk)


class BatchPage(ManyPage):
    """The page that confirms a draft: the orders that were ticked in the list."""

    nouns = (gettext_lazy("Order"), gettext_lazy("Orders"))
    nothing_chosen = gettext_lazy("Choose at least one order.")

    def __init__(self, site: AdminSite, request: HttpRequest, batch: OperationBatch) -> None:
        self.batch, self.operation = batch, operation_of(batch)
        super().__init__(site, request, self.operation.permission, None, place=PaymentOrder)
        if not is_author(request, batch):
            raise PermissionDenied
        self.stored, self.rows = rows_of(batch), []
        for row in self.stored:
            order = row.order
            assert order is not None  # noqa: S101 - drafts are of orders
            left, limit = Money.from_minor_units(0, order.currency), None
            if row.payment is not None:
                left = self.operation.available_of(row.payment)
                limit = limit_of(self.operation, row.payment, order.gateway)
            why_not = "" if row.state == RowState.WAITING else sentence_of_row(row)
            self.rows.append(self.row_of(row.pk, order, left, limit=limit, why_not=why_not))

    @property
    def done_url(self) -> str:
        """The progress of the batch."""
        return progress_url(self.request, self.batch)

    def mark(self) -> dict[str, bool]:
        """Return whether all orders are tests."""
        return mark_of([row.subject for row in self.rows])

    def act(self) -> None:
        """Start the batch with the amounts that were confirmed."""
        for row, fields in zip(self.stored, self.rows, strict=True):
            if fields.asked is not None:
                row.amount_minor = fields.asked.minor_units
            elif not fields.why_not:
                row.state, row.result_code = RowState.LEFT_OUT, ResultCode.NOT_WANTED
        batches.start(self.batch, self.stored, **self.form.why)


def draft_batch(
    request: HttpRequest, operation: Operation, orders: QuerySet[PaymentOrder]
) -> HttpResponse | None:
    """Create a draft batch of the selected orders and redirect to the page that confirms it."""
    chosen, kind = list(orders[: batches.MAX_ROWS + 1]), BatchKind(operation.kind)
    return _begun(request, "confirm", lambda: batches.draft(kind, chosen, by=person_of(request)))


def query_many(
    request: HttpRequest, subjects: Iterable[PaymentOrder | MigratedDeposit]
) -> HttpResponse | None:
    """Start status queries for orders and deposits, each once, and redirect to the results."""
    chosen: dict[PaymentOrder | MigratedDeposit, None] = {}
    for subject in subjects:
        chosen[subject] = None
        if len(chosen) > batches.MAX_ROWS:
            break
    by = person_of(request)
    return _begun(request, "progress", lambda: batches.start_status_queries(list(chosen), by=by))


def _begun(request: HttpRequest, page: str, begin: Callable[[], OperationBatch]) -> HttpResponse | None:
    """Redirect to the page of a new batch, or show why no batch can be made."""
    try:
        batch = begin()
    except OperationRefused as refused:
        messages.error(request, visible(refused.message))
        return None
    return HttpResponseRedirect(page_url(request, f"operationbatch_{page}", batch.pk))


def confirm_batch(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Handle a request for the page that confirms a draft; a batch that was started has another page."""
    batch = batch_for(request, batch_id)
    if batch.state != BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(request, batch))
    return BatchPage(site, request, batch).answer()


@admin.register(OperationBatch)
class OperationBatchAdmin(ReadOnlyAdmin):
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
    pages: ClassVar = {
        "confirm": ("<int:batch_id>/confirm/", confirm_batch),
        "progress": ("<int:batch_id>/progress/", progress),
        "steer": ("<int:batch_id>/steer/", control),
    }
    own_page = "progress"
    # A list action leads here.
    viewers = (SEE_ORDERS, SEE_TRANSACTIONS, *(operation.permission for operation in BY_KIND.values()))
    search_fields = ()
    when_empty = gettext_lazy(
        "There is no batch yet. Tick several payment orders in their list and choose an action to start one."
    )
