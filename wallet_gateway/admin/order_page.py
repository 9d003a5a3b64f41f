"""The data of an order's page: its totals, the possible operations, and the full history.

All values are safe to show; the template only arranges them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin.approval_messages import url_of, what_is_asked
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.operation_registry import BY_SLUG, reason_in_words
from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.admin.permissions import (
    OF_KIND,
    RAISE_LIMITS,
    RESOLVE,
    SEE_EVENTS,
    has_permission,
    is_own_request,
)
from wallet_gateway.admin.visible_text import visible_body
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import UNSENT_STATES, PaymentState, TransactionKind, TransactionState
from wallet_gateway.domain.wallet_limits import WalletLimit
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.models.labels import label_of
from wallet_gateway.payments.follow_ups import shown_body
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.queries.orders import OrderSummary, TimelineEntry, order_summary, order_timeline
from wallet_gateway.queries.unused_sessions import is_unused

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A link to a confirm page."""

    label: Label
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentCard:
    """One payment attempt and the operations that are possible on it."""

    payment: Payment
    state: Label
    figures: tuple[tuple[Label, Money], ...]
    buttons: tuple[Button, ...]
    hints: tuple[str, ...]
    """Why an operation is not possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A transaction that needs a person."""

    sentence: str
    reference: str
    since: datetime
    queries: int
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An open discrepancy, or a closed wallet button, that needs a person."""

    sentence: str
    reference: str
    since: datetime
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request that waits for a second person."""

    sentence: str
    by: str
    since: datetime
    until: datetime
    button: Button


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry of the history."""

    occurred_at: datetime
    kind: str
    text: Label
    amount: Money | None
    reference: str
    provider_id: str
    """The provider's id of the transaction that began here; empty if there is none."""
    detail: str
    by: str
    bodies: tuple[tuple[Label, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPage:
    """All data of the page."""

    figures: tuple[tuple[Label, Money], ...]
    payments: tuple[PaymentCard, ...]
    tasks: tuple[Task, ...]
    requests: tuple[Request, ...]
    lines: tuple[Line, ...]
    differences: tuple[Difference, ...] = ()


def order_page(order: PaymentOrder, request: HttpRequest) -> OrderPage:
    """Collect the page of an order for the current user."""
    entries = order_timeline(order, everything=True)
    subjects = [entry.subject for entry in entries]
    transactions = [row for row in subjects if isinstance(row, GatewayTransaction)]
    asked = [row for row in subjects if isinstance(row, Approval)]
    with_bodies = has_permission(request, SEE_EVENTS)
    return OrderPage(
        figures=_figures(order_summary(order)),
        payments=tuple(_card(payment, request) for payment in _tried(order, transactions)),
        tasks=tuple(tasks_of(transactions, request)),
        requests=tuple(requests_of(asked, request)),
        differences=(*_closed_button(order, request), *_differences(order, request)),
        lines=tuple(_line(entry, with_bodies=with_bodies) for entry in reversed(entries)),
    )


def _tried(order: PaymentOrder, transactions: Iterable[GatewayTransaction]) -> Iterator[Payment]:
    """Yield the payments that were really attempted; each reload of a page shows one more unused button."""
    tried = {transaction.payment_id for transaction in transactions if not is_unused(transaction)}
    return (payment for payment in order.payments.all() if payment.pk in tried)


def _figures(summary: OrderSummary) -> tuple[tuple[Label, Money], ...]:
    open_units = max(summary.amount.minor_units - summary.captured.minor_units, 0)
    return (
        (_("Authorized"), summary.authorized),
        (_("Captured"), summary.captured),
        (_("Refunded"), summary.refunded),
        (_("Under way"), summary.reserved),
        (_("Not captured yet"), Money.from_minor_units(open_units, summary.currency)),
    )


def _card(payment: Payment, request: HttpRequest) -> PaymentCard:
    buttons, hints = [], []
    for operation in BY_SLUG.values():
        if not has_permission(request, operation.permission) or not payment.authorized:
            continue
        if operation.available_of(payment).minor_units:
            arguments = [payment.order_id, payment.pk, operation.slug]
            url = reverse("admin:wallet_gateway_paymentorder_operation", args=arguments)
            buttons.append(Button(label=operation.verb, url=url))
        else:
            hints.append(f"{operation.verb}: {operation.why_not_of(payment)}")
    return PaymentCard(
        payment=payment,
        state=label_of(PaymentState(payment.state)),
        figures=tuple((operation.left, operation.available_of(payment)) for operation in BY_SLUG.values()),
        buttons=tuple(buttons),
        hints=tuple(hints),
    )


FOR_A_PERSON = frozenset(
    {
        TransactionState.NOT_SENT,
        TransactionState.UNKNOWN,
        TransactionState.OPEN,
        TransactionState.AWAITING_3DS,
        TransactionState.PENDING,
        TransactionState.ANOMALY,
    }
)
"""States that a person may end."""
_PENDING = frozenset({TransactionState.OPEN, TransactionState.AWAITING_3DS, TransactionState.PENDING})


def tasks_of(transactions: list[GatewayTransaction], request: HttpRequest) -> Iterator[Task]:
    """Yield the transactions that need a person, with what the current user may do about them."""
    for transaction in transactions:
        # Open or pending: the customer or the provider decides; a person is needed only after too long.
        too_soon = transaction.state in _PENDING and not transaction.needs_operator
        if transaction.state in FOR_A_PERSON and not too_soon:
            yield Task(
                sentence=sentence_of(transaction),
                reference=transaction.reference,
                since=transaction.state_changed_at,
                queries=transaction.query_count,
                buttons=tuple(_ways_out(transaction, request)),
            )


def _ways_out(transaction: GatewayTransaction, request: HttpRequest) -> Iterator[Button]:
    resend = OF_KIND.get(TransactionKind(transaction.kind))
    if (
        transaction.state == TransactionState.NOT_SENT
        and resend is not None
        and has_permission(request, resend)
    ):
        url = reverse("admin:wallet_gateway_gatewaytransaction_send_again", args=[transaction.pk])
        yield Button(label=_("Send again"), url=url)
    if has_permission(request, RESOLVE):
        url = reverse("admin:wallet_gateway_gatewaytransaction_decide", args=[transaction.pk])
        yield Button(label=_("Decide"), url=url)


def _differences(order: PaymentOrder, request: HttpRequest) -> Iterator[Difference]:
    """Yield the open discrepancies, except those that end with the decision on their transaction."""
    rows = Discrepancy.objects.filter(payment__order=order, closed_at__isnull=True).order_by("pk")
    for row in rows.exclude(transaction__state=TransactionState.ANOMALY).select_related("transaction"):
        what = {"kind": label_of(DiscrepancyKind(row.kind)), "explanation": visible(row.explanation)}
        yield Difference(
            sentence=_("%(kind)s: %(explanation)s") % what,
            reference=row.transaction.reference if row.transaction else "",
            since=row.found_at,
            buttons=tuple(ways_to_end(row, request)),
        )


def _closed_button(order: PaymentOrder, request: HttpRequest) -> Iterator[Difference]:
    """Yield the limit that has closed the order's wallet button, as long as the order may be paid."""
    if order.wallet_closed_at is None or not order.is_payable:
        return
    url = reverse("admin:wallet_gateway_paymentorder_wallet_limits", args=[order.pk])
    raising = Button(label=_("Raise the limits…"), url=url)
    yield Difference(
        sentence=_("Wallet button closed by a limit: %(limit)s") % {"limit": _limit_of(order)},
        reference="",
        since=order.wallet_closed_at,
        buttons=(raising,) if has_permission(request, RAISE_LIMITS) else (),
    )


def _limit_of(order: PaymentOrder) -> Label:
    return label_of(WalletLimit(order.wallet_limit))


def ways_to_end(row: Discrepancy, request: HttpRequest) -> Iterator[Button]:
    """Yield what the current user may do about an open discrepancy: book it, where possible, and close it."""
    if row.closed_at is not None or not has_permission(request, RESOLVE):
        return
    if row.kind == DiscrepancyKind.MADE_ELSEWHERE and row.payment_id is not None:
        url = reverse("admin:wallet_gateway_discrepancy_book", args=[row.pk])
        yield Button(label=_("Book…"), url=url)
    yield Button(label=_("Close…"), url=reverse("admin:wallet_gateway_discrepancy_close", args=[row.pk]))


def requests_of(approvals: Iterable[Approval], request: HttpRequest) -> Iterator[Request]:
    """Yield the requests that wait for a second person; the requester may only withdraw."""
    now = gateways.clock().now()
    for approval in approvals:
        if approval.is_waiting(now):
            yield Request(
                sentence=what_is_asked(approval),
                by=visible(approval.created_by or "-"),
                since=approval.created_at,
                until=approval.expires_at,
                button=Button(label=_decision_of(approval, request), url=url_of(approval)),
            )


def _decision_of(approval: Approval, request: HttpRequest) -> Label:
    return _("Withdraw") if is_own_request(request, approval) else _("Agree or decline")


def _line(entry: TimelineEntry, *, with_bodies: bool) -> Line:
    return Line(
        occurred_at=entry.occurred_at,
        kind=entry.kind.value.lower(),
        text=entry.text,
        amount=entry.amount,
        reference=entry.reference,
        provider_id=_provider_id(entry.subject),
        detail=visible(reason_in_words(entry.reason_code, entry.detail)),
        by=visible(entry.by),
        bodies=tuple(_bodies(entry.subject)) if with_bodies else (),
    )


def _provider_id(subject: GatewayTransaction | TransactionEvent | Approval | None) -> str:
    return visible(subject.provider_transaction_id) if isinstance(subject, GatewayTransaction) else ""


_NOT_GONE = UNSENT_STATES | {TransactionState.SENDING}


def _bodies(subject: GatewayTransaction | TransactionEvent | Approval | None) -> Iterator[tuple[Label, str]]:
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
