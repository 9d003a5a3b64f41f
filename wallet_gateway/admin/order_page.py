"""The data of an order's page: its totals, why it is frozen, what is possible now, its attempts and history.

All values are safe to show; the template only arranges them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf
from wallet_gateway.admin.badges import state_badge
from wallet_gateway.admin.decisions import cancel_url_of
from wallet_gateway.admin.operation_registry import BY_SLUG, Operation, reason_in_words
from wallet_gateway.admin.order_content import Customer, Goods, customer_of, goods_of
from wallet_gateway.admin.pages import reverse, visible_body
from wallet_gateway.admin.permissions import RAISE_LIMITS, SEE_EVENTS, VIEW_CUSTOMER, has_permission
from wallet_gateway.admin.tasks import (
    Button,
    Difference,
    Request,
    Task,
    difference_of,
    requests_of,
    tasks_of,
    words_of_elsewhere,
)
from wallet_gateway.domain.card_names import card_name
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    UNSENT_STATES,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
    order_totals,
)
from wallet_gateway.domain.ways_of_paying import WAY_OF
from wallet_gateway.formats import format_money
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.models.fields import label_of
from wallet_gateway.payments.follow_ups import shown_body
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.attempts import is_unused
from wallet_gateway.reports.orders import Subject, TimelineEntry, order_timeline
from wallet_gateway.reports.work import made_elsewhere

logger = logging.getLogger("wallet_gateway.admin")

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
"""Characters that browsers drop or read as others: `/\\evil.example` leads to another host."""


def link_of(order: PaymentOrder) -> str:
    """Return the URL of the shop's page of an order; empty without the setting, the page or a safe URL.

    An order that the shop does not know has no link. Any other error of the shop's function is raised.
    """
    try:
        path = conf.settings().order_admin_url
        url = import_string(path)(order) if path else None
    except ImproperlyConfigured:
        # The system checks say what is wrong; the page is needed all the same.
        return ""
    except (ObjectDoesNotExist, NoReverseMatch) as error:
        logger.warning("ORDER_ADMIN_URL knows no page of %s: %s", order.reference, type(error).__name__)
        return ""
    if url and not is_linkable(url):
        logger.error("ORDER_ADMIN_URL gave no http(s) or relative URL for %s", order.reference)
        return ""
    return str(url or "")


def is_linkable(url: object) -> bool:
    """Return whether a value is an absolute URL of http or https, or a path on this site."""
    if not isinstance(url, str) or _UNSAFE.search(url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme or parts.netloc:
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    return url.startswith("/")


Label = str | Promise

_BUTTONS: Mapping[TransactionKind, Promise | str] = {
    TransactionKind.CAPTURE: gettext_lazy("Capture %(amount)s…"),
    TransactionKind.REFUND: gettext_lazy("Refund %(amount)s…"),
    TransactionKind.REVERSAL: gettext_lazy("Reverse %(amount)s…"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is left of a payment for one operation, and what was done of it elsewhere."""

    label: Label
    amount: Money
    elsewhere: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt to pay and the operations that are possible on it."""

    payment: Payment
    state: SafeString
    """As a badge."""
    method: Label
    """The card as people name it; while none is known, the way of paying."""
    provider_id: str
    left: tuple[Left, ...]
    buttons: tuple[Button, ...]
    hints: tuple[str, ...]
    """Why an operation is not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The rows of one order that its attempts are described by."""

    transactions: Sequence[GatewayTransaction]
    differences: Sequence[Discrepancy]

    def opening_of(self, payment: Payment) -> GatewayTransaction | None:
        """Return the transaction that opened a payment."""
        own = (row for row in self.transactions if row.payment_id == payment.pk)
        return next((row for row in own if row.kind in OPENING_KINDS), None)


def attempts_of(payments: Iterable[Payment], history: History, request: HttpRequest) -> Iterator[Attempt]:
    """Describe the payments that were really attempted, the newest first."""
    for payment in payments:
        if _was_tried(payment, history):
            yield _attempt(payment, history, request)


def unused_of(payments: Iterable[Payment], history: History) -> tuple[Payment, ...]:
    """Return the attempts that were only a button on a page, the oldest first: each reload may show one."""
    return tuple(sorted((p for p in payments if not _was_tried(p, history)), key=lambda p: p.number))


def _was_tried(payment: Payment, history: History) -> bool:
    return any(row.payment_id == payment.pk and not is_unused(row) for row in history.transactions)


def _attempt(payment: Payment, history: History, request: HttpRequest) -> Attempt:
    opening = history.opening_of(payment)
    why_not = {operation: operation.why_not_of(payment) for operation in _permitted(payment, request)}
    return Attempt(
        payment=payment,
        state=state_badge(payment),
        method=visible(card_name(payment.card_network, payment.card_last_four)) or _way_of(opening),
        provider_id=visible(opening.provider_transaction_id) if opening else "",
        left=tuple(_left(payment, history.differences)),
        buttons=tuple(_buttons(payment, why_not)),
        hints=tuple(_hints(payment, why_not)),
    )


def _way_of(opening: GatewayTransaction | None) -> Label:
    return label_of(WAY_OF[TransactionKind(opening.kind)]) if opening else ""


# What is left


def _left(payment: Payment, differences: Iterable[Discrepancy]) -> Iterator[Left]:
    rows = [row for row in differences if row.payment_id == payment.pk]
    found = [made_elsewhere(row) for row in rows]
    for operation in BY_SLUG.values():
        elsewhere = (made for made in found if made is not None and made.kind is operation.kind)
        words = tuple(words_of_elsewhere(made) for made in elsewhere)
        amount = operation.left_of(payment, rows)
        if amount.minor_units or words:
            yield Left(label=operation.left, amount=amount, elsewhere=words)


def _buttons(payment: Payment, why_not: Mapping[Operation, str]) -> Iterator[Button]:
    for operation, reason in why_not.items():
        if not reason:
            amount = format_money(operation.available_of(payment))
            arguments = [payment.order_id, payment.pk, operation.slug]
            url = reverse("admin:wallet_gateway_paymentorder_operation", args=arguments)
            yield Button(label=str(_BUTTONS[operation.kind]) % {"amount": amount}, url=url)


def _hints(payment: Payment, why_not: Mapping[Operation, str]) -> Iterator[str]:
    """Yield why each operation is not possible; once where the reason is the same for all."""
    if payment.is_frozen or payment.awaits_outcome:
        yield from dict.fromkeys(why_not.values())
        return
    yield from (f"{operation.verb}: {reason}" for operation, reason in why_not.items() if reason)


def _permitted(payment: Payment, request: HttpRequest) -> Iterator[Operation]:
    if payment.authorized:
        yield from (known for known in BY_SLUG.values() if has_permission(request, known.permission))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of the history."""

    occurred_at: datetime
    kind: str
    text: Label
    amount: Money | None
    attempt: int | None
    """The number of the attempt that it belongs to; None for the order itself."""
    reference: str
    """The reference of an operation, where it first appears; that of an attempt is with the attempt."""
    provider_id: str
    """The provider's id of the operation that began here; empty without one."""
    record_id: str
    """The gateway's id of an operation made elsewhere, which has no reference that was ever sent."""
    detail: str
    by: str
    bodies: tuple[tuple[Label, str], ...]


