"""Mix-ups of units in records: a customer's freezes one payment, one of our own operations stops sending."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.operations.aftermath import problems
from tests.operations.conftest import MakeOrder, Pay, Start, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from tests.operations.wallet_customer import Customer
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import query_and_record, reconcile_attempt
from wallet_gateway.operations.sending import emergency_stop
from wallet_gateway.operations.wallet.session import WalletSession
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.queries.pauses import sending_pauses
from wallet_gateway.queries.work_queue import waiting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hears_the_alarm")]
S = TransactionState
HUNDRED = Item(product_id="LAMP-1", product_name="Lamp", unit_amount=Decimal("100.00"), quantity=1)
QUARTER = timedelta(minutes=15)
MixUp = Callable[..., GatewayTransaction]


# One customer's odd record


def pay_by_oneself(
    customer: Customer,
    button: WalletSession,
    detail: dict[str, Any],
    amount: str,
) -> None:
    """Authorize at the gateway as the browser can: it holds the key, the account and the reference."""
    given = button.parameters
    body = {
        "merchantId": given["mid"],
        "storeId": given["sid"],
        "userId": customer.context.gateway.account.user_id,
        "type": "ecom.sale",
        "amount": amount,
        "currencyCode": "EUR",
        "clientSystemTransactionId": button.reference,
        "transactionAccountId": detail["transactionAccountId"],
        "transactionMethod": "WalletPay",
        "cryptogram": detail["cryptogram"],
        "eciIndicator": detail["eciIndicator"],
    }
    headers = {
        "Authorization": f"PublicApiKey {given['publicKeyApi']}",
        "Content-Type": "application/json",
    }
    request = Request(
        f"{customer.gateway_url}/api/v5/transactions", data=json.dumps(body).encode(), headers=headers
    )
    with urlopen(request) as answer:
        assert json.load(answer)["state"] == "Approved"


@pytest.fixture
def attack(customer: Customer, make_order: MakeOrder) -> Callable[[], GatewayTransaction]:
    """Pay one hundredth of an order at the gateway, and have the shop look for the payment."""

    def play() -> GatewayTransaction:
        order = make_order(items=(HUNDRED,))
        button = customer.open(order)
        detail = customer.approve(button)
        pay_by_oneself(customer, button, detail, "1.00")
        return customer.post(order, detail).opening

    return play


def test_one_customers_odd_record_freezes_that_payment_and_never_the_shop(
    attack: Callable[[], GatewayTransaction],
    start: Start,
    make_order: MakeOrder,
    pay: Pay,
    context: GatewayContext,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    paid = pay()
    transaction = attack()

    assert transaction.state == S.ANOMALY
    assert Discrepancy.objects.get().kind == "UNIT_MIX_UP"
    assert transaction.payment is not None
    assert PaymentOrder.objects.get(pk=transaction.payment.order_id).state == OrderState.FROZEN
    assert sending_pauses(clock.now()) == ()
    assert "stopped" not in caplog.text
    assert start(make_order()).is_open
    assert refund(payment=paid, context=context, amount=Decimal("1.00")).state == S.APPROVED


def test_the_odd_record_reaches_a_person_all_the_same(
    attack: Callable[[], GatewayTransaction], clock: VirtualClock
) -> None:
    transaction = attack()
    assert "open unit mix-ups, amounts that differ by a factor of ten or more: 1" in problems(clock)
    assert waiting({}, now=clock.now()).anomalies == (transaction,)


@pytest.fixture
def mix_up(open_page: Pay, context: GatewayContext) -> MixUp:
    """Let a status query show the page of a new customer's order, or a given one, as paid a hundredfold."""
    numbers = iter(range(1, 100))

    def see(payment: Payment | None = None) -> GatewayTransaction:
        payment = payment or open_page(cardholder=_customer(next(numbers)))
        odd = answer_of(record(payment.opening, "2000.00"))
        reconcile_attempt(reference=payment.reference, context=scripted(context, odd))
        return GatewayTransaction.objects.get(reference=payment.reference)

    return see


