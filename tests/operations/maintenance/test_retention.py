"""Personal data end, after a time or at a person's word; the books stay what they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from threading import Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, VirtualClock
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.email_hashes import hashes_of
from wallet_gateway.models import (
    GatewayTransaction,
    JobPosition,
    OutboxEvent,
    Payment,
    PaymentOrder,
    SentMail,
    TransactionEvent,
    TransactionEventKind,
    WalletAttempt,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.execute import resend_unsent
from wallet_gateway.operations.maintenance import retention
from wallet_gateway.operations.maintenance.retention import erase_customer, erase_old_bodies
from wallet_gateway.operations.wallet.hooks import SheetPricing
from wallet_gateway.operations.wallet.session import WalletSession, price_sheet_of
from wallet_gateway.operations.wallet.sweep import expire_buttons
from wallet_gateway.queries.orders import order_summary
from wallet_gateway.queries.wallet import wallet_receipt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
WHO = {"cardholder_email": "ada@example.com", "cardholder_last_name": "Lovelace"}
YEAR = timedelta(days=400)
OCKHAM = {"countryCode": "AT", "postalCode": "4020", "locality": "Ockhamville"}


def bodies() -> list[str]:
    rows = TransactionEvent.objects.values_list("request_body", "answer_body")
    return [body for pair in rows for body in pair if body]


def everything() -> str:
    """All that the rows hold, as one text."""
    models = (
        PaymentOrder,
        Payment,
        GatewayTransaction,
        TransactionEvent,
        WalletAttempt,
        OutboxEvent,
        JobPosition,
        SentMail,
    )
    return str([row for model in models for row in model._default_manager.values()])


# After a time


def test_bodies_are_erased_after_their_time_and_not_before(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    refund(payment=pay(), context=context, amount=Decimal("5.00"))
    before = TransactionEvent.objects.count()
    assert bodies()
    clock.advance(days=399)
    assert erase_old_bodies(clock=clock, kept=YEAR) == 0
    fresh = pay()
    clock.advance(days=2)
    assert erase_old_bodies(clock=clock, kept=YEAR) > 0
    old = TransactionEvent.objects.exclude(transaction__payment=fresh)
    assert not old.exclude(request_body="", answer_body="").exists()
    assert TransactionEvent.objects.filter(transaction__payment=fresh).exclude(answer_body="").exists()
    assert TransactionEvent.objects.count() > before, "no row is gone"
    assert set(GatewayTransaction.objects.exclude(payment=fresh).values_list("request_body", flat=True)) == {
        ""
    }


def test_what_may_still_be_sent_keeps_its_body(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    GatewayTransaction.objects.filter(payment=payment).update(
        state=TransactionState.NOT_SENT, request_body="{}"
    )
    clock.advance(days=401)
    erase_old_bodies(clock=clock, kept=YEAR)
    assert GatewayTransaction.objects.get(payment=payment).request_body == "{}"
    GatewayTransaction.objects.filter(payment=payment).update(state=TransactionState.OPEN)


def test_many_are_erased_some_at_a_time_each_passed_once(
    pay: Pay, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        pay()
    monkeypatch.setattr(retention, "_BATCH", 2)
    clock.advance(days=401)
    passed = 0
    while done := erase_old_bodies(clock=clock, kept=YEAR):
        assert done <= 4
        passed += done
    assert passed == TransactionEvent.objects.count() + GatewayTransaction.objects.count()
    assert bodies() == []


@pytest.fixture
def chosen(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder
) -> Callable[[], tuple[Customer, PaymentOrder, WalletSession]]:
    """A sheet on which a customer has chosen where to and what with, not yet approved."""
    shop = replace(customer, context=make_context(price=lambda _: SheetPricing()))

    def choose() -> tuple[Customer, PaymentOrder, WalletSession]:
        order = make_order()
        button = shop.open(order)
        price_sheet_of(
            order=order,
            reference=button.reference,
            session=shop.session,
            chosen={"address": OCKHAM, "option": None, "offers": ["ADA-10"]},
            context=shop.context,
        )
        return shop, order, button

    return choose


def test_what_was_chosen_on_a_sheet_that_paid_nothing_is_erased_after_its_time_and_not_before(
    chosen: Callable[[], tuple[Customer, PaymentOrder, WalletSession]],
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    shop, order, button = chosen()
    wallet_sandbox.fault("authorization", "errored")
    given = {"email": "ada@example.com", "shippingAddress": OCKHAM}
    assert shop.post(order, shop.approve(button) | given).opening.state == TransactionState.REJECTED
    chosen()
    clock.advance(hours=2)
    expire_buttons(context=shop.context, limit=5)

    clock.advance(days=399)
    erase_old_bodies(clock=clock, kept=YEAR)
    by_email = hashes_of("ada@example.com")[0]
    assert all(word in everything() for word in ("Ockhamville", "ada@", "ADA-10", "RESULT", by_email))
    clock.advance(days=1)
    erase_old_bodies(clock=clock, kept=YEAR)

    assert not [word for word in ("Ockhamville", "ada@", "ADA-10", by_email) if word in everything()]
    kept = WalletAttempt.objects.values_list("price", "events", "results_count").order_by("pk")
    assert list(kept) == [({"total": 2000}, [], 1), ({"total": 2000}, [], 0)]


def test_what_came_with_a_card_that_paid_stays_with_its_order(
    chosen: Callable[[], tuple[Customer, PaymentOrder, WalletSession]], clock: VirtualClock
) -> None:
    shop, order, button = chosen()
    assert shop.post(order, shop.approve(button) | {"email": "ada@example.com"}).order.state == "PAID"
    clock.advance(days=401)
    erase_old_bodies(clock=clock, kept=YEAR)
    receipt = wallet_receipt(order)
    assert receipt is not None
    assert receipt.email == "ada@example.com"


# At a person's word


def test_a_customers_data_go_and_the_sums_stay(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay(cardholder=WHO)
    Payment.objects.filter(pk=payment.pk).update(card_last_four="1111")
    refund(payment=payment, context=context, amount=Decimal("5.00"))
    order = PaymentOrder.objects.get(pk=payment.order_id)
    before = order_summary(order)
    assert "Lovelace" in everything()
    by_email = hashes_of("ada@example.com")[0]
    assert by_email in everything()

    order = erase_customer(order, by="anna", reason="asked by letter", clock=clock)

    assert by_email not in everything()

    assert "Lovelace" not in everything()
    assert "ada@" not in everything()
    assert order_summary(order) == before
    assert order.content == {"type": "ecom.sale", "amount": "20.00", "currencyCode": "EUR", "erased": True}
    assert Payment.objects.get(pk=payment.pk).card_last_four == ""
    assert bodies() == []
    last = TransactionEvent.objects.latest("pk")
    assert (last.kind, last.created_by, last.explanation) == (
        TransactionEventKind.DECISION,
        "anna",
        "Personal data erased: asked by letter",
    )


def test_what_a_wallet_gave_and_what_was_chosen_on_its_sheet_go_too(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, clock: VirtualClock
) -> None:
    shop, order = replace(customer, context=make_context(price=lambda _: SheetPricing())), make_order()
    button = shop.open(order)
    for _ in range(2):
        price_sheet_of(
            order=order,
            reference=button.reference,
            session=shop.session,
            chosen={"address": OCKHAM, "option": None, "offers": ["ADA-10"]},
            context=shop.context,
        )
        WalletAttempt.objects.update(results_count=1)
    WalletAttempt.objects.update(results_count=0)
    shop.post(order, shop.approve(button) | {"email": "ada@example.com", "shippingAddress": OCKHAM})
    by_email = hashes_of("ada@example.com")[0]
    assert all(word in everything() for word in ("Ockhamville", "ada@", "ADA-10", by_email))

    erase_customer(order, by="anna", reason="asked by letter", clock=clock)

    left = everything()
    assert not [word for word in ("Ockhamville", "ada@", "ADA-10", by_email) if word in left]
    assert WalletAttempt.objects.get().price == {"total": 2000}


def test_another_customers_data_stay(pay: Pay, clock: VirtualClock) -> None:
    first, second = pay(cardholder=WHO), pay(cardholder=WHO | {"cardholder_last_name": "Hopper"})
    erase_customer(first.order, by="anna", reason="x", clock=clock)
    second.order.refresh_from_db()
    assert second.order.content["checkoutDetails"]["cardholderLastName"] == "Hopper"


def test_while_something_has_not_ended_nothing_is_erased(open_page: Pay, clock: VirtualClock) -> None:
    payment = open_page(cardholder=WHO)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, state=TransactionState.OPEN):
        erase_customer(payment.order, by="anna", reason="x", clock=clock)
    assert "Lovelace" in everything()


def test_the_orders_lock_comes_before_the_look_at_what_has_ended(pay: Pay, clock: VirtualClock) -> None:
    """Otherwise a checkout that is begun in between would lose its body and its page."""
    order = pay(cardholder=WHO).order
    before = PaymentOrder.objects.get().version
    with CaptureQueriesContext(connection) as captured:
        erase_customer(order, by="anna", reason="x", clock=clock)
    words = [query["sql"].split()[0].upper() for query in captured.captured_queries]
    begins = [n for n, word in enumerate(words) if word in {"BEGIN", "SAVEPOINT"}]
    assert {words[n + 1] for n in begins} == {"UPDATE"}
    assert PaymentOrder.objects.get().version == before + 1


@pytest.mark.parametrize("words", [("", "x"), ("anna", " ")])
def test_it_needs_an_author_and_a_reason(words: tuple[str, str], pay: Pay, clock: VirtualClock) -> None:
    order = pay(cardholder=WHO).order
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="is missing"):
        erase_customer(order, by=words[0], reason=words[1], clock=clock)


# Beside what begins at the same moment


class Midway:
    """Calls back once, between the moment an erasure has looked at the transactions and its writing."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then: Callable[[], None] | None = then

    def __call__(self, execute: Callable[..., object], sql: str, *given: Any) -> object:
        result = execute(sql, *given)
        looks = sql.startswith("SELECT") and f"FROM {QUOTED}" in sql
        if looks and (then := self._then) is not None:
            self._then = None
            then()
        return result


