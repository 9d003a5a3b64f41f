"""The hosted page: one at a time, never again what is paid, and never one of a strange host."""

from __future__ import annotations

import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.money.checkout.parts import create
from tests.support.database_faults import meddling, update_of
from tests.support.gateway import Sent, record, refusing
from tests.support.refusals import refuses
from tests.support.shop import Shop, opening, order_of, state
from wallet_gateway import payments
from wallet_gateway.documentation import address_of
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.payments.errors import (
    ErrorCode,
    GatewayRefused,
    GatewayUnreachable,
    OrderNotPayable,
    TryAgain,
)

pytestmark = pytest.mark.django_db
SALE, AUTHORIZATION, PENDING = {}, {"type": "ecom.preAuthorization"}, {"state": "Pending"}  # type: ignore[var-annotated]
PAGE = {"redirectUrl": "http://127.0.0.1:8001/pay/1"}


# One page at a time


def test_a_page_is_committed_with_its_end_before_anybody_is_sent_there(shop: Shop) -> None:
    shop.clock.stop()
    payment = shop.begin()
    stored = opening(payment)
    assert (stored.state, stored.redirect_url) == ("OPEN", payment.redirect_url)
    assert stored.expires_at == payment.expires_at == shop.clock.now() + timedelta(seconds=900)
    assert (payment.is_open, payment.state, payment.is_test) == (True, "OPEN", True)


@pytest.mark.parametrize(("lifetime", "offered"), [(60, 40), (120, 80), (900, 839)])
def test_a_page_is_offered_again_until_its_last_minute_and_a_short_one_to_a_second_click(
    lifetime: int, offered: int, shop: Shop
) -> None:
    shop.clock.stop()
    shop.configure(REDIRECT_URL_TIMEOUT=lifetime)
    first = shop.begin()
    shop.clock.by += timedelta(seconds=offered)
    assert payments.start_checkout(order_of(first)).reference == first.reference
    shop.clock.by += timedelta(seconds=lifetime - offered if lifetime < 900 else 1)
    second = payments.start_checkout(order_of(first))
    assert (second.reference == first.reference, second.number) == (False, 2)
    assert len(shop.gateway.opened) == 2


# Never again what is paid


@pytest.mark.parametrize(
    ("type_", "fields", "stands"),
    [("sale", SALE, "PAID"), ("sale", PENDING, "PENDING"), ("preauthorization", AUTHORIZATION, "AUTHORIZED")],
)
def test_what_is_paid_or_may_be_is_not_paid_again_even_with_an_old_copy_of_the_order(
    type_: str, fields: dict[str, Any], stands: str, shop: Shop
) -> None:
    old = shop.order(type=type_)
    payment = payments.start_checkout(PaymentOrder.objects.get())
    shop.report(payment, record(payment.reference, **fields))
    shop.ask(payment)
    assert (old.state, old.version) == ("OPEN", 0)
    for order in (old, order_of(payment)):
        with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, state=stands):
            payments.start_checkout(order)
    assert (len(shop.gateway.opened), GatewayTransaction.objects.count()) == (1, 1)


@pytest.mark.parametrize("amount", [Decimal("5.00"), None], ids=["in part", "whole"])
def test_what_was_refunded_is_not_paid_again(amount: Decimal | None, shop: Shop) -> None:
    payment = shop.pay()
    payments.refund(order_of(payment), amount=amount)
    with pytest.raises(OrderNotPayable):
        payments.start_checkout(order_of(payment))


@pytest.mark.parametrize(
    ("type_", "fields", "is_handed_out"),
    [
        ("sale", SALE, False),
        ("sale", PENDING, False),
        ("preauthorization", AUTHORIZATION, False),
        ("sale", {"state": "Errored"}, True),
    ],
)
def test_a_page_is_handed_out_only_if_no_older_one_was_paid_while_it_was_opened(
    type_: str, fields: dict[str, Any], is_handed_out: bool, shop: Shop
) -> None:
    older = shop.begin(type=type_)
    shop.clock.by += timedelta(seconds=880)

    def meanwhile(_: Sent) -> tuple[int, object]:
        shop.report(older, record(older.reference, **fields))
        shop.ask(older)
        return 200, PAGE

    shop.gateway.pages.append(meanwhile)
    if is_handed_out:
        assert payments.start_checkout(order_of(older)).redirect_url
        return
    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, says="in the meantime"):
        payments.start_checkout(order_of(older))
    newer = GatewayTransaction.objects.get(payment__number=2)
    assert (newer.state, newer.next_query_at is None) == ("OPEN", False), "the gateway has the page"


