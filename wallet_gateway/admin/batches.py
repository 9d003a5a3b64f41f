"""Batches: from the list action to the page that confirms one, and the page of its progress and results.

Viewing the page of a confirmed batch changes nothing, and no batch depends on it: the sweep executes batches.
While the user who confirmed the batch has the page open, its script submits a form repeatedly, which executes
some rows at once; if no worker processes the batch, every user with the permission has a button for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import gateways
from wallet_gateway.admin.approvals import sentence_of_request
from wallet_gateway.admin.badges import state_badge, state_column
from wallet_gateway.admin.forms import AmountField, ReasonForAll, amount_text
from wallet_gateway.admin.operation_registry import (
    BY_KIND,
    CHECK_THE_SUM,
    Operation,
    approval_limit_of,
    hint,
    hints_of_many,
    sums_in_words,
    sums_of,
    what_was_named,
)
from wallet_gateway.admin.pages import (
    log_change,
    log_change_of,
    page_url,
    refusal_text,
    render_page,
    row_url,
    sentence_of,
)
from wallet_gateway.admin.permissions import (
    SEE_ORDERS,
    SEE_TRANSACTIONS,
    has_permission,
    person_of,
    require_permission,
)
from wallet_gateway.admin.read_only import OwnPageAdmin, datetime_column, text_column
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.models.decisions import UNENDED_ROWS
from wallet_gateway.models.fields import actor_in
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import OperationRefused, message_of
from wallet_gateway.protocol.faults import RefundLimit
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
}
"""Sentences for results that come from neither a transaction nor a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """One row, with texts that are safe to show."""

    row: OperationBatchRow
    write: Callable[[Money], str] = format_money
    """How amounts are written: for the reader, or with `str` for what is stored."""

    @property
    def name(self) -> str:
        """Return the name under which people know the row's order or deposit."""
        return visible(self.row.subject)

    @property
    def amount(self) -> Money | None:
        """Return the requested amount; None where no amount can be requested."""
        row = self.row
        return row.amount if row.amount_minor else None

    @property
    def shown_amount(self) -> str:
        """Return the requested amount in the reader's language; empty without one."""
        return "" if self.amount is None else format_money(self.amount)

    @property
    def shown_approved(self) -> str:
        """Return the approved amount in the reader's language; empty as long as nothing is approved."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return "" if approved is None else format_money(approved)

    @property
    def sentence(self) -> str:
        """Return the result as a sentence, or the current status if there is no result yet."""
        row = self.row
        parts = [sentence_of(transaction, write=self.write) for transaction in row.changed.all()]
        if row.result_code and row.refusal_code:
            parts.append(visible(message_of(ErrorCode(row.refusal_code), **row.refusal_params)))
        elif row.result_code:
            words = str(_RESULTS.get(ResultCode(row.result_code), ""))
            parts.append(words % {"author": visible(row.batch.created_by)})
        elif row.transaction is not None:
            parts.append(sentence_of(row.transaction, write=self.write))
        elif row.approval is not None:
            parts.append(sentence_of_request(row.approval, write=self.write))
        return " ".join(filter(None, parts)) or str(row.get_state_display())

    @property
    def ending(self) -> str:
        """Return the key for counting results: the transaction's state, or the status query's result."""
        row = self.row
        if row.batch.kind == BatchKind.STATUS_QUERY:
            return self.sentence
        ended = row if row.transaction is None or row.result_code else row.transaction
        return str(ended.get_state_display())

    @property
    def shortfall(self) -> bool:
        """Return whether less was approved than was requested."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return approved is not None and approved != self.row.amount

    @property
    def limit(self) -> RefundLimit | None:
        """Return the four amounts if the gateway refused a refund above the available amount."""
        return None if self.row.transaction is None else self.row.transaction.refund_limit


def connect() -> None:
    """Connect to the signal for batch rows; repeated calls still record each row once."""
    batch_row_done.connect(record_row, dispatch_uid="wallet_gateway.admin.batch_log")


def record_row(batch: OperationBatch, row: OperationBatchRow, **_kwargs: Any) -> None:
    """Record a row under the name of the user who confirmed the batch, unless it was refused."""
    of_batch = {"batch": batch.pk, "author": batch.created_by}
    if batch.kind == BatchKind.STATUS_QUERY:
        words = f"{_('Asked the gateway.')} {ShownRow(row=row, write=str).sentence}"
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
    log_change_of(actor_in(batch, "created_by"), row.subject, words)


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
        log_change(request, batch, _("Paused."))
    elif "resume" in request.POST and batches.resume(batch):
        log_change(request, batch, _("Resumed."))
    elif "stop" in request.POST and batches.stop(batch, by=by):
        log_change(request, batch, _("Stopped."))
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
    rows = list(batch.rows.select_related(*related).prefetch_related("changed"))
    for row in rows:
        row.batch = batch
    return rows


def _page(site: AdminSite, request: HttpRequest, batch: OperationBatch, *, drives: bool) -> HttpResponse:
    rows = [ShownRow(row=row) for row in rows_of(batch)]
    amounts = [shown.amount for shown in rows if shown.amount and shown.row.state in UNENDED_ROWS]
    is_query = batch.kind == BatchKind.STATUS_QUERY
    context = {
        "title": _("Ask the gateway") if is_query else operation_of(batch).heading_of_many,
        "batch": batch,
        "state": state_badge(batch),
        "author": visible(batch.created_by),
        "paused_by": visible(batch.paused_by),
        "stopped_by": visible(batch.stopped_by),
        "rows": [(shown, row_url(request, shown.row.subject)) for shown in rows],
        "ended": sum(shown.row.state not in UNENDED_ROWS for shown in rows),
        "all": len(rows),
        "counts": sorted(Counter(shown.ending for shown in rows).items()),
        "left": sums_in_words(sums_of(amounts)),
        "is_running": batch.state == BatchState.RUNNING,
        "is_paused": batch.state == BatchState.PAUSED,
        "is_stalled": is_stalled(batch, gateways.clock().now()),
        "drives": drives,
        "page": progress_url(request, batch),
    }
    subjects = [shown.row.subject for shown in rows]
    return render_page(site, request, "batch_progress.html", context, about=subjects)


