"""States in other letters mean the same; a state in another word holds the payment and reaches a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.gateway import answering, record
from tests.support.shop import (
    OPERATIONS,
    Shop,
    compared,
    doctors_words,
    news,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
)
from wallet_gateway import payments, return_tokens
from wallet_gateway.findings import Finding
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.return_tokens import ReturnOutcome

pytestmark = pytest.mark.django_db

# Words that are not known


def _is_held(payment: Payment) -> None:
    assert state(payment) == ("PENDING", False)
    opening = GatewayTransaction.objects.get(pk=payment.opening.pk)
    assert opening.next_query_at is not None, "it is asked on"
    with pytest.raises(payments.errors.OrderNotPayable):
        payments.start_checkout(order_of(payment))
    with pytest.raises(payments.errors.OrderNotPayable):
        payments.wallet.open_session(order_of(payment), session="another session")


def _naming(word: str) -> list[Finding]:
    return [finding for finding in news() if word.strip() in finding.text]


def _is_told(word: str, number: int) -> None:
    (told,) = _naming(word)
    assert "default" in f"{told.text} {told.subject} {told.params}"
    assert str(number) in told.text
    assert told.advice or told.text


@pytest.mark.parametrize(
    ("word", "odd"),
    [
        ("Declined", {}),
        ("Approved ", {"transactionAmount": 0}),
        ("ＡＰＰＲＯＶＥＤ", {"currencyCode": "USD"}),  # noqa: RUF001 - letters of full width
        ("1", {"id": ""}),
    ],
)
def test_an_unknown_word_holds_the_payment_before_and_after_its_page_has_ended(
    word: str, odd: dict[str, object], shop: Shop, heard: list[str]
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, state=word, **odd))
    _is_held(payment)
    shop.days(2)
    _is_held(payment)
    assert not reloaded(payment).is_frozen
    assert not payments.maintenance.sending_pauses()
    assert "order_paid" not in heard
    assert "order_failed" not in heard
    assert "order_expired" not in heard


def test_there_is_one_alarm_for_each_word_with_the_number_of_payments_held(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    for word in ("Settled", "Settled", "Settled", "Captured", "Captured"):
        payment = shop.begin()
        shop.report_and_ask(payment, record(payment.reference, state=word))
    shop.days(1)
    _is_told("Settled", 3)
    _is_told("Captured", 2)
    alarms = [line.getMessage() for line in caplog.records if line.levelname == "ERROR"]
    assert sum("Settled" in line for line in alarms) <= 1
    assert sum("Captured" in line for line in alarms) <= 1
    for word in ("Settled", "Captured"):
        assert sum(word in line for line in doctors_words().splitlines()) >= 1


def test_the_customer_reads_that_the_payment_is_being_checked(shop: Shop, client: Client) -> None:
    payment = shop.begin()
    shop.report(payment, record(payment.reference, state="Settled"))
    for outcome in (ReturnOutcome.SUCCESS, ReturnOutcome.ERROR, ReturnOutcome.CANCEL, ReturnOutcome.RETURN):
        shop.clock.sleep(10)
        token = return_tokens.sign(payment.reference, outcome)
        page = client.get(reverse("wallet_gateway:result", args=[token])).content.decode()
        assert "We are checking your payment" in page
        assert "Nothing was charged" not in page
    pay = client.get(reverse("wallet_gateway:pay", args=[order_of(payment).token]), follow=True)
    assert "We are checking your payment" in pay.content.decode()


@pytest.mark.parametrize("beside", [{"state": "Errored"}, {"state": "Pending"}, {"transactionAmount": 17}])
def test_another_record_beside_an_unknown_word_does_not_free_the_payment(
    beside: dict[str, object], shop: Shop
) -> None:
    payment = shop.begin()
    shop.report(
        payment,
        record(payment.reference, id="R-2", **beside),
        record(payment.reference, state="Settled"),
        record(payment.reference, id="R-3", **beside),
    )
    shop.days(1)
    assert state(payment)[0] in {"PENDING", "FROZEN"}
    assert not state(payment)[1]


def test_a_page_that_was_refused_before_is_held_by_an_unknown_word(shop: Shop) -> None:
    payment = shop.begin()
    declined = record(payment.reference, id="R-1", state="Errored")
    shop.report_and_ask(payment, declined)
    assert state(payment) == ("FAILED", True)
    shop.report_and_ask(payment, declined, record(payment.reference, id="R-2", state="Settled"))
    _is_held(payment)


@pytest.mark.parametrize(
    "repair", [pytest.param(True, id="repaired"), pytest.param(False, id="only compared")]
)
def test_the_comparison_names_the_word_of_what_was_pending_before_and_a_repair_tells_a_person(
    repair: bool, shop: Shop
) -> None:
    payment = shop.begin()
    shop.report(payment, record(payment.reference, state="Pending"))
    shop.ask(payment)
    shop.report(payment, record(payment.reference, state="Settled"))
    printed = compared(repair=True, by="anna") if repair else compared()
    assert "Settled" in printed
    assert bool(_naming("Settled")) == repair
    _is_held(payment)


# Refunds and captures


@pytest.mark.parametrize(
    ("kind", "place"),
    [("CAPTURE", "in the answer"), ("REFUND", "in the record"), ("REVERSAL", "in the answer")],
)
def test_an_unknown_word_of_a_follow_up_holds_it(place: str, kind: str, shop: Shop) -> None:
    payment = shop.pay_for(kind)
    operate = OPERATIONS[kind]
    if place == "in the answer":
        shop.gateway.answers.append(answering(state="Settled"))
        held = operate(order_of(payment))
    else:
        held = shop.lose_answer(operate, order_of(payment))
    shop.report(held, of(held, state="Settled"))
    shop.ask(payment)
    assert reloaded(held).state in {"PENDING", "UNKNOWN"}
    assert held.next_query_at is not None
    _is_told("Settled", 1)
    with pytest.raises(payments.errors.OperationRefused):
        operate(order_of(payment))
    assert not reloaded(payment).is_frozen

    shop.report(held, of(held))
    shop.ask(payment)
    assert reloaded(held).state == "APPROVED"
    assert not _naming("Settled")


# Teaching the word


@pytest.mark.parametrize(
    ("word", "after"),
    [
        pytest.param("SETTLED", ("PAID", False), id="SETTLED means paid"),
        pytest.param("Declined", ("FAILED", True), id="Declined means refused"),
    ],
)
def test_what_is_held_is_judged_at_the_next_query_after_its_word_was_taught(
    word: str, after: tuple[str, bool], shop: Shop
) -> None:
    held = [shop.begin() for _ in range(2)]
    for payment in held:
        shop.report_and_ask(payment, record(payment.reference, state=word))
    shop.configure(CLIENT_CLASS="tests.support.gateway.TaughtGateway")
    shop.days(1)
    for payment in held:
        assert state(payment) == after
        assert not open_differences(payment)
    assert not _naming(word), "no payment is held by it any more"


# A person's decision


def ask_every_five_hours(shop: Shop, payment: Payment, times: int) -> None:
    for _ in range(times):
        shop.clock.by += timedelta(hours=5)
        shop.ask(payment)


def _resolve(transaction: GatewayTransaction, decision: str) -> GatewayTransaction:
    transaction.refresh_from_db()
    return payments.approvals.resolve(transaction, decision=decision, reason="asked the provider", by="anna")


def test_a_person_may_decide_after_a_day_that_nothing_happened_and_an_approval_after_that_is_seen(
    shop: Shop,
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, state="Settled"))
    for times in (0, 4):
        ask_every_five_hours(shop, payment, times)
        with pytest.raises(payments.errors.InvalidState):
            _resolve(payment.opening, "DID_NOT_HAPPEN")
    ask_every_five_hours(shop, payment, 2)
    with pytest.raises(payments.errors.InvalidState):
        _resolve(payment.opening, "DID_HAPPEN")
    assert _resolve(payment.opening, "DID_NOT_HAPPEN").state == "ABANDONED"
    assert state(payment)[1], "the order can be paid again"
    assert payments.start_checkout(order_of(payment)).reference != payment.reference
    assert not _naming("Settled")

    shop.report(payment, record(payment.reference))
    shop.days(2)
    assert state(payment) == ("FROZEN", False)
    assert {one.kind for one in open_differences(payment)} == {"APPROVED_AFTER_END"}
