"""Personal data end, after a time or at a person's word; the books stay what they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from threading import Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from tests.support.gateway import answering
from tests.support.refusals import refuses
from tests.support.shop import SESSION, Shop, order_of
from wallet_gateway import payments
from wallet_gateway.email_hashes import hashes_of
from wallet_gateway.models import (
    GatewayTransaction,
    JobPosition,
    OutboxEvent,
    Payment,
    PaymentOrder,
    SentMail,
    TransactionEvent,
    WalletAttempt,
)
from wallet_gateway.payments.errors import ErrorCode, InvalidInput, InvalidState
from wallet_gateway.payments.wallet import SheetPricing, SheetQuestion

pytestmark = pytest.mark.django_db
WHO = {"cardholder_email": "ada@example.com", "cardholder_last_name": "Lovelace"}
OCKHAM = {"countryCode": "AT", "postalCode": "4020", "locality": "Ockhamville"}
BY_EMAIL = hashes_of("ada@example.com")[0]
CHOSEN = ("Ockhamville", "ada@", "ADA-10", BY_EMAIL)
TABLES: tuple[type[Model], ...] = (
    PaymentOrder,
    Payment,
    GatewayTransaction,
    TransactionEvent,
    WalletAttempt,
    OutboxEvent,
    JobPosition,
    SentMail,
)


def price(_: SheetQuestion) -> SheetPricing:
    """As a shop's own function: nothing is added or taken off."""
    return SheetPricing()


def everything() -> str:
    """All that the rows hold, as one text."""
    return str([row for model in TABLES for row in model._default_manager.values()])


def with_body() -> Any:  # noqa: ANN401  a query set
    return TransactionEvent.objects.exclude(request_body="", answer_body="")


def sweep_after(shop: Shop, **time: float) -> None:
    shop.clock.by += timedelta(**time)
    payments.sweep()


def erase(order: PaymentOrder, by: str = "anna", reason: str = "asked by letter") -> PaymentOrder:
    return payments.maintenance.erase_customer(order, by=by, reason=reason)


# After a time


@pytest.mark.every_database
def test_bodies_are_erased_after_their_time_and_not_before(shop: Shop) -> None:
    shop.set(RETENTION_DAYS=400)
    old = shop.pay()
    payments.refund(order_of(old), amount=Decimal("5.00"))
    sweep_after(shop, days=399)
    before, of_old = with_body().count(), with_body().filter(transaction__payment=old)
    assert of_old.count() == before > 0
    fresh = shop.pay()
    rows = TransactionEvent.objects.count()
    sweep_after(shop, days=2)
    assert not of_old.filter(occurred_at__lt=shop.clock.now() - timedelta(days=400)).exists()
    assert with_body().filter(transaction__payment=fresh).exists()
    assert TransactionEvent.objects.count() >= rows, "no row is gone"
    assert set(GatewayTransaction.objects.filter(payment=old).values_list("request_body", flat=True)) == {""}


def test_what_may_still_be_sent_keeps_its_body(shop: Shop) -> None:
    payment = shop.pay()
    with shop.cut_off():
        unsent = payments.refund(order_of(payment))
    payments.maintenance.stop_sending("default", by="anna", reason="an outage of a year")
    sweep_after(shop, days=401)
    payments.maintenance.resume_sending("default", by="anna", reason="over")
    assert payments.follow_ups.send_again(unsent).state == "APPROVED"


def test_many_are_erased_some_at_a_time_each_passed_once(shop: Shop) -> None:
    opening = shop.pay().opening
    given: dict[str, Any] = {"transaction": opening, "kind": "RECORDS", "state_after": "APPROVED"}
    TransactionEvent.objects.bulk_create(
        [TransactionEvent(**given, answer_body="[]", occurred_at=opening.created_at) for _ in range(600)]
    )
    sweep_after(shop, days=401)
    left = with_body().filter(occurred_at=opening.created_at).count()
    assert 0 < left < 600
    payments.sweep()
    assert not with_body().filter(occurred_at=opening.created_at).exists()


Sheet = Callable[..., Payment]


@pytest.fixture
def sheet(shop: Shop) -> Sheet:
    """Let a customer choose on a sheet where to and what with, and pay by it or not."""
    wallet = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]["WALLET"]
    shop.configure(WALLET=wallet | {"PRICING": f"{__name__}.price"})

    def use(*, pays: bool = True, **detail: Any) -> Payment:
        order = shop.order(cardholder_email=None)
        button = payments.wallet.open_session(order, session=SESSION)
        chosen: dict[str, Any] = {"shipping_address": OCKHAM, "offers": ["ADA-10"]}
        named: dict[str, Any] = {"reference": button.reference, "session": SESSION}
        payments.wallet.price_sheet(order, **named, **chosen)
        if not pays:
            return Payment.objects.get(order=order)
        card = {
            "clientSystemTransactionId": button.reference,
            "transactionAccountId": f"A-{button.reference}",
            "transactionMethod": "WalletPay",
            "cryptogram": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "eciIndicator": "05",
            "email": "ada@example.com",
        }
        return payments.wallet.pay(order, session=SESSION, detail=card | detail)

    return use