def progress_url(request: HttpRequest, batch: OperationBatch) -> str:
    """Return the URL of a batch's results."""
    return page_url(request, "operationbatch_progress", batch.pk)


@dataclass(kw_only=True)
class RowFields:
    """One order of the form: the submitted values and their errors."""

    row: OperationBatchRow
    order: PaymentOrder
    available: Money
    is_possible: bool
    """Whether the order can be selected."""
    is_selected: bool
    typed: str
    amount: Money | None = None
    """What was typed; None as long as it is no amount that can be taken."""
    fault: str = ""
    hint: str = ""
    """From which amount a second person is needed."""

    @property
    def shown_available(self) -> str:
        """Return the available amount in the reader's language."""
        return format_money(self.available)

    def read(self, operation: Operation) -> None:
        """Read the amount, or record what is wrong with it."""
        field = AmountField(available=self.available, left=operation.left)
        try:
            self.amount = field.clean(self.typed) if operation.in_parts else self.available
        except forms.ValidationError as error:
            self.fault = error.messages[0]

    @property
    def why_not(self) -> str:
        """Return why the order cannot be selected."""
        return ShownRow(row=self.row).sentence

    @property
    def error_id(self) -> str:
        """Return the id of the error text."""
        return f"amount-{self.row.pk}-error"

    @property
    def hint_id(self) -> str:
        """Return the id of the hint about the second person."""
        return f"amount-{self.row.pk}-hint"

    @property
    def described_by(self) -> str:
        """Return the ids of the texts that describe the amount field."""
        ids = ((self.fault, self.error_id), (self.hint, self.hint_id))
        return " ".join(name for text, name in ids if text)


class BatchForm:
    """The rows and the reason of a draft; `is_valid` writes the amounts into the rows."""

    def __init__(
        self, batch: OperationBatch, rows: Sequence[OperationBatchRow], data: Mapping[str, str] | None = None
    ) -> None:
        self.why = ReasonForAll(data, operation=operation_of(batch))
        self.rows: list[RowFields] = []
        operation = operation_of(batch)
        for row in rows:
            order = row.order
            assert order is not None  # noqa: S101 - drafts are of orders
            available, words = Money.from_minor_units(0, order.currency), ""
            if row.payment is not None:
                available = operation.available_of(row.payment)
                words = hint(approval_limit_of(operation, row.payment, gateway=order.gateway), available)
            typed, is_possible = amount_text(available), row.state == RowState.WAITING
            is_selected = is_possible
            if data is not None:
                typed = data.get(f"amount-{row.pk}", typed)
                is_selected = is_possible and f"take-{row.pk}" in data
            fields = RowFields(
                row=row,
                order=order,
                available=available,
                is_possible=is_possible,
                is_selected=is_selected,
                typed=typed,
                hint=words,
            )
            if is_selected:
                fields.read(operation)
            self.rows.append(fields)

    @property
    def amounts(self) -> list[Money]:
        """Return what is to be moved: the amount of each selected row that has a valid one."""
        return [fields.amount for fields in self.rows if fields.amount is not None]

    def is_valid(self) -> bool:
        """Return whether everything can be taken as it was submitted; write it into the rows."""
        for fields in self.rows:
            if fields.amount is not None:
                fields.row.amount_minor = fields.amount.minor_units
            elif fields.is_possible and not fields.is_selected:
                fields.row.state = RowState.LEFT_OUT
                fields.row.result_code = ResultCode.NOT_WANTED
        sound = not any(fields.fault for fields in self.rows)
        return self.why.is_valid() and sound

    @property
    def is_empty(self) -> bool:
        """Return whether no order is selected."""
        return not any(fields.is_selected for fields in self.rows)


MAX_ORDERS = batches.MAX_ROWS

connect()


def draft_batch(
    request: HttpRequest, operation: Operation, orders: QuerySet[PaymentOrder]
) -> HttpResponse | None:
    """Create a draft batch of the selected orders and redirect to the page that confirms it."""
    chosen = list(orders[: MAX_ORDERS + 1])
    if len(chosen) > MAX_ORDERS:
        messages.error(request, _("Choose at most %(most)d orders at a time.") % {"most": MAX_ORDERS})
        return None
    batch = batches.draft(BatchKind(operation.kind), chosen, by=person_of(request))
    return HttpResponseRedirect(page_url(request, "operationbatch_confirm", batch.pk))


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
    batch = batches.start_status_queries(subjects, by=person_of(request))
    return HttpResponseRedirect(progress_url(request, batch))


def confirm_batch(site: AdminSite, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the orders of a draft with the available amounts; start the batch on submit."""
    batch = batch_for(request, batch_id)
    if batch.state != BatchState.DRAFT:
        return HttpResponseRedirect(progress_url(request, batch))
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
                batches.start(batch, [fields.row for fields in form.rows], **form.why.why)
            except OperationRefused as refused:
                messages.error(request, refusal_text(refused, gateway=""))
            else:
                return HttpResponseRedirect(progress_url(request, batch))
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

    def page_of(self, request: HttpRequest, row: OperationBatch) -> str:
        """Return the URL of the page for the batch's current state."""
        return progress_url(request, row)
