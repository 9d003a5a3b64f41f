"""Books that were made wrong on purpose: whatever is wrong with them is found, and named."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import models
from django.db.models import F

from wallet_gateway import payments
from wallet_gateway.models import (
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import BooksDisagree, check_books, check_events, require
from wallet_gateway.testing.orders import create_order, pay

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def refunded(wallet_sandbox: SandboxControl) -> None:
    """An order of 25.00, of which 5.00 were given back."""
    order = pay(create_order(), control=wallet_sandbox)
    payments.refund(order, amount=Decimal("5.00"))


def test_books_of_what_really_happened_are_true() -> None:
    check_books()


def _change(model: type[models.Model], **columns: object) -> Callable[[], object]:
    return lambda: model._default_manager.update(**columns)


_refund = GatewayTransaction.objects.filter(kind="REFUND")

WRONG = [
    ("the state follows from its payments", _change(PaymentOrder, state="OPEN")),
    (
        "only a cancelled order is released",
        _change(PaymentOrder, released_at=datetime(2026, 1, 1, tzinfo=UTC)),
    ),
    ("numbered without a gap", _change(Payment, number=2)),
    ("the state follows from its totals", _change(Payment, state="OPEN")),
    ("L5: one currency", lambda: _refund.update(currency="USD")),
    ("L7: authorized is the sum", _change(Payment, authorized=F("authorized") + 1)),
    ("L7: captured is the sum", _change(Payment, captured=F("captured") - 1)),
    ("L7: refunded is the sum", _change(Payment, refunded=F("refunded") + 1)),
    ("L7: refund_reserved is the sum", _change(Payment, refund_reserved=1)),
    ("frozen while something contradicts it", lambda: _freeze_without_a_reason()),
    ("L13", lambda: _book_an_excess()),
    ("L4: the open slot", lambda: _refund.update(outstanding_key="P1")),
    ("an event says why", lambda: models.QuerySet.delete(TransactionEvent.objects.order_by("pk"))),
    ("no secret in it", lambda: _refund.update(request_body="sandbox-user")),
    ("told once", lambda: _tell_again()),
]


def _freeze_without_a_reason() -> None:
    Payment.objects.update(is_frozen=True, state="FROZEN")
    PaymentOrder.objects.update(state="FROZEN")


def _book_an_excess() -> None:
    """The gateway gave back more than was left, and nobody was told."""
    _refund.update(excess_minor=100)
    Payment.objects.update(refunded=400)


def _tell_again() -> None:
    for event in list(OutboxEvent.objects.all()):
        event.pk = None
        event.event_id = uuid.uuid4()
        event.save(force_insert=True)


@pytest.mark.parametrize(("claim", "spoil"), WRONG)
def test_books_that_are_wrong_are_named(claim: str, spoil: Callable[[], object]) -> None:
    spoil()
    with pytest.raises(BooksDisagree, match=claim):
        check_books()


def test_a_claim_is_kept_apart_from_the_row_that_it_does_not_hold_of() -> None:
    with pytest.raises(BooksDisagree, match="ORDER-1: it does not hold that two is three") as caught:
        require(False, "two is three", "ORDER-1")
    assert (caught.value.claim, caught.value.subject) == ("two is three", "ORDER-1")


EVENTS_WRONG = [
    (
        "the last event of what has ended",
        lambda: models.QuerySet.delete(TransactionEvent.objects.order_by("pk")),
    ),
    ("each refund is told", _change(OutboxEvent, amount_minor=1)),
    ("each refund is told", lambda: OutboxEvent.objects.filter(kind="REFUNDED").delete()),
    ("no more is told than was captured", _change(Payment, captured=F("captured") - 1)),
    ("what was captured is told", lambda: OutboxEvent.objects.filter(kind="PAID").delete()),
]


def test_events_of_what_really_happened_add_up() -> None:
    check_events()


@pytest.mark.parametrize(("claim", "spoil"), EVENTS_WRONG)
def test_events_that_do_not_add_up_are_named(claim: str, spoil: Callable[[], object]) -> None:
    spoil()
    with pytest.raises(BooksDisagree, match=claim):
        check_events()