def test_what_was_chosen_on_a_sheet_that_paid_nothing_is_erased_after_its_time_and_not_before(
    sheet: Sheet, shop: Shop
) -> None:
    shop.gateway.answers.append(answering(state="Errored"))
    assert sheet(shippingAddress=OCKHAM).opening.state == "REJECTED"
    sheet(pays=False)
    sweep_after(shop, hours=2)
    sweep_after(shop, days=399, hours=21)
    assert [word for word in (*CHOSEN, "RESULT") if word not in everything()] == []
    sweep_after(shop, days=1)
    assert [word for word in CHOSEN if word in everything()] == []
    kept = WalletAttempt.objects.values_list("price", "events", "results_count").order_by("pk")
    assert list(kept) == [({"total": 3000}, [], 1), ({"total": 3000}, [], 0)]


def test_what_came_with_a_card_that_paid_stays_with_its_order(sheet: Sheet, shop: Shop) -> None:
    payment = sheet()
    assert payment.order.is_paid
    sweep_after(shop, days=401)
    receipt = payments.wallet.receipt(order_of(payment))
    assert receipt is not None
    assert receipt.email == "ada@example.com"


# At a person's word


def test_a_customers_data_go_and_the_sums_stay_and_another_customers_data_too(shop: Shop) -> None:
    payment, other = shop.pay(**WHO), shop.pay(**WHO | {"cardholder_last_name": "Hopper"})
    Payment.objects.filter(pk=payment.pk).update(card_last_four="1111")
    payments.refund(order_of(payment), amount=Decimal("5.00"))
    before = payments.order_summary(order_of(payment))
    bodies_of_other = with_body().filter(transaction__payment=other).count()
    assert "Lovelace" in everything()

    order = erase(order_of(payment), reason=" asked by letter ")

    assert "Lovelace" not in everything()
    assert (order.email_hash, payments.order_summary(order)) == (None, before)
    assert order.content == {"type": "ecom.sale", "amount": "30.00", "currencyCode": "EUR", "erased": True}
    assert Payment.objects.get(pk=payment.pk).card_last_four == ""
    assert not with_body().filter(transaction__payment=payment).exists()
    last = TransactionEvent.objects.latest("pk")
    said = (last.kind, last.created_by, last.explanation)
    assert said == ("DECISION", "anna", "Personal data erased: asked by letter")
    assert order_of(other).content["checkoutDetails"]["cardholderLastName"] == "Hopper"
    assert with_body().filter(transaction__payment=other).count() == bodies_of_other > 0
    assert order_of(other).email_hash == BY_EMAIL


def test_what_a_wallet_gave_and_what_was_chosen_on_its_sheet_go_too(sheet: Sheet, shop: Shop) -> None:
    payment = sheet(shippingAddress=OCKHAM)
    assert [word for word in CHOSEN if word not in everything()] == []
    shop.clock.by += timedelta(hours=1)
    erase(order_of(payment))
    assert [word for word in CHOSEN if word in everything()] == []
    assert WalletAttempt.objects.get().price == {"total": 3000}


def test_while_something_has_not_ended_nothing_is_erased(shop: Shop) -> None:
    payment = shop.begin(**WHO)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, state="OPEN"):
        erase(order_of(payment))
    assert "Lovelace" in everything()


@pytest.mark.parametrize(("by", "reason"), [("", "x"), ("anna", " ")])
def test_it_needs_an_author_and_a_reason(by: str, reason: str, shop: Shop) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="is missing"):
        erase(shop.order(), by, reason)


@pytest.mark.every_database
def test_the_orders_lock_comes_before_the_look_at_what_has_ended(shop: Shop) -> None:
    """Otherwise a checkout that is begun in between would lose its body and its page."""
    order = order_of(shop.pay(**WHO))
    before = order.version
    with CaptureQueriesContext(connection) as captured:
        erase(order)
    words = [query["sql"].split()[0].upper() for query in captured.captured_queries]
    begins = [n for n, word in enumerate(words) if word in {"BEGIN", "SAVEPOINT"}]
    assert {words[n + 1] for n in begins} == {"UPDATE"}
    assert PaymentOrder.objects.get().version == before + 1


# Beside what begins at the same moment

BEGUN = 0.5
"""Seconds that a faulty erasure gives the other operation to be committed; a right one holds it back."""


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("operate", [payments.refund, payments.capture, payments.reverse])
def test_an_operation_that_begins_while_data_is_erased_keeps_what_it_has_to_send(
    operate: Callable[..., GatewayTransaction], shop: Shop
) -> None:
    payment = shop.pay(type="sale" if operate is payments.refund else "preauthorization")
    order, results, table = order_of(payment), list[object](), GatewayTransaction._meta.db_table

    def begin() -> None:
        try:
            results.append(operate(order_of(payment)))
        except Exception as error:  # noqa: BLE001 - a thread's failure is a result to look at
            results.append(error)
        finally:
            connections.close_all()

    other = Thread(target=begin)

    def midway(execute: Callable[..., Any], sql: str, *given: Any) -> Any:  # noqa: ANN401
        """Let the other begin once, after the erasure has looked at the transactions."""
        result = execute(sql, *given)
        looks = sql.startswith("SELECT") and f"FROM {connection.ops.quote_name(table)}" in sql
        if looks and other.ident is None:
            other.start()
            other.join(BEGUN)
        return result

    with shop.cut_off():
        with connection.execute_wrapper(midway):
            erase(order)
        other.join()
    (begun,) = results
    assert isinstance(begun, GatewayTransaction), begun
    assert begun.state == "NOT_SENT"
    assert payments.follow_ups.send_again(begun).state == "APPROVED"