def lines_of(
    entries: Sequence[TimelineEntry], payments: Sequence[Payment], *, with_bodies: bool
) -> Iterator[Line]:
    """Yield the history, the newest entry first; each reference once, with the entry that began it."""
    attempts = _attempts_by_reference(entries, payments)
    told = {payment.reference for payment in payments}
    lines = []
    for entry in entries:
        attempt, is_new = attempts.get(entry.reference), entry.reference not in told
        told.add(entry.reference)
        lines.append(_line(entry, attempt, is_new=is_new, with_bodies=with_bodies))
    yield from reversed(lines)


def _attempts_by_reference(
    entries: Sequence[TimelineEntry], payments: Sequence[Payment]
) -> Mapping[str, int]:
    numbers = {payment.pk: payment.number for payment in payments}
    begun = [entry.subject for entry in entries if isinstance(entry.subject, GatewayTransaction)]
    of_operations = {row.reference: numbers[row.payment_id] for row in begun if row.payment_id in numbers}
    return of_operations | {payment.reference: payment.number for payment in payments}


def _line(entry: TimelineEntry, attempt: int | None, *, is_new: bool, with_bodies: bool) -> Line:
    begins = attempt is not None and is_new and isinstance(entry.subject, GatewayTransaction)
    record_id = _record_id(entry.subject)
    return Line(
        occurred_at=entry.occurred_at,
        kind=entry.kind.value.lower(),
        text=entry.text,
        amount=entry.amount,
        attempt=attempt,
        reference=visible(entry.reference) if begins and not record_id else "",
        provider_id=_provider_id(entry.subject) if begins else "",
        record_id=record_id,
        detail=visible(reason_in_words(entry.reason_code, entry.detail)),
        by=visible(entry.by),
        bodies=tuple(_bodies(entry.subject)) if with_bodies else (),
    )


def _provider_id(subject: Subject | None) -> str:
    return visible(subject.provider_transaction_id) if isinstance(subject, GatewayTransaction) else ""


def _record_id(subject: Subject | None) -> str:
    if isinstance(subject, GatewayTransaction) and subject.origin == TransactionOrigin.ELSEWHERE:
        return visible(subject.record_id or "")
    elsewhere = made_elsewhere(subject) if isinstance(subject, Discrepancy) else None
    return visible(elsewhere.record_id) if elsewhere else ""


_NOT_GONE = UNSENT_STATES | {TransactionState.SENDING}


def _bodies(subject: Subject | None) -> Iterator[tuple[Label, str]]:
    if isinstance(subject, TransactionEvent):
        if subject.request_body:
            yield _("Request"), visible_body(subject.request_body)
        if subject.answer_body:
            yield _answer_label(subject), visible_body(subject.answer_body)
    elif isinstance(subject, GatewayTransaction) and subject.request_body and subject.state in _NOT_GONE:
        # The transaction events show what was sent.
        yield _("Request"), visible_body(shown_body(subject.request_body))


def _answer_label(row: TransactionEvent) -> str:
    parts = [_("Answer")]
    if row.http_status is not None:
        parts.append(f"HTTP {row.http_status}")
    if row.elapsed_ms is not None:
        parts.append(f"{row.elapsed_ms} ms")
    return ", ".join(parts)


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