@pytest.mark.parametrize("has_older_page", [False, True])
def test_nobody_is_sent_to_the_page_of_an_order_that_was_cancelled_while_it_was_opened(
    has_older_page: bool, shop: Shop
) -> None:
    order = order_of(shop.begin()) if has_older_page else shop.order()
    shop.clock.by += timedelta(seconds=880)

    def meanwhile(_: Sent) -> tuple[int, object]:
        payments.cancel(PaymentOrder.objects.get(), by="shop")
        return 200, PAGE

    shop.gateway.pages.append(meanwhile)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled"):
        payments.start_checkout(order)
    page = Payment.objects.latest("number")
    assert (state(page), page.transactions.get().state) == (("CANCELLED", False), "OPEN")
    # The gateway has the page all the same: who finds the way there and pays is seen.
    shop.report(page, record(page.reference))
    shop.ask(page)
    assert state(page)[0] == "FROZEN"


def test_a_first_page_that_was_outrun_by_the_button_is_not_handed_out_and_seen_if_both_are_paid(
    shop: Shop,
) -> None:
    order = shop.order()

    def press_the_button(_: Sent) -> tuple[int, object]:
        button = shop.press_button(PaymentOrder.objects.get())
        assert button.order.is_paid
        return 200, PAGE

    shop.gateway.pages.append(press_the_button)
    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, says="in the meantime"):
        payments.start_checkout(order)
    page = Payment.objects.get(number=1)
    assert (bool(page.redirect_url), state(page)) == (True, ("PAID", False))

    shop.report(page, record(page.reference))
    shop.ask(page)
    assert state(page)[0] == "OVERPAID"


# What never left


def test_the_same_bytes_leave_that_were_written_whatever_the_settings_say_by_now(shop: Shop) -> None:
    order = shop.order(language="de")
    with shop.cut_off(), refuses(GatewayUnreachable, ErrorCode.NOTHING_SENT, says="connection refused"):
        payments.start_checkout(order)
    unsent = GatewayTransaction.objects.get()
    (fault,) = TransactionEvent.objects.filter(transaction=unsent)
    assert (unsent.state, fault.kind) == ("NOT_SENT", "FAULT")

    shop.configure(SKIN_ID="midnight", REDIRECT_URL_TIMEOUT=60)
    assert payments.start_checkout(order).reference == unsent.reference
    (sent,) = shop.gateway.opened
    assert sent["clientSystemTransactionId"] == unsent.reference
    assert sent["checkoutDetails"]["redirectUrlTimeout"] == 900
    assert "skinId" not in sent["checkoutDetails"]


@pytest.mark.parametrize(
    ("answer", "error", "code", "says", "stands", "kind"),
    [
        ((200, b"no JSON"), GatewayUnreachable, "gateway_silent", "no payment page", "ABANDONED", "FAULT"),
        (refusing(422)({}), GatewayRefused, "gateway_refused", "the card was declined", "REJECTED", "ANSWER"),
    ],
)
def test_a_page_that_the_gateway_does_not_give_ends_the_attempt(
    answer: tuple[int, object],
    error: type[Any],
    code: str,
    says: str,
    stands: str,
    kind: str,
    shop: Shop,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop.gateway.pages.append(lambda _: answer)
    with refuses(error, ErrorCode(code), says=says):
        payments.start_checkout(shop.order())
    transaction = GatewayTransaction.objects.get()
    assert (transaction.state, transaction.events.latest("pk").kind) == (stands, kind)
    assert f"failed ({code}): " in caplog.text
    assert says in caplog.text
    assert payments.start_checkout(PaymentOrder.objects.get()).number == 2


@pytest.mark.every_database
def test_what_another_process_has_claimed_is_not_claimed_again(shop: Shop) -> None:
    order = shop.order()
    with shop.cut_off(), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    claims, overtake = update_of("wallet_gateway_gatewaytransaction"), GatewayTransaction.objects.all()
    with (
        meddling(claims, "leased_until", act=lambda: overtake.update(attempt_no=7)),
        refuses(TryAgain, ErrorCode.CHECKOUT_IN_PROGRESS),
    ):
        payments.start_checkout(order)
    assert shop.gateway.opened == []
    assert GatewayTransaction.objects.get().leased_until is None


# The host of the page


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/checkout/1/",
        "https://gateway.example.evil.example/",
        "https://evil.example/gateway.example",
        "https://gateway.example:444/",
        "https://gateway.example./",
        "http://127.0.0.1:8001/",
        "https://xn--gatewy-mva.example/",
        "http://gateway.example/",
    ],
)
def test_a_page_that_is_not_allowed_is_shown_to_nobody(url: str, shop: Shop) -> None:
    shop.configure(REDIRECT_HOSTS=["gateway.example"], BASE_URL="https://gateway.example")
    shop.gateway.pages.append(lambda _: (200, {"redirectUrl": url}))
    says = "only https is allowed" if url == "http://gateway.example/" else "the settings do not allow"
    with refuses(GatewayRefused, ErrorCode.GATEWAY_REFUSED, says=says):
        payments.start_checkout(shop.order())
    transaction = GatewayTransaction.objects.get()
    assert (transaction.state, transaction.redirect_url) == ("ABANDONED", "")
    assert Discrepancy.objects.get().kind == "UNEXPECTED_HOST"
    assert not Payment.objects.get().is_frozen


