"""Paying with the button: charged once, by our own rows, whatever is lost and whatever comes in between."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction as db_transaction

from tests.money.wallet.customers import (
    CARD,
    CRYPTOGRAM,
    Customer,
    detail_for,
    no_authorization_leaves,
    refused,
)
from tests.support.gateway import Answer, Killed, Sent, answering, killing, losing, record, refusing
from tests.support.shop import kinds, order_of
from tests.support.stored import stored
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import (
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
    WalletKey,
)
from wallet_gateway.payments.errors import OperationError, OrderNotPayable

pytestmark = pytest.mark.django_db
PLAIN = {"cryptogram": None, "eciIndicator": None}


def stands(payment: Payment) -> tuple[str, str, bool]:
    """Return the state of an attempt, of its order, and whether a customer may pay (again)."""
    order = order_of(payment)
    return GatewayTransaction.objects.get(pk=payment.opening.pk).state, order.state, order.is_payable


# One reference, one payment


def test_a_reference_is_paid_with_one_card_and_a_repeated_result_charges_nothing_more(
    customer: Customer,
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    customer.gateway.cards.append(refusing(404))
    with refused("card_refused"):
        customer.post(order, detail)
    with refused("fields_invalid", says="transactionAccountId: another result"):
        customer.post(order, detail | {"transactionAccountId": "A-OTHER"})
    for _ in range(2):
        assert payments.wallet.outcome(customer.post(order.token, detail)) == "APPROVED"
    assert len(customer.gateway.sent) == 1


def test_an_account_pays_one_order_only(customer: Customer) -> None:
    customer.pay(customer.order(), transactionAccountId="A-1")
    with refused("fields_invalid", says="belongs to another attempt"):
        customer.pay(customer.order(), transactionAccountId="A-1")
    assert len(customer.gateway.sent) == 1


def test_a_result_of_a_stranger_or_of_another_order_is_nobodys(customer: Customer) -> None:
    order, other = customer.order(), customer.order()
    mine, beside = customer.open(order).reference, customer.open(other).reference
    stranger = customer.elsewhere("another browser")
    strange: list[tuple[Customer, str]] = [(stranger, mine), (customer, beside), (customer, "UNKNOWN")]
    for browser, reference in strange:
        with refused("wallet_session_unknown"):
            browser.post(order, detail_for(reference))
        with refused("wallet_session_unknown"):
            browser.price(order, reference)
        with refused("wallet_session_unknown"):
            browser.report(order, reference)
    with refused("wallet_session_unknown"):
        stranger.post(order, {"code": "4000340"})
    with refused("wallet_session_unknown"):
        customer.elsewhere("").open(order)
    assert (customer.gateway.sent, customer.gateway.looked_up) == ([], [])


def test_after_a_decline_another_card_pays(customer: Customer) -> None:
    order = customer.order()
    customer.gateway.answers.append(answering(state="Errored"))
    first = customer.pay(order)
    assert (stands(first), payments.wallet.outcome(first)) == (("REJECTED", "FAILED", True), "DECLINED")
    second = customer.another_card(order)
    assert second == customer.another_card(order) != first.reference, "until it has had a result"
    assert stands(customer.post(order, detail_for(second))) == ("APPROVED", "PAID", False)


def test_a_failure_of_the_sheet_is_noted_and_charges_nothing(customer: Customer) -> None:
    order = customer.order()
    customer.open(order)
    said = {"message": "token of 4111 1111 1111 1111 missing"}
    failed = {"code": "4000340", "description": "GeneralValidationError", "details": said}
    payment = customer.post(order, failed)
    assert (payment.opening.state, payments.wallet.outcome(payment)) == ("AWAITING_RESULT", "TRY_AGAIN")
    (event,) = WalletAttempt.objects.get().events
    words = "4000340 GeneralValidationError token of ***1111 missing"
    assert (event["event"], event["detail"], customer.gateway.sent) == ("ERROR", words, [])


# When nothing may be sent


@pytest.mark.parametrize("hold", [Customer.stop_sending, Customer.pause_sending])
def test_a_pause_and_the_emergency_stop_hold_the_button_back(
    hold: Callable[[Customer], None], customer: Customer
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    hold(customer)
    customer.shop.configure()  # This process looks anew whether there is a pause.
    with refused("sending_stopped"):
        customer.post(order, detail)
    assert (customer.gateway.sent, PaymentOrder.objects.get().is_payable) == ([], True)


def test_a_pause_that_begins_while_the_card_is_looked_up_holds_it_back(customer: Customer) -> None:
    customer.meanwhile(customer.pause_sending)
    with pytest.raises(OperationError):
        customer.pay(customer.order())
    assert (customer.gateway.sent, PaymentOrder.objects.get().is_payable) == ([], True)


def test_a_card_is_never_charged_inside_a_transaction_of_the_shop(customer: Customer) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    with db_transaction.atomic(), refused("inside_transaction"):
        customer.post(order, detail)
    assert customer.gateway.sent == []


@pytest.mark.parametrize(("minutes", "is_paid"), [(9, True), (10, False), (45, False)])
def test_a_card_whose_look_up_outlasts_the_time_to_pay_is_not_charged(
    minutes: int, is_paid: bool, customer: Customer
) -> None:
    order = customer.order(payable_until=customer.shop.clock.now() + timedelta(minutes=10))
    detail = detail_for(customer.open(order).reference)
    customer.meanwhile(lambda: customer.shop.clock.sleep(minutes * 60))
    with nullcontext() if is_paid else refused("order_ended", says="too late"):
        assert customer.post(order, detail).order.state == "PAID"
    assert len(customer.gateway.sent) == is_paid


# Answers that are lost


def lost_after_execution(customer: Customer) -> Answer:
    def executed(sent: Sent) -> tuple[int, object]:
        customer.gateway.approve(sent)
        return losing(sent)

    return executed


def refused_as_a_copy(customer: Customer) -> Answer:
    return refusing(409)


@pytest.mark.parametrize("answer", [lost_after_execution, refused_as_a_copy])
def test_a_card_that_may_be_charged_keeps_the_order_until_its_record_shows(
    answer: Callable[[Customer], Answer], customer: Customer
) -> None:
    order = customer.order()
    customer.gateway.answers.append(answer(customer))
    payment = customer.pay(order)
    assert (stands(payment), payments.wallet.outcome(payment)) == (("UNKNOWN", "PENDING", False), "CHECKING")
    assert customer.post(order, detail_for(payment.reference)).pk == payment.pk
    with refused("order_not_payable"):
        customer.open(order)
    customer.shop.report(payment, record(payment.reference))
    customer.shop.hours(1)
    assert (stands(payment), len(customer.gateway.sent)) == (("APPROVED", "PAID", False), 1)


def test_what_certainly_never_left_is_given_up_at_once_and_never_sent(customer: Customer) -> None:
    order = customer.order()
    with no_authorization_leaves(customer.shop):
        payment = customer.pay(order)
    assert (stands(payment), customer.gateway.sent) == (("ABANDONED", "FAILED", True), [])
    customer.shop.hours(1)
    assert customer.gateway.sent == []
    assert customer.pay(order).order.state == "PAID"


# A process that dies


def dead(customer: Customer, order: PaymentOrder) -> GatewayTransaction:
    """Let the process die while its authorization is out."""
    customer.gateway.answers.append(killing)
    with pytest.raises(Killed):
        customer.pay(order)
    transaction = GatewayTransaction.objects.latest("pk")
    assert transaction.state == "SENDING"
    # It is never sent from a row, so even now none holds it.
    assert [name for name, text in stored(tables="wallet_gateway_").items() if CRYPTOGRAM in text] == []
    return transaction


@pytest.mark.parametrize("has_arrived", [True, False])
def test_a_sender_that_died_leaves_an_outcome_to_ask_after(has_arrived: bool, customer: Customer) -> None:
    transaction = dead(customer, customer.order())
    if has_arrived:
        customer.shop.report(transaction, record(transaction.reference))
    customer.shop.clock.by += timedelta(seconds=121)
    payments.sweep()
    transaction.refresh_from_db()
    assert transaction.state == "UNKNOWN"
    assert not PaymentOrder.objects.get().is_payable
    customer.shop.hours(2)
    transaction.refresh_from_db()
    assert (transaction.state, len(customer.gateway.sent)) == ("APPROVED" if has_arrived else "UNKNOWN", 1)


def test_no_secret_outlasts_the_gateway_that_the_settings_named_once(customer: Customer) -> None:
    customer.open(customer.order())
    given = customer.shop.settings.WALLET_GATEWAY
    customer.shop.settings.WALLET_GATEWAY = given | {"GATEWAYS": {"second": given["GATEWAYS"]["default"]}}
    customer.shop.clock.by += timedelta(days=2)
    payments.sweep()
    assert not WalletKey.objects.exclude(api_key=b"").exists()
    customer.shop.settings.WALLET_GATEWAY = given


def test_what_never_left_is_given_up_when_its_sender_died_and_is_never_sent(customer: Customer) -> None:
    order = customer.order()
    transaction = dead(customer, order)
    customer.gateway.sent.clear()
    now = customer.shop.clock.now()
    GatewayTransaction.objects.update(state="NOT_SENT", next_send_at=now)
    TransactionEvent.objects.create(
        transaction=transaction, kind="FAULT", state_after="NOT_SENT", occurred_at=now
    )
    for seconds, state in ((10, "NOT_SENT"), (120, "ABANDONED")):
        customer.shop.clock.by += timedelta(seconds=seconds)
        payments.sweep()
        transaction.refresh_from_db()
        assert transaction.state == state
    assert PaymentOrder.objects.get().is_payable
    assert (OutboxEvent.objects.exists(), customer.gateway.sent) == (False, [])


# Plain cards: the gateway's 3-D Secure decides


def challenged(customer: Customer, order: PaymentOrder, url: str = "http://127.0.0.1:8001/3ds") -> Payment:
    """Pay with a plain card, for which the gateway has a page of its own."""
    customer.gateway.account = CARD
    customer.gateway.answers.append(answering(state="Pending", redirectUrl=url))
    return customer.pay(order, **PLAIN)


@pytest.mark.parametrize(
    ("state", "after"),
    [("Approved", ("APPROVED", "PAID", False)), ("Errored", ("REJECTED", "FAILED", True))],
)
def test_a_plain_card_is_sent_to_three_d_secure_and_the_sweep_finds_out_how_it_ended(
    state: str, after: tuple[str, str, bool], customer: Customer
) -> None:
    payment = challenged(customer, customer.order())
    assert stands(payment) == ("AWAITING_3DS", "PENDING", False)
    assert payments.wallet.outcome(payment) == "THREE_D_SECURE"
    assert payment.redirect_url == "http://127.0.0.1:8001/3ds"
    customer.shop.report(payment, record(payment.reference, state=state))
    customer.shop.hours(1)
    assert (stands(payment), len(customer.gateway.sent)) == (after, 1)


def test_a_three_d_secure_page_on_a_strange_host_is_not_gone_to(customer: Customer) -> None:
    payment = challenged(customer, customer.order(), "http://pay.example/3ds")
    assert (stands(payment)[0], payment.redirect_url, kinds()) == ("PENDING", "", {"UNEXPECTED_HOST"})
    assert payments.wallet.outcome(payment) == "CHECKING"


# The payment page beside the button


@pytest.mark.parametrize("opened", ["before the result", "during the look-up"])
def test_a_page_that_is_paid_meanwhile_keeps_the_card_from_being_charged(
    opened: str, customer: Customer
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    page = payments.start_checkout(order) if opened == "before the result" else None

    def pay_the_page() -> None:
        paid = page or payments.start_checkout(PaymentOrder.objects.get())
        customer.shop.report(paid, record(paid.reference))

    customer.meanwhile(pay_the_page)
    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert (customer.gateway.sent, PaymentOrder.objects.get().state) == ([], "PAID")


@pytest.mark.parametrize(
    "answer",
    [losing, refusing(503), lambda _: (200, b"no JSON"), lambda _: (200, [{"state": 7}])],
    ids=["lost", "away", "no JSON", "unreadable record"],
)
def test_while_the_gateway_does_not_say_whether_the_page_is_paid_no_card_is_charged(
    answer: Callable[[Any], tuple[int, object]], customer: Customer
) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    page = payments.start_checkout(order)
    customer.gateway.queries = [answer] * 20
    # Pressed twice: that the page has just been queried says nothing if there was no answer.
    for _ in range(2):
        with refused("try_again"):
            customer.post(order, detail)
    assert customer.gateway.sent == []
    customer.gateway.queries.clear()
    customer.shop.report(page, record(page.reference))
    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert PaymentOrder.objects.get().state == "PAID"


def test_an_open_page_that_nobody_paid_does_not_keep_the_button_from_paying(customer: Customer) -> None:
    order = customer.order()
    page = payments.start_checkout(order)
    assert customer.pay(order).order.state == "PAID"
    # The page cannot be closed; when it is paid as well, a person must know.
    customer.shop.report(page, record(page.reference))
    customer.shop.hours(1)
    assert order_of(page).state == "OVERPAID"


def test_a_page_that_was_paid_with_another_card_after_a_refusal_keeps_the_button_from_paying_too(
    customer: Customer,
) -> None:
    order = customer.order()
    page = payments.start_checkout(order)
    customer.shop.report(page, record(page.reference, state="Errored"))
    assert customer.shop.ask(page).state == "FAILED"
    detail = detail_for(customer.open(order).reference)
    customer.shop.report(page, record(page.reference, state="Errored"), record(page.reference, id="R-2"))
    customer.shop.clock.by += timedelta(seconds=10)
    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert customer.gateway.sent == []


# A result that comes late meets the closing of its attempt: exactly one of them wins


def closed_before_it_comes(customer: Customer, order: PaymentOrder, reference: str) -> None:
    payments.wallet.abandon(customer.attempt(reference))
    customer.post(order, detail_for(reference))


def closed_while_its_card_is_looked_up(customer: Customer, order: PaymentOrder, reference: str) -> None:
    customer.meanwhile(lambda: payments.wallet.abandon(customer.attempt(reference)))
    customer.post(order, detail_for(reference))


def closed_by_two_pages(customer: Customer, order: PaymentOrder, reference: str) -> None:
    one, other = customer.attempt(reference), customer.attempt(reference)
    payments.wallet.abandon(one)
    assert payments.wallet.abandon(other).opening.state == "ABANDONED"
    customer.post(order, detail_for(reference))


def closed_by_a_page_that_read_it_before(customer: Customer, order: PaymentOrder, reference: str) -> None:
    stale = customer.attempt(reference)
    customer.post(order, detail_for(reference))
    assert payments.wallet.abandon(stale).opening.state == "APPROVED"


def closed_while_it_is_sent(customer: Customer, order: PaymentOrder, reference: str) -> None:
    stale = customer.attempt(reference)

    def meanwhile(sent: Sent) -> tuple[int, object]:
        answer = customer.gateway.approve(sent)
        for known in (stale, customer.attempt(reference)):
            assert payments.wallet.abandon(known).opening.state == "SENDING"
        return answer

    customer.gateway.answers.append(meanwhile)
    customer.post(order, detail_for(reference))


def ended_by_the_sweep(customer: Customer, order: PaymentOrder, reference: str) -> None:
    stale = customer.attempt(reference)
    customer.shop.clock.by += timedelta(minutes=59)
    assert sum(one.buttons_expired for one in payments.sweep()) == 0
    customer.shop.clock.by += timedelta(minutes=2)
    assert customer.post(order, detail_for(reference)).opening.state == "AWAITING_RESULT"
    assert sum(one.buttons_expired for one in payments.sweep()) == 1
    assert payments.wallet.abandon(stale).opening.state == "EXPIRED"
    customer.post(order, detail_for(reference))


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("meet", "states"),
    [
        (closed_before_it_comes, ("ABANDONED", "FAILED")),
        (closed_while_its_card_is_looked_up, ("ABANDONED", "FAILED")),
        (closed_by_two_pages, ("ABANDONED", "FAILED")),
        (closed_by_a_page_that_read_it_before, ("APPROVED", "PAID")),
        (closed_while_it_is_sent, ("APPROVED", "PAID")),
        (ended_by_the_sweep, ("EXPIRED", "EXPIRED")),
    ],
)
def test_a_result_is_either_charged_or_closed(
    meet: Callable[[Customer, PaymentOrder, str], None], states: tuple[str, str], customer: Customer
) -> None:
    order = customer.order()
    reference = customer.open(order).reference
    meet(customer, order, reference)
    is_charged = states[0] == "APPROVED"
    assert stands(customer.attempt(reference)) == (*states, not is_charged)
    assert len(customer.gateway.sent) == is_charged
    # Who loses says nothing in the history of the one that has won.
    written = TransactionEvent.objects.filter(explanation_code="result_not_received")
    assert written.exists() != is_charged
    if not is_charged:
        assert customer.pay(order).order.state == "PAID"


@every("state", sorted(set(TransactionState) - {"AWAITING_RESULT"}))
def test_what_does_not_wait_for_a_result_is_left_alone(customer: Customer, state: TransactionState) -> None:
    payment = customer.attempt(customer.open(customer.order()).reference)
    payment.opening.state = state
    assert payments.wallet.abandon(payment).opening.state == state
    assert not TransactionEvent.objects.exists()
