"""The work queue on the dashboard: each item with its subject, its time and the URL of its page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.approvals import url_of, what_is_asked
from wallet_gateway.admin.batches import progress_url
from wallet_gateway.admin.pages import reverse, row_url
from wallet_gateway.admin.tasks import explanation_of, seen_url_of
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

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item that needs attention."""

    what: Label
    name: str
    """The shop's own reference if there is an order, otherwise that of the transaction or the deposit."""
    url: str
    since: datetime
    amount: Money | None = None
    detail: str = ""
    seen_url: str = ""
    """Where a button posts that it was seen; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One kind of work."""

    slug: str
    title: Label
    advice: Label
    items: tuple[Item, ...]
    more_url: str
    """The URL of the list with the remaining items; empty if all are shown."""


def work_of(found: Waiting, request: HttpRequest) -> tuple[Work, ...]:
    """Return the kinds of work that have items, the most urgent first."""
    transactions, differences = _list("gatewaytransaction"), _list("discrepancy")
    every = (
        _work(
            "anomalies",
            _("Contradictions"),
            _("The gateway's word and ours do not agree. Ask the provider, then decide."),
            map(_transaction, found.anomalies),
            f"{transactions}?state__exact={TransactionState.ANOMALY}",
        ),
        _work(
            "overpaid",
            _("Orders paid more than once"),
            _("Two attempts to pay went through. Refund one, or reverse it where nothing is captured."),
            map(_order, found.overpaid),
            f"{_list('paymentorder')}?state__exact={OrderState.OVERPAID}",
        ),
        _work(
            "unknown",
            _("Unknown outcomes"),
            _("The gateway is being asked; nothing is sent again. Look at what stays here for long."),
            map(_transaction, found.unknown),
            f"{transactions}?state__exact={TransactionState.UNKNOWN}",
        ),
        _work(
            "discrepancies",
            _("Differences"),
            _("Look at each: take it into our totals where this is offered, or dismiss it with the reason."),
            map(_difference, found.discrepancies),
            f"{differences}?open=yes",
        ),
        _work(
            "refused",
            _("Refused afterwards"),
            _("Not carried out, and the call that asked for it did not say so. Tell who relies on it."),
            (replace(_transaction(row), seen_url=seen_url_of(row, request)) for row in found.refused),
            f"{transactions}?refused=unseen",
        ),
        _work(
            "approvals",
            _("Approvals waiting"),
            _("One person has asked for it, another one agrees or declines. Nothing is reserved meanwhile."),
            map(_request, found.approvals),
            f"{_list('approval')}?state__exact={ApprovalState.WAITING}",
        ),
        _work(
            "shortfalls",
            _("Refunds with a shortfall"),
            _("Less was approved than was asked for. Give the rest back in another way, then close it."),
            map(_difference, found.shortfalls),
            f"{differences}?open=yes&kind__exact={DiscrepancyKind.REFUND_SHORT}",
        ),
        _work(
            "stuck",
            _("Not sent, or without news"),
            _("The machine cannot end these. Ask the provider, then send again what never left, or decide."),
            map(_transaction, found.stuck),
            f"{transactions}?state__exact={TransactionState.NOT_SENT}",
        ),
        _work(
            "batches",
            _("Batches that nobody drives"),
            _("No worker carries them out. Have manage.py wallet_sweep run, or open the page of the batch."),
            map(_batch, found.batches),
            f"{_list('operationbatch')}?state__exact={BatchState.RUNNING}",
        ),
        _work(
            "closed-buttons",
            _("Wallet buttons closed by a limit"),
            _("Many at once are a sign of card testing. Raise the limits where the customer is known."),
            map(_closed_button, found.closed_buttons),
            f"{_list('paymentorder')}?wallet=closed",
        ),
        _work(
            "expiring",
            _("Authorizations about to expire"),
            _("Capture or reverse them: soon the customer's bank gives the money up."),
            map(_authorization, found.expiring),
            f"{_list('paymentorder')}?expires=soon",
        ),
    )
    return tuple(work for work in every if work.items)


def _work(slug: str, title: Label, advice: Label, items: Iterable[Item], url: str) -> Work:
    rows = tuple(items)
    more = url if len(rows) > MOST_SHOWN else ""
    return Work(slug=slug, title=title, advice=advice, items=rows[:MOST_SHOWN], more_url=more)


def _list(model: str) -> str:
    return reverse(f"admin:wallet_gateway_{model}_changelist")


def _transaction(row: GatewayTransaction) -> Item:
    return Item(
        what=label_of(TransactionKind(row.kind)),
        name=_name_of(row),
        url=row_url(row),
        since=row.state_changed_at,
        amount=row.amount,
        detail=visible(row.explanation, max_length=160),
    )


def _order(row: PaymentOrder) -> Item:
    return Item(
        what=label_of(OrderState(row.state)),
        name=visible(row),
        url=row_url(row),
        since=row.updated_at,
        amount=row.amount,
    )


def _closed_button(row: PaymentOrder) -> Item:
    return Item(
        what=label_of(WalletLimit(row.wallet_limit)),
        name=visible(row),
        url=row_url(row),
        since=row.wallet_closed_at or row.updated_at,
        amount=row.amount,
    )


def _difference(row: Discrepancy) -> Item:
    return Item(
        what=label_of(DiscrepancyKind(row.kind)),
        name=_name_of(row),
        url=row_url(row),
        since=row.found_at,
        detail=visible(explanation_of(row), max_length=160),
    )


def _request(row: Approval) -> Item:
    return Item(
        what=what_is_asked(row),
        name=visible(row.payment.order if row.payment is not None else row.parent),
        url=url_of(row),
        since=row.created_at,
        detail=_("asked for by %(author)s") % {"author": visible(row.created_by or "-")},
    )


def _batch(row: OperationBatch) -> Item:
    return Item(
        what=label_of(BatchKind(row.kind)),
        name=str(row.pk),
        url=progress_url(row),
        since=row.driven_at or row.created_at,
        detail=_("started by %(author)s") % {"author": visible(row.created_by)},
    )


def _authorization(row: Payment) -> Item:
    under_way = ""
    if row.capture_reserved:
        amount = Money.from_minor_units(row.capture_reserved, row.currency)
        under_way = f"{_('Under way')}: {format_money(amount)}"
    return Item(
        what=row.get_state_display(),
        name=visible(row.order),
        url=row_url(row.order),
        since=row.created_at,
        amount=Money.from_minor_units(row.authorized - row.captured, row.currency),
        detail=under_way,
    )


def _name_of(row: GatewayTransaction | Discrepancy) -> str:
    if row.payment is not None:
        return visible(row.payment.order)
    return visible(row.deposit or getattr(row, "reference", "") or row.gateway)
