"""The attempts to pay on an order's page: how each was paid, what is left of it, and what can be done now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from wallet_gateway.admin.badges import state_badge
from wallet_gateway.admin.current_site import reverse
from wallet_gateway.admin.differences import words_of_elsewhere
from wallet_gateway.admin.operation_registry import BY_SLUG, Operation
from wallet_gateway.admin.permissions import has_permission
from wallet_gateway.admin.tasks import Button
from wallet_gateway.domain.cards import card_name
from wallet_gateway.domain.states import OPENING_KINDS, WAY_OF, TransactionKind
from wallet_gateway.formats import format_money
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible
from wallet_gateway.reports.attempts import is_unused
from wallet_gateway.reports.work import made_elsewhere

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
