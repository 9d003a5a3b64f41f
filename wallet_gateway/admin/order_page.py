"""The data of an order's page: its totals, why it is frozen, what is possible now, and what belongs to it.

All values are safe to show; the template only arranges them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway.admin.cancel_order import cancel_url_of
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.differences import Difference, difference_of
from wallet_gateway.admin.order_attempts import Attempt, History, attempts_of, unused_of
from wallet_gateway.admin.order_customer import Customer, customer_of
from wallet_gateway.admin.order_goods import Goods, goods_of
from wallet_gateway.admin.order_link import link_of
from wallet_gateway.admin.order_timeline import Line, lines_of
from wallet_gateway.admin.permissions import RAISE_LIMITS, SEE_EVENTS, VIEW_CUSTOMER, has_permission
from wallet_gateway.admin.tasks import Button, Request, Task, requests_of, tasks_of
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import TransactionState, order_totals
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.orders import Subject, TimelineEntry, order_timeline

Label = str | Promise
Row = TypeVar("Row", bound=Subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTasks:
    """What waits for a person: transactions, differences, and requests for a second person."""

    tasks: tuple[Task, ...]
    differences: tuple[Difference, ...]
    requests: tuple[Request, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not (self.tasks or self.differences or self.requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPage:
    """All data of the page."""

    shop_url: str
    """The shop's own page of the order; empty without one."""
    figures: tuple[tuple[Label, Money], ...]
    frozen_by: WaitingTasks | None
    """Why the order is frozen, with the ways out; None if it is not."""
    waiting: WaitingTasks
    """What else waits for a person."""
    attempts: tuple[Attempt, ...]
    unused: tuple[Payment, ...]
    """Attempts that were only a button on a page."""
    is_numbered: bool
    """Whether there is more than one attempt, so that each entry of the history names its own."""
    cancel_url: str
    """The page that cancels the order; empty if it cannot be cancelled by this user."""
    customer: Customer | None
    """None for a user who may not see it."""
    goods: Goods | None
    metadata: tuple[tuple[str, str], ...]
    """What the shop has noted for itself."""
    lines: tuple[Line, ...]


def order_page(order: PaymentOrder, request: HttpRequest) -> OrderPage:
    """Collect the page of an order for the current user. Six SQL statements, whatever the order."""
    payments = tuple(order.payments.all())
    entries = order_timeline(order, everything=True)
    history = _history(entries)
    frozen_by = _frozen_by(payments, history, request)
    return OrderPage(
        shop_url=link_of(order),
        figures=tuple(_figures(order, payments)),
        frozen_by=frozen_by,
        waiting=WaitingTasks(
            tasks=_tasks(payments, _undecided(history, is_frozen=frozen_by is not None), request),
            differences=(*_closed_button(order, request), *_not_freezing(history, frozen_by, request)),
            requests=tuple(requests_of(_subjects(entries, Approval), request)),
        ),
        attempts=tuple(attempts_of(payments, history, request)),
        unused=unused_of(payments, history),
        is_numbered=len(payments) > 1,
        cancel_url=cancel_url_of(order, request),
        customer=customer_of(order, history.transactions) if has_permission(request, VIEW_CUSTOMER) else None,
        goods=goods_of(order),
        metadata=tuple((visible(key), visible(value)) for key, value in order.metadata.items()),
        lines=tuple(lines_of(entries, payments, with_bodies=has_permission(request, SEE_EVENTS))),
    )


def _history(entries: Sequence[TimelineEntry]) -> History:
    return History(
        transactions=_subjects(entries, GatewayTransaction),
        differences=_subjects(entries, Discrepancy),
    )


def _subjects(entries: Iterable[TimelineEntry], kind: type[Row]) -> tuple[Row, ...]:
    return tuple(entry.subject for entry in entries if isinstance(entry.subject, kind))


def _figures(order: PaymentOrder, payments: Sequence[Payment]) -> Iterator[tuple[Label, Money]]:
    totals = order_totals(payment.totals for payment in payments)
    sums = {
        _("Authorized"): totals.authorized,
        _("Captured"): totals.captured,
        _("Refunded"): totals.refunded,
        _("Under way"): totals.reserved,
        _("Not captured yet"): max(order.amount_minor - totals.captured, 0),
    }
    for label, minor_units in sums.items():
        yield label, Money.from_minor_units(minor_units, order.currency)


# What waits for a person


def _frozen_by(payments: Sequence[Payment], history: History, request: HttpRequest) -> WaitingTasks | None:
    if not any(payment.is_frozen for payment in payments):
        return None
    contradictory = [row for row in history.transactions if row.state == TransactionState.ANOMALY]
    rows = (row for row in _open_differences(history) if row.is_freezing)
    return WaitingTasks(
        tasks=_tasks(payments, contradictory, request),
        differences=tuple(difference_of(row, request) for row in rows),
    )


def _undecided(history: History, *, is_frozen: bool) -> Iterator[GatewayTransaction]:
    """Yield the transactions that may need a person and are not among the reasons of the freeze."""
    for row in history.transactions:
        if not (is_frozen and row.state == TransactionState.ANOMALY):
            yield row


def _not_freezing(
    history: History, frozen_by: WaitingTasks | None, request: HttpRequest
) -> Iterator[Difference]:
    for row in _open_differences(history):
        if frozen_by is None or not row.is_freezing:
            yield difference_of(row, request)


def _open_differences(history: History) -> Iterator[Discrepancy]:
    """Yield the open discrepancies, except those that end with the decision on their transaction."""
    for row in history.differences:
        is_decided_with = row.transaction is not None and row.transaction.state == TransactionState.ANOMALY
        if row.closed_at is None and not is_decided_with:
            yield row


def _tasks(
    payments: Sequence[Payment], transactions: Iterable[GatewayTransaction], request: HttpRequest
) -> tuple[Task, ...]:
    """Return the tasks; one about an attempt names its number, because its reference is with the attempt."""
    numbers = {payment.reference: payment.number for payment in payments}
    return tuple(
        replace(task, attempt=numbers[task.reference]) if task.reference in numbers else task
        for task in tasks_of(transactions, request)
    )


def _closed_button(order: PaymentOrder, request: HttpRequest) -> Iterator[Difference]:
    """Yield the limit that has closed the order's wallet button, as long as the order may be paid."""
    if order.wallet_closed_at is None or not order.is_payable:
        return
    url = reverse("admin:wallet_gateway_paymentorder_wallet_limits", args=[order.pk])
    raising = Button(label=_("Raise the limits…"), url=url, is_quiet=True)
    limit = label_of(WalletLimit(order.wallet_limit))
    yield Difference(
        key="closed-button",
        sentence=_("Wallet button closed by a limit: %(limit)s") % {"limit": limit},
        detail="",
        record_id="",
        since=order.wallet_closed_at,
        buttons=(raising,) if has_permission(request, RAISE_LIMITS) else (),
    )