def test_however_often_the_same_odd_record_is_seen_it_stops_nothing(
    mix_up: MixUp, open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    for _ in range(5):
        mix_up(payment)
        clock.advance(seconds=3)
    assert Discrepancy.objects.count() == 1
    assert sending_pauses(clock.now()) == ()


def test_two_odd_records_of_one_order_stop_nothing(
    mix_up: MixUp, open_page: Pay, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    first = open_page()
    clock.advance(seconds=845)
    second = start(first.order)
    assert [mix_up(payment).state for payment in (first, second)] == [S.ANOMALY] * 2
    assert sending_pauses(clock.now()) == ()


# Records of openings: an alarm, and no stop


def _customer(number: int) -> dict[str, str | None]:
    return {"cardholder_email": f"customer-{number}@example.com"}


@pytest.mark.parametrize(("minutes", "alarms"), [(59, 1), (61, 0)], ids=["within the hour", "later"])
def test_a_second_order_within_the_hour_is_an_alarm_and_stops_nothing(
    minutes: int, alarms: int, mix_up: MixUp, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    mix_up()
    clock.advance(minutes=minutes)
    mix_up()
    errors = [one for one in caplog.records if one.levelname == "ERROR" and "2000.00" in one.getMessage()]
    assert len(errors) == alarms
    assert sending_pauses(clock.now()) == ()
    assert "open unit mix-ups, amounts that differ by a factor of ten or more: 2" in problems(clock)


def test_one_that_a_person_has_closed_does_not_count(
    mix_up: MixUp, context: GatewayContext, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    mix_up()
    resolutions.close_discrepancy(
        Discrepancy.objects.get(), reason="one customer's trick", by="anna", context=context
    )
    mix_up()
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


# Records whose reference no browser knows


@pytest.fixture
def own_mix_up(pay: Pay, context: GatewayContext) -> MixUp:
    """Let a status query show a refund of ours as carried out a hundredfold."""

    def see(given: GatewayTransaction | None = None) -> GatewayTransaction:
        row = given or refund(payment=pay(), context=context, amount=Decimal("5.00"))
        return query_and_record(row, context=scripted(context, answer_of(record(row, "500.00"))))

    return see


@pytest.mark.parametrize("state", ["Errored", "Pending", "Quarantined"])
def test_what_is_not_approved_stops_nothing(
    state: str, pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    row = refund(payment=pay(), context=context, amount=Decimal("5.00"))
    odd = answer_of(record(row, "500.00", state=state))
    query_and_record(row, context=scripted(context, odd))
    assert sending_pauses(clock.now()) == ()
    assert not Discrepancy.objects.filter(kind="UNIT_MIX_UP").exists()


def test_a_record_of_an_earlier_providers_payment_is_no_customers_doing(
    deposit_refund: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    refund_of_deposit = deposit_refund.execute()
    odd = answer_of(record(refund_of_deposit, "500.00"))
    clock.advance_to(refund_of_deposit.next_query_at)
    sweep(context=scripted(context, odd))
    assert Discrepancy.objects.get().kind == "UNIT_MIX_UP"
    assert len(sending_pauses(clock.now())) == 1


@pytest.mark.parametrize("by_then", ["the pause is over", "a person has stopped it"])
def test_nobody_hears_that_sending_goes_on_if_closing_the_mix_up_resumes_nothing(
    by_then: str,
    own_mix_up: MixUp,
    context: GatewayContext,
    clock: VirtualClock,
    heard: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    own_mix_up()
    if by_then == "the pause is over":
        clock.advance(minutes=16)
    else:
        emergency_stop.stop_sending(context=context, by="anna", reason="who is wrong?")
    with django_capture_on_commit_callbacks(execute=True):
        for row in Discrepancy.objects.all():
            resolutions.close_discrepancy(row, reason="their test", by="anna", context=context)
    assert heard == []


def test_a_pause_is_an_alarm_and_a_person_who_ends_it_is_named(
    own_mix_up: MixUp,
    context: GatewayContext,
    clock: VirtualClock,
    heard: list[dict[str, Any]],
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        own_mix_up()
    (alarm,) = heard
    assert (alarm["gateway"], alarm["until"], alarm["code"], alarm["by"]) == (
        "default",
        clock.now() + QUARTER,
        "UNIT_MIX_UP",
        "",
    )
    assert alarm["reason"]
    with django_capture_on_commit_callbacks(execute=True):
        for row in Discrepancy.objects.all():
            resolutions.close_discrepancy(row, reason="their test", by="anna", context=context)
    assert [(told["signal"], told["by"]) for told in heard[1:]] == [(signals.sending_resumed, "anna")]


def test_a_refund_of_ours_carried_out_a_hundredfold_stops_all_sending_for_a_quarter_of_an_hour(
    own_mix_up: MixUp,
    make_order: MakeOrder,
    start: Start,
    pay: Pay,
    context: GatewayContext,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    paid = pay()
    own_mix_up()

    (pause,) = sending_pauses(clock.now())
    assert (pause.gateway, pause.by, pause.until) == ("default", "", clock.now() + QUARTER)
    assert "sending to default is stopped for 15 minutes: unit mix-up" in caplog.text
    assert "nothing is sent to default" in problems(clock)
    with pytest.raises(SendingStopped):
        start(make_order())
    with pytest.raises(SendingStopped):
        refund(payment=paid, context=context, amount=Decimal("1.00"))

    clock.advance(minutes=15, seconds=1)
    assert start(make_order()).is_open
    assert refund(payment=paid, context=context, amount=Decimal("1.00")).state == S.APPROVED
    assert "open unit mix-ups, amounts that differ by a factor of ten or more: 1" in problems(clock)


def test_seeing_it_again_does_not_prolong_the_stop(own_mix_up: MixUp, clock: VirtualClock) -> None:
    row = own_mix_up()
    ends = clock.now() + QUARTER
    clock.advance(minutes=10)
    own_mix_up(row)
    (pause,) = sending_pauses(clock.now())
    assert pause.until == ends


def test_another_gateway_goes_on(own_mix_up: MixUp, clock: VirtualClock) -> None:
    own_mix_up()
    assert GatewayPause.objects.get().gateway == "default"
    assert not GatewayPause.objects.filter(GatewayPause.sending_is_paused("other", clock.now())).exists()
