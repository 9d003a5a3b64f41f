"""The data of an order's page: its totals, why it is frozen, what is possible now, its attempts and history.

All values are safe to show; the template only arranges them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.http import HttpRequest
from django.urls import NoReverseMatch
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway import conf
from wallet_gateway.admin.badges import state_badge
from wallet_gateway.admin.decisions import cancel_url_of
from wallet_gateway.admin.operation_registry import BY_SLUG, reason_in_words
from wallet_gateway.admin.order_content import customer_of, goods_of
from wallet_gateway.admin.pages import page_url, visible_body
from wallet_gateway.admin.permissions import RAISE_LIMITS, SEE_EVENTS
from wallet_gateway.admin.tasks import Button, Label, difference_of, requests_of, tasks_of, words_of_elsewhere
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
from wallet_gateway.models.decisions import VIEW_CUSTOMER
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


_BUTTONS: Mapping[TransactionKind, Label] = {
    TransactionKind.CAPTURE: gettext_lazy("Capture %(amount)s…"),
    TransactionKind.REFUND: gettext_lazy("Refund %(amount)s…"),
    TransactionKind.REVERSAL: gettext_lazy("Reverse %(amount)s…"),
}
Shown = dict[str, Any]
"""What a template shows of something."""


def _tried(payments: Iterable[Payment], transactions: Iterable[GatewayTransaction]) -> list[Payment]:
    """Return the payments that were more than a button on a page."""
    used = {row.payment_id for row in transactions if not is_unused(row)}
    return [payment for payment in payments if payment.pk in used]


def _attempt(
    payment: Payment,
    transactions: Iterable[GatewayTransaction],
    differences: Iterable[Discrepancy],
    request: HttpRequest,
) -> Shown:
    """Return an attempt to pay and the operations that are possible on it."""
    own = (row for row in transactions if row.payment_id == payment.pk)
    opening = next((row for row in own if row.kind in OPENING_KINDS), None)
    way = label_of(WAY_OF[TransactionKind(opening.kind)]) if opening else ""
    why_not = {
        operation: operation.why_not_of(payment)
        for operation in (BY_SLUG.values() if payment.authorized else ())
        if request.user.has_perm(operation.permission)
    }
    buttons = []
    for operation, reason in why_not.items():
        if not reason:
            amount = format_money(operation.available_of(payment))
            url = page_url(request, "paymentorder_operation", payment.order_id, payment.pk, operation.slug)
            buttons.append(Button(label=str(_BUTTONS[operation.kind]) % {"amount": amount}, url=url))
    hints = [f"{operation.verb}: {reason}" for operation, reason in why_not.items() if reason]
    if payment.is_frozen or payment.awaits_outcome:
        # Once: the reason is the same for all.
        hints = list(dict.fromkeys(why_not.values()))
    return {
        "payment": payment,
        "state": state_badge(payment),
        # The card as people name it; while none is known, the way of paying.
        "method": visible(card_name(payment.card_network, payment.card_last_four)) or way,
        "provider_id": visible(opening.provider_transaction_id) if opening else "",
        "left": list(_left(payment, [row for row in differences if row.payment_id == payment.pk])),
        "buttons": buttons,
        "hints": hints,
    }


def _left(payment: Payment, differences: Sequence[Discrepancy]) -> Iterator[Shown]:
    """Yield what is left of a payment for each operation, and what was done of it elsewhere."""
    found = [made_elsewhere(row) for row in differences]
    for operation in BY_SLUG.values():
        elsewhere = (made for made in found if made is not None and made.kind is operation.kind)
        words = [words_of_elsewhere(made) for made in elsewhere]
        amount = operation.left_of(payment, differences)
        if amount.minor_units or words:
            yield {"label": operation.left, "amount": amount, "elsewhere": words}


def _lines(
    entries: Sequence[TimelineEntry], payments: Sequence[Payment], *, with_bodies: bool
) -> list[Shown]:
    """Return the history, the newest entry first; each reference once, with the entry that began it."""
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
            # What was made elsewhere has no reference that was ever sent.
            reference = "" if record_id else visible(entry.reference)
            provider_id = visible(subject.provider_transaction_id)
        lines.append(
            {
                "occurred_at": entry.occurred_at,
                "kind": entry.kind.value.lower(),
                "text": entry.text,
                "amount": entry.amount,
                "attempt": attempt,
                "reference": reference,
                "provider_id": provider_id,
                "record_id": record_id,
                "detail": visible(reason_in_words(entry.reason_code, entry.detail)),
                "by": visible(entry.by),
                "bodies": list(_bodies(subject)) if with_bodies else [],
            }
        )
    return lines[::-1]


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


def order_page(order: PaymentOrder, request: HttpRequest) -> Shown:
    """Collect the page of an order for the current user. Six SQL statements, whatever the order."""
    payments = tuple(order.payments.all())
    entries = order_timeline(order, everything=True)
    transactions, all_differences = _subjects(entries, GatewayTransaction), _subjects(entries, Discrepancy)
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
        for row in all_differences
        if row.closed_at is None
        and (
            row.transaction is None
            or row.transaction.state != TransactionState.ANOMALY
            or row.kind in OUTLASTS_DECISION
        )
    ]
    frozen_by: Shown | None = None
    undecided = list(transactions)
    if any(payment.is_frozen for payment in payments):
        contradictory = [row for row in undecided if row.state == TransactionState.ANOMALY]
        freezing = [row for row in differences if row.is_freezing]
        frozen_by = {
            "tasks": _tasks(payments, contradictory, request),
            "differences": [difference_of(row, request) for row in freezing],
        }
        # The reasons of the freeze are not told again among what else may need a person.
        undecided = [row for row in undecided if row.state != TransactionState.ANOMALY]
        differences = [row for row in differences if not row.is_freezing]
    tried = _tried(payments, transactions)
    # The oldest first: each reload may show one.
    unused = sorted(set(payments) - set(tried), key=lambda payment: payment.number)
    sees_customer = request.user.has_perm(VIEW_CUSTOMER)
    return {
        "shop_url": link_of(order),
        "figures": [
            (label, Money.from_minor_units(minor_units, order.currency))
            for label, minor_units in sums.items()
        ],
        "frozen_by": frozen_by,
        # What else waits for a person.
        "tasks": _tasks(payments, undecided, request),
        "differences": [
            *_closed_button(order, request),
            *(difference_of(row, request) for row in differences),
        ],
        "requests": list(requests_of(_subjects(entries, Approval), request)),
        "attempts": [_attempt(payment, transactions, all_differences, request) for payment in tried],
        "unused": unused,
        # Each entry of the history names its attempt.
        "is_numbered": len(payments) > 1,
        "cancel_url": cancel_url_of(order, request),
        "customer": customer_of(order, transactions) if sees_customer else None,
        "goods": goods_of(order),
        "metadata": [(visible(key), visible(value)) for key, value in order.metadata.items()],
        "lines": _lines(entries, payments, with_bodies=request.user.has_perm(SEE_EVENTS)),
    }


def _subjects(entries: Iterable[TimelineEntry], kind: type[Row]) -> tuple[Row, ...]:
    return tuple(entry.subject for entry in entries if isinstance(entry.subject, kind))


def _tasks(
    payments: Sequence[Payment], transactions: Iterable[GatewayTransaction], request: HttpRequest
) -> list[Shown]:
    """Return the tasks; one about an attempt names its number, because its reference is with the attempt."""
    numbers = {payment.reference: payment.number for payment in payments}
    tasks = tasks_of(transactions, request)
    return [{**task, "attempt": numbers.get(task["reference"])} for task in tasks]


def _closed_button(order: PaymentOrder, request: HttpRequest) -> Iterator[Shown]:
    """Yield the limit that has closed the order's wallet button, as long as the order may be paid."""
    if order.wallet_closed_at is None or not order.is_payable:
        return
    url = page_url(request, "paymentorder_wallet_limits", order.pk)
    raising = Button(label=_("Raise the limits…"), url=url, is_quiet=True)
    limit = label_of(WalletLimit(order.wallet_limit))
    yield {
        "key": "closed-button",
        "sentence": _("Wallet button closed by a limit: %(limit)s") % {"limit": limit},
        "since": order.wallet_closed_at,
        "buttons": [raising] if request.user.has_perm(RAISE_LIMITS) else [],
    }
