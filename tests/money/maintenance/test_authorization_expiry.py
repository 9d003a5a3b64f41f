"""Authorizations that expire: told in time and once, and what the machine does is done once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import answering, record
from tests.support.shop import Shop, of, opening, order_of, reloaded, state
from tests.support.shop_fixtures import Connect, Receiver
from wallet_gateway import payments, signals
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment

pytestmark = pytest.mark.django_db
AUTHOR = "authorization expiry"


Told = list[dict[str, Any]]


@pytest.fixture
def told(connect: Connect) -> Told:
    heard: Told = connect(signals.authorization_expiring).told
    return heard


def policies(told: Told) -> list[str]:
    return [each["policy"] for each in told]


def authorize(shop: Shop) -> Payment:
    return shop.pay(type="preauthorization")


def sweep(shop: Shop, times: int = 1) -> None:
    """Sweep some times, each so long after the other that a claim has ended."""
    for _ in range(times):
        payments.sweep()
        shop.clock.by += timedelta(minutes=6)


def by_the_machine() -> GatewayTransaction:
    return GatewayTransaction.objects.get(created_by=AUTHOR)


def sent(shop: Shop) -> list[str]:
    return [each["type"] for each in shop.gateway.sent]


@pytest.mark.every_database
def test_an_authorization_is_told_of_two_days_before_its_end_and_once(shop: Shop, told: Told) -> None:
    shop.clock.stop()
    payment = authorize(shop)
    authorized_at = opening(payment).approved_at
    assert authorized_at is not None
    shop.clock.by += timedelta(days=5, seconds=-1) - (shop.clock.now() - authorized_at)
    payments.sweep()
    assert told == []
    shop.clock.by += timedelta(seconds=1)
    payments.sweep()
    payments.sweep()
    shop.clock.by += timedelta(days=1)
    payments.sweep()
    (event,) = told
    assert (event["order"], event["payment"], str(event["amount"])) == (payment.order, payment, "30.00 EUR")
    assert event["reference"] == payment.order.reference
    assert (event["expires_at"], event["policy"]) == (authorized_at + timedelta(days=7), "ask")
    assert sent(shop) == [], "people decide"


def test_an_authorization_that_was_contradicted_and_accepted_expires_as_if_it_had_not_been(
    shop: Shop, told: Told
) -> None:
    """The gateway holds the money from its approval on, and knows nothing of what we doubted."""
    payment = authorize(shop)
    approved_at = opening(payment).approved_at
    assert approved_at is not None
    end = approved_at + timedelta(days=7)
    shop.clock.by += timedelta(days=3)
    own = {"type": "ecom.preAuthorization"}
    twice = [record(payment.reference, **own), record(payment.reference, id="R-2", **own)]
    shop.report_and_ask(payment, *twice)
    shop.clock.by += timedelta(days=3)
    shop.decide(payment, "DID_HAPPEN")
    payments.sweep()
    assert [given["expires_at"] for given in told] == [end]
    (found,) = payments.maintenance.expiring_authorizations()
    assert found.expires_at == end


@pytest.mark.parametrize("what", ["capture", "reverse"])
def test_a_late_payment_of_a_cancelled_order_is_told_of_and_left_alone_until_a_person_accepts_it(
    what: str, shop: Shop, told: Told
) -> None:
    shop.configure(CAPTURE={"POLICY": what})
    payment = shop.begin(type="preauthorization")
    payments.cancel(order_of(payment), by="shop")
    shop.report_and_ask(payment, record(payment.reference, type="ecom.preAuthorization"))
    shop.clock.by += timedelta(days=6)
    sweep(shop, 3)
    assert (policies(told), sent(shop)) == (["ask"], [])

    payments.approvals.close_discrepancy(Discrepancy.objects.get(), reason="one more", by="anna")
    payments.sweep()
    assert by_the_machine().payment == payment
    assert len(told) == 1


@pytest.fixture
def two_pages(shop: Shop) -> tuple[Payment, Payment]:
    """A customer has authorized one order on two pages that were open at once; nothing is known of it yet."""
    first, second = shop.two_pages(type="preauthorization")
    for page in (first, second):
        shop.report(page, record(page.reference, type="ecom.preAuthorization"))
    return first, second


@pytest.mark.parametrize(("what", "kind"), [("capture", "CAPTURE"), ("reverse", "REVERSAL")])
def test_two_authorizations_of_one_order_are_left_alone_until_a_person_gave_one_back(
    what: str, kind: str, two_pages: tuple[Payment, Payment], shop: Shop, told: Told
) -> None:
    shop.configure(CAPTURE={"POLICY": what})
    first, second = two_pages
    shop.ask(first)
    shop.ask(second)
    assert state(first)[0] == "OVERPAID"
    shop.clock.by += timedelta(days=5.1)
    sweep(shop, 2)
    assert (policies(told), sent(shop)) == (["ask", "ask"], [])

    payments.reverse(order_of(second), payment=second)
    sweep(shop, 2)
    assert (by_the_machine().payment, by_the_machine().kind) == (first, kind)
    assert len(told) == 2


def test_an_authorization_is_left_alone_if_a_second_one_arrives_while_the_sweep_runs(
    shop: Shop, connect: Connect
) -> None:
    """The second payment is found while a receiver handles the expiry of another order's authorization."""
    shop.configure(CAPTURE={"POLICY": "capture"})
    older, (first, second) = authorize(shop), shop.two_pages(type="preauthorization")
    shop.report(first, record(first.reference, type="ecom.preAuthorization"))
    payments.orders.reconcile_attempt(first.reference)
    shop.clock.by += timedelta(days=6)

    def arrive(reference: str, **_: Any) -> None:
        if reference == older.order.reference:
            shop.report(second, record(second.reference, type="ecom.preAuthorization"))
            shop.clock.by += timedelta(seconds=10)
            payments.orders.reconcile_attempt(second.reference)

    connect(signals.authorization_expiring, arrive)
    payments.sweep()
    assert state(first)[0] == "OVERPAID"
    assert by_the_machine().payment == older