# What is read under the lock


@pytest.mark.every_database
@pytest.mark.parametrize("touched", [False, True])
def test_the_lock_comes_before_anything_is_read(touched: bool, shop: Shop) -> None:
    # Where reads are repeatable, the first one decides what those after the lock see.
    order = shop.order()
    if touched:
        payment = payments.start_checkout(order)
        shop.report(payment, record(payment.reference, state="Errored"))
        order = shop.ask(payment)
    with CaptureQueriesContext(connection) as captured:
        payments.start_checkout(order)
    words = [query["sql"].split()[0].upper() for query in captured.captured_queries]
    begins = [n for n, word in enumerate(words) if word in {"BEGIN", "SAVEPOINT"}]
    assert begins
    assert {words[n + 1] for n in begins} == {"UPDATE"}
    reads = words[begins[0] + 2]
    assert reads == ("SELECT" if touched else "INSERT"), "of an order without attempts nothing is read"


@pytest.mark.every_database
def test_a_checkout_that_the_database_wants_run_again_begins_with_the_order_as_it_was_given(
    shop: Shop,
) -> None:
    payment = shop.begin()
    shop.report(payment, record(payment.reference, state="Errored"))
    order = shop.ask(payment)
    version, seen = order.version, list[int]()

    def deadlock() -> None:
        seen.append(PaymentOrder.objects.get().version)
        if len(seen) == 1:
            raise OperationalError(1213, "Deadlock found when trying to get lock")

    with meddling("INSERT", "wallet_gateway_payment", act=deadlock, times=2):
        assert payments.start_checkout(order).redirect_url
    assert seen == [version + 1] * 2
    assert order.version == version, "what may be rolled back is not written into the caller's instance"


# One line in the log, whichever way a checkout fails


@pytest.mark.parametrize("is_by_the_form", [True, False], ids=["the form", "a view of the shop"])
def test_a_checkout_that_fails_writes_one_line_with_what_to_do(
    is_by_the_form: bool, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    order = create("SHOP-1")
    shop.configure(BASE_URL="http://127.0.0.1:9")
    caplog.set_level(logging.WARNING, "wallet_gateway")
    with shop.cut_off():
        if is_by_the_form:
            Client().post(reverse("wallet_gateway:checkout", args=[order.token]), HTTP_ACCEPT_LANGUAGE="de")
        else:
            with pytest.raises(GatewayUnreachable):
                payments.start_checkout(order)
    (line,) = [each for each in caplog.records if each.name.startswith("wallet_gateway")]
    assert (line.levelname, line.name) == ("WARNING", "wallet_gateway.checkout")
    assert line.getMessage() == (
        "checkout of order SHOP-1 failed (nothing_sent): The gateway at http://127.0.0.1:9 (the sandbox; "
        "start it with `python -m wallet_gateway.sandbox --port 9`) cannot be reached: connection refused. "
        "Nothing was sent. `manage.py wallet_doctor` examines the settings and the gateway; see "
        + address_of("reference/errors", "nothing_sent")
    )


def test_a_customer_who_clicks_twice_has_failed_at_nothing(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    payment = shop.pay()
    with pytest.raises(OrderNotPayable):
        payments.start_checkout(order_of(payment))
    second = create("SHOP-2")

    def click_again(_: Sent) -> tuple[int, object]:
        with refuses(TryAgain, ErrorCode.CHECKOUT_IN_PROGRESS):
            payments.start_checkout(PaymentOrder.objects.get(pk=second.pk))
        return 200, PAGE

    shop.gateway.pages.append(click_again)
    assert payments.start_checkout(second).redirect_url
    assert caplog.records == []
