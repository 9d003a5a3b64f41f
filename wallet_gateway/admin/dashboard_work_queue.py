"""The work queue on the dashboard: each item with its subject, its time and the URL of its page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from wallet_gateway.admin.batches import progress_url
from wallet_gateway.admin.pages import page_url, row_url
from wallet_gateway.admin.tasks import explanation_of, seen_url_of, what_is_asked
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import OrderState, TransactionKind, TransactionState
from wallet_gateway.formats import format_money
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    BatchKind,
    BatchState,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.work import MOST_SHOWN, Waiting

Item = dict[str, Any]
"""One item that needs attention, by the shop's own reference if there is an order."""


def work_of(found: Waiting, request: HttpRequest) -> list[dict[str, Any]]:
    """Return the kinds of work that have items, the most urgent first.

    `more_url` is the URL of the list with the remaining items; empty if all are shown.
    """
    transactions, orders, differences = (
        page_url(request, f"{model}_changelist")
        for model in ("gatewaytransaction", "paymentorder", "discrepancy")
    )
    transaction, difference = partial(_transaction, request), partial(_difference, request)
    every: tuple[tuple[str, str, str, Iterable[Item], str], ...] = (
        (
            "anomalies",
            _("Contradictions"),
            _("The gateway's word and ours do not agree. Ask the provider, then decide."),
            map(transaction, found.anomalies),
            f"{transactions}?state__exact={TransactionState.ANOMALY}",
        ),
        (
            "overpaid",
            _("Orders paid more than once"),
            _("Two attempts to pay went through. Refund one, or reverse it where nothing is captured."),
            map(partial(_order, request), found.overpaid),
            f"{orders}?state__exact={OrderState.OVERPAID}",
        ),
        (
            "unknown",
            _("Unknown outcomes"),
            _("The gateway is being asked; nothing is sent again. Look at what stays here for long."),
            map(transaction, found.unknown),
            f"{transactions}?state__exact={TransactionState.UNKNOWN}",
        ),
        (
            "discrepancies",
            _("Differences"),
            _("Look at each: take it into our totals where this is offered, or dismiss it with the reason."),
            map(difference, found.discrepancies),
            f"{differences}?open=yes",
        ),
        (
            "refused",
            _("Refused afterwards"),
            _("Not carried out, and the call that asked for it did not say so. Tell who relies on it."),
            ({**transaction(row), "seen_url": seen_url_of(row, request)} for row in found.refused),
            f"{transactions}?refused=unseen",
        ),
        (
            "approvals",
            _("Approvals waiting"),
            _("One person has asked for it, another one agrees or declines. Nothing is reserved meanwhile."),
            map(partial(_request, request), found.approvals),
            f"{page_url(request, 'approval_changelist')}?state__exact={ApprovalState.WAITING}",
        ),
        (
            "shortfalls",
            _("Refunds with a shortfall"),
            _("Less was approved than was asked for. Give the rest back in another way, then close it."),
            map(difference, found.shortfalls),
            f"{differences}?open=yes&kind__exact={DiscrepancyKind.REFUND_SHORT}",
        ),
        (
            "stuck",
            _("Not sent, or without news"),
            _("The machine cannot end these. Ask the provider, then send again what never left, or decide."),
            map(transaction, found.stuck),
            f"{transactions}?state__exact={TransactionState.NOT_SENT}",
        ),
        (
            "batches",
            _("Batches that nobody drives"),
            _("No worker carries them out. Have manage.py wallet_sweep run, or open the page of the batch."),
            map(partial(_batch, request), found.batches),
            f"{page_url(request, 'operationbatch_changelist')}?state__exact={BatchState.RUNNING}",
        ),
        (
            "closed-buttons",
            _("Wallet buttons closed by a limit"),
            _("Many at once are a sign of card testing. Raise the limits where the customer is known."),
            map(partial(_closed_button, request), found.closed_buttons),
            f"{orders}?wallet=closed",
        ),
        (
            "expiring",
            _("Authorizations about to expire"),
            _("Capture or reverse them: soon the customer's bank gives the money up."),
            map(partial(_authorization, request), found.expiring),
            f"{orders}?expires=soon",
        ),
    )
    work = []
    for slug, title, advice, items, url in every:
        rows = tuple(items)
        if rows:
            more_url = url if len(rows) > MOST_SHOWN else ""
            shown = {"slug": slug, "title": title, "advice": advice, "items": rows[:MOST_SHOWN]}
            work.append({**shown, "more_url": more_url})
    return work


def _transaction(request: HttpRequest, row: GatewayTransaction) -> Item:
    return {
        "what": label_of(TransactionKind(row.kind)),
        "name": _name_of(row),
        "url": row_url(request, row),
        "since": row.state_changed_at,
        "amount": row.amount,
        "detail": visible(row.explanation, max_length=160),
    }


def _order(request: HttpRequest, row: PaymentOrder) -> Item:
    return {
        "what": label_of(OrderState(row.state)),
        "name": visible(row),
        "url": row_url(request, row),
        "since": row.updated_at,
        "amount": row.amount,
    }


def _closed_button(request: HttpRequest, row: PaymentOrder) -> Item:
    what, since = label_of(WalletLimit(row.wallet_limit)), row.wallet_closed_at or row.updated_at
    return {**_order(request, row), "what": what, "since": since}


def _difference(request: HttpRequest, row: Discrepancy) -> Item:
    return {
        "what": label_of(DiscrepancyKind(row.kind)),
        "name": _name_of(row),
        "url": row_url(request, row),
        "since": row.found_at,
        "detail": visible(explanation_of(row), max_length=160),
    }


def _request(request: HttpRequest, row: Approval) -> Item:
    return {
        "what": what_is_asked(row),
        "name": visible(row.payment.order if row.payment is not None else row.parent),
        "url": page_url(request, "approval_decide", row.pk),
        "since": row.created_at,
        "detail": _("asked for by %(author)s") % {"author": visible(row.created_by or "-")},
    }


def _batch(request: HttpRequest, row: OperationBatch) -> Item:
    return {
        "what": label_of(BatchKind(row.kind)),
        "name": str(row.pk),
        "url": progress_url(request, row),
        "since": row.driven_at or row.created_at,
        "detail": _("started by %(author)s") % {"author": visible(row.created_by)},
    }


def _authorization(request: HttpRequest, row: Payment) -> Item:
    under_way = ""
    if row.capture_reserved:
        amount = Money.from_minor_units(row.capture_reserved, row.currency)
        under_way = f"{_('Under way')}: {format_money(amount)}"
    return {
        "what": row.get_state_display(),
        "name": visible(row.order),
        "url": row_url(request, row.order),
        "since": row.created_at,
        "amount": Money.from_minor_units(row.authorized - row.captured, row.currency),
        "detail": under_way,
    }


def _name_of(row: GatewayTransaction | Discrepancy) -> str:
    if row.payment is not None:
        return visible(row.payment.order)
    return visible(row.deposit or getattr(row, "reference", "") or row.gateway)