@pytest.mark.every_database
def test_the_machine_captures_what_is_left_and_once(shop: Shop) -> None:
    shop.configure(CAPTURE={"POLICY": "capture"})
    payment = authorize(shop)
    payments.capture(order_of(payment), amount=Decimal("5.00"))
    shop.clock.by += timedelta(days=6)
    sweep(shop, 2)
    assert (reloaded(payment).captured, sent(shop)) == (3000, ["ecom.capture"] * 2)
    last = by_the_machine()
    words = (last.amount_minor, last.idempotency_key, last.comment)
    assert words == (2500, f"expiry-{payment.reference}", "about to expire")


def test_the_machine_gives_back_what_nothing_was_captured_of(shop: Shop, told: Told) -> None:
    shop.configure(CAPTURE={"POLICY": "reverse"})
    whole, part = authorize(shop), authorize(shop)
    payments.capture(order_of(part), amount=Decimal("5.00"))
    shop.clock.by += timedelta(days=6)
    sweep(shop, 2)
    assert len(told) == 2
    assert (by_the_machine().payment, by_the_machine().state) == (whole, "APPROVED")
    assert reloaded(part).captured == 500


def refuse_at_once(shop: Shop) -> None:
    shop.gateway.answers.append(answering(state="Errored"))
    sweep(shop)


def lose_the_answer_and_refuse_later(shop: Shop) -> None:
    shop.gateway.answers.append(lambda _: (200, b"no JSON"))
    sweep(shop)
    lost = by_the_machine()
    assert lost.state == "UNKNOWN", "so it is not sent again"
    sweep(shop)
    shop.report(lost, of(lost, state="Errored"))
    shop.ask(Payment.objects.get())


@pytest.mark.parametrize("end", [refuse_at_once, lose_the_answer_and_refuse_later])
def test_a_capture_that_comes_to_nothing_is_left_to_people_once(
    end: Callable[[Shop], None], shop: Shop, told: Told
) -> None:
    shop.configure(CAPTURE={"POLICY": "capture"})
    payment = authorize(shop)
    shop.clock.by += timedelta(days=6)
    end(shop)
    sweep(shop, 3)
    assert policies(told) == ["capture", "ask"]
    assert sent(shop) == ["ecom.capture"]
    (shown,) = payments.maintenance.expiring_authorizations()
    assert shown.payment == payment, "the dashboard goes on showing it"


def test_while_sending_is_stopped_the_machine_tells_once_and_waits_and_then_does_it(
    shop: Shop, told: Told
) -> None:
    shop.configure(CAPTURE={"POLICY": "capture"})
    payment = authorize(shop)
    shop.clock.by += timedelta(days=6)
    payments.maintenance.stop_sending("default", by="anna", reason="x")
    sweep(shop, 3)
    assert (reloaded(payment).captured, len(told)) == (0, 1)
    payments.maintenance.resume_sending("default", by="anna", reason="x")
    sweep(shop)
    assert (reloaded(payment).captured, len(told)) == (3000, 1)


def test_a_receiver_that_fails_is_told_again(shop: Shop, told: Told, connect: Connect) -> None:
    authorize(shop)
    shop.clock.by += timedelta(days=6)
    connect(signals.authorization_expiring, Receiver(failures=1))
    sweep(shop, 3)
    assert len(told) == 2


def test_a_receiver_that_fails_does_not_let_an_authorization_lapse(shop: Shop, connect: Connect) -> None:
    shop.configure(CAPTURE={"POLICY": "capture"})
    payment = authorize(shop)
    shop.clock.by += timedelta(days=6)
    connect(signals.authorization_expiring, Receiver(failures=9))
    sweep(shop)
    assert reloaded(payment).captured == 3000
