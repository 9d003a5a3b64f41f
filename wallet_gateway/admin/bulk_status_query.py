"""Ask the gateway about many orders, or payments of an earlier provider, in the manner of a batch.

Nobody confirms it: asking moves no money. Each row's result says what the gateway's word changed, and rows
of a step keep to the rate of questions that the settings allow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction as db_transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf, gateways, payments
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.admin.permissions import name_of_person
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    RowState,
)

HEADING = gettext_lazy("Ask the gateway")
MOST = 400


def begin_with_orders(request: HttpRequest, orders: QuerySet[PaymentOrder]) -> HttpResponse | None:
    """Begin to ask about the chosen orders and go to the results."""
    return _begin(request, list(orders[: MOST + 1]))


def begin_with_transactions(
    request: HttpRequest, transactions: QuerySet[GatewayTransaction]
) -> HttpResponse | None:
    """Begin to ask about the orders and deposits that the chosen transactions belong to, each once."""
    chosen = transactions.select_related("payment__order", "deposit")[: MOST + 1]
    subjects: dict[PaymentOrder | MigratedDeposit, None] = {}
    for transaction in chosen:
        subject = transaction.payment.order if transaction.payment is not None else transaction.deposit
        if subject is not None:
            subjects[subject] = None
    return _begin(request, list(subjects))


def _begin(request: HttpRequest, subjects: list[PaymentOrder | MigratedDeposit]) -> HttpResponse | None:
    if len(subjects) > MOST:
        messages.error(request, _("Choose at most %(most)d at a time.") % {"most": MOST})
        return None
    batch = _store(subjects, by=name_of_person(request))
    return HttpResponseRedirect(reverse("admin:wallet_gateway_operationbatch_progress", args=[batch.pk]))


def _store(subjects: Iterable[PaymentOrder | MigratedDeposit], *, by: str) -> OperationBatch:
    now = gateways.clock().now()
    batch = OperationBatch(kind=BatchKind.ASK, state=BatchState.RUNNING, created_by=by[:150], created_at=now)
    with db_transaction.atomic():
        batch.save()
        OperationBatchRow.objects.bulk_create(_row(batch, subject) for subject in subjects)
    return batch


def _row(batch: OperationBatch, subject: PaymentOrder | MigratedDeposit) -> OperationBatchRow:
    if isinstance(subject, MigratedDeposit):
        return OperationBatchRow(batch=batch, deposit=subject)
    return OperationBatchRow(batch=batch, order=subject)


def ask(row: OperationBatchRow) -> None:
    """Ask about one row, write down what came of it, and rest as long as the rate of questions demands."""
    subject = row.subject
    try:
        asked = payments.ask_gateway(subject)
    except ImproperlyConfigured:
        row.state, row.result = RowState.REFUSED, _("The order's gateway is not in the settings.")
    else:
        row.state, row.result = RowState.CARRIED_OUT, _in_words(asked)[:500]
        time.sleep(asked.questions / conf.gateway_settings(subject.gateway).policy.query_rate)
    row.save(update_fields=["state", "result"])


def _in_words(asked: payments.Asked) -> str:
    parts = [sentence_of(transaction) for transaction in asked.changed]
    if asked.unanswered:
        parts.append(_("The gateway did not answer; ask again later."))
    elif not asked.questions:
        parts.append(_("Nothing was ever asked of the gateway."))
    return " ".join(parts) or _("The gateway was asked; everything stands as before.")