QUOTED = connection.ops.quote_name(GatewayTransaction._meta.db_table)
BEGUN = 2.0
"""Seconds that a faulty erasure gives the other operation to be committed; a right one holds it back."""


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("operation", [refund, capture, reverse])
def test_an_operation_that_begins_while_data_is_erased_keeps_what_it_has_to_send(
    operation: Callable[..., GatewayTransaction],
    pay: Pay,
    context: GatewayContext,
    make_context: MakeContext,
    clock: VirtualClock,
) -> None:
    payment = pay(type="sale" if operation is refund else "preauthorization")
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    results: list[object] = []

    def begin() -> None:
        try:
            results.append(operation(payment=payment, context=unreachable))
        except Exception as error:  # noqa: BLE001 - a thread's failure is a result to look at
            results.append(error)
        finally:
            connections.close_all()

    other = Thread(target=begin)

    def meanwhile() -> None:
        other.start()
        other.join(BEGUN)

    with connection.execute_wrapper(Midway(meanwhile)):
        erase_customer(payment.order, by="anna", reason="asked for", clock=clock)
    other.join()

    (begun,) = results
    assert isinstance(begun, GatewayTransaction), begun
    assert begun.state == TransactionState.NOT_SENT
    sent = resend_unsent(GatewayTransaction.objects.get(pk=begun.pk), context=context)
    assert sent is not None
    assert sent.state == TransactionState.APPROVED
