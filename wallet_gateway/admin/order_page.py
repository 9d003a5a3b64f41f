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
from wallet_gateway.admin.operation_registry import BY_SLUG, reason_in_words
from wallet_gateway.admin.order_content import Customer, Goods, customer_of, goods_of
from wallet_gateway.admin.pages import page_url, visible_body
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
from wallet_gateway.domain.cards import card_name
from wallet_gateway.domain.discrepancies import OUTLASTS_DECISION
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    UNSENT_STATES,
    WAY_OF,
    TransactionKind,
    TransactionOrigin,
    TransactionState,
    order_totals,
)
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
        if not _was_tried(payment, history):
            continue
        opening = history.opening_of(payment)
        way = label_of(WAY_OF[TransactionKind(opening.kind)]) if opening else ""
        permitted = BY_SLUG.values() if payment.authorized else ()
        why_not = {
            operation: operation.why_not_of(payment)
            for operation in permitted
            if has_permission(request, operation.permission)
        }
        buttons = []
        for operation, reason in why_not.items():
            if not reason:
                amount = format_money(operation.available_of(payment))
                arguments = (payment.order_id, payment.pk, operation.slug)
                url = page_url(request, "paymentorder_operation", *arguments)
                buttons.append(Button(label=str(_BUTTONS[operation.kind]) % {"amount": amount}, url=url))
        if payment.is_frozen or payment.awaits_outcome:
            # Once: the reason is the same for all.
            hints = tuple(dict.fromkeys(why_not.values()))
        else:
            hints = tuple(f"{operation.verb}: {reason}" for operation, reason in why_not.items() if reason)
        yield Attempt(
            payment=payment,
            state=state_badge(payment),
            method=visible(card_name(payment.card_network, payment.card_last_four)) or way,
            provider_id=visible(opening.provider_transaction_id) if opening else "",
            left=tuple(_left(payment, history.differences)),
            buttons=tuple(buttons),
            hints=hints,
        )


def _was_tried(payment: Payment, history: History) -> bool:
    return any(row.payment_id == payment.pk and not is_unused(row) for row in history.transactions)


def _left(payment: Payment, differences: Iterable[Discrepancy]) -> Iterator[Left]:
    rows = [row for row in differences if row.payment_id == payment.pk]
    found = [made_elsewhere(row) for row in rows]
    for operation in BY_SLUG.values():
        elsewhere = (made for made in found if made is not None and made.kind is operation.kind)
        words = tuple(words_of_elsewhere(made) for made in elsewhere)
        amount = operation.left_of(payment, rows)
        if amount.minor_units or words:
            yield Left(label=operation.left, amount=amount, elsewhere=words)


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
    numbers = {payment.pk: payment.number for payment in payments}
    begun = [entry.subject for entry in entries if isinstance(entry.subject, GatewayTransaction)]
    attempts = {row.reference: numbers[row.payment_id] for row in begun if row.payment_id in numbers}
    attempts |= {payment.reference: payment.number for payment in payments}
    told = {payment.reference for payment in payments}
    lines = []
    for entry in entries:
        attempt, is_new = attempts.get(entry.reference), entry.reference not in told
        told.add(entry.reference)
        subject, record_id = entry.subject, _record_id(entry.subject)
        reference = provider_id = ""
        if attempt is not None and is_new and isinstance(subject, GatewayTransaction):
            reference = "" if record_id else visible(entry.reference)
            provider_id = visible(subject.provider_transaction_id)
        lines.append(
            Line(
                occurred_at=entry.occurred_at,
                kind=entry.kind.value.lower(),
                text=entry.text,
                amount=entry.amount,
                attempt=attempt,
                reference=reference,
                provider_id=provider_id,
                record_id=record_id,
                detail=visible(reason_in_words(entry.reason_code, entry.detail)),
                by=visible(entry.by),
                bodies=tuple(_bodies(subject)) if with_bodies else (),
            )
        )
    yield from reversed(lines)


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
            parts = [_("Answer")]
            if subject.http_status is not None:
                parts.append(f"HTTP {subject.http_status}")
            if subject.elapsed_ms is not None:
                parts.append(f"{subject.elapsed_ms} ms")
            yield ", ".join(parts), visible_body(subject.answer_body)
    elif isinstance(subject, GatewayTransaction) and subject.request_body and subject.state in _NOT_GONE:
        # The transaction events show what was sent.
        yield _("Request"), visible_body(shown_body(subject.request_body))


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
    history = History(
        transactions=_subjects(entries, GatewayTransaction),
        differences=_subjects(entries, Discrepancy),
    )
    totals = order_totals(payment.totals for payment in payments)
    sums = {
        _("Authorized"): totals.authorized,
        _("Captured"): totals.captured,
        _("Refunded"): totals.refunded,
        _("Under way"): totals.reserved,
        _("Not captured yet"): max(order.amount_minor - totals.captured, 0),
    }
    # Those that end with the decision on their transaction are told with it.
    differences = [
        row
        for row in history.differences
        if row.closed_at is None
        and (
            row.transaction is None
            or row.transaction.state != TransactionState.ANOMALY
            or row.kind in OUTLASTS_DECISION
        )
    ]
    frozen_by: WaitingTasks | None = None
    undecided = list(history.transactions)
    if any(payment.is_frozen for payment in payments):
        contradictory = [row for row in undecided if row.state == TransactionState.ANOMALY]
        freezing = [row for row in differences if row.is_freezing]
        frozen_by = WaitingTasks(
            tasks=_tasks(payments, contradictory, request),
            differences=tuple(difference_of(row, request) for row in freezing),
        )
        # The reasons of the freeze are not told again among what else may need a person.
        undecided = [row for row in undecided if row.state != TransactionState.ANOMALY]
        differences = [row for row in differences if not row.is_freezing]
    # The oldest first: each reload may show one.
    unused = (payment for payment in payments if not _was_tried(payment, history))
    return OrderPage(
        shop_url=link_of(order),
        figures=tuple(
            (label, Money.from_minor_units(minor_units, order.currency))
            for label, minor_units in sums.items()
        ),
        frozen_by=frozen_by,
        waiting=WaitingTasks(
            tasks=_tasks(payments, undecided, request),
            differences=(
                *_closed_button(order, request),
                *(difference_of(row, request) for row in differences),
            ),
            requests=tuple(requests_of(_subjects(entries, Approval), request)),
        ),
        attempts=tuple(attempts_of(payments, history, request)),
        unused=tuple(sorted(unused, key=lambda payment: payment.number)),
        is_numbered=len(payments) > 1,
        cancel_url=cancel_url_of(order, request),
        customer=customer_of(order, history.transactions) if has_permission(request, VIEW_CUSTOMER) else None,
        goods=goods_of(order),
        metadata=tuple((visible(key), visible(value)) for key, value in order.metadata.items()),
        lines=tuple(lines_of(entries, payments, with_bodies=has_permission(request, SEE_EVENTS))),
    )


def _subjects(entries: Iterable[TimelineEntry], kind: type[Row]) -> tuple[Row, ...]:
    return tuple(entry.subject for entry in entries if isinstance(entry.subject, kind))


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
    url = page_url(request, "paymentorder_wallet_limits", order.pk)
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
