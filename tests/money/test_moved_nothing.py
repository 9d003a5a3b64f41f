"""A record that moved nothing decides nothing about money; a pending one of another amount only waits."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import ZERO, Answer, answering, record, refusing
from tests.support.shop import (
    OPERATIONS,
    Shop,
    compared,
    differences_by_comparison,
    kinds,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
)
from wallet_gateway import payments
from wallet_gateway.models import Payment

pytestmark = pytest.mark.django_db

_WITHOUT = object()
ODD: dict[str, dict[str, Any]] = {
    "nothing odd": {},
    "amount 0": {"transactionAmount": 0},
    "amount null": {"transactionAmount": None},
    "no amount": {"transactionAmount": _WITHOUT},
    "amount in minor units": {"transactionAmount": 3000},
    "amount below zero": {"transactionAmount": -30},
    "another currency": {"currencyCode": "JPY"},
    "no currency": {"currencyCode": _WITHOUT},
    "id of 200 characters": {"id": "x" * 200},
    "id of zeros": {"id": ZERO},
    "all of it": {"transactionAmount": None, "currencyCode": None, "id": ""},
}
some_odd_errored = pytest.mark.parametrize(
    "odd",
    [pytest.param(ODD[name], id=name) for name in ("amount in minor units", "another currency", "all of it")],
)
odd_errored = pytest.mark.parametrize("odd", [pytest.param(fields, id=name) for name, fields in ODD.items()])


def _errored(reference: str, odd: dict[str, Any], **fields: Any) -> dict[str, Any]:
    written = record(reference, id="R-declined", state="Errored") | fields | odd
    return {name: value for name, value in written.items() if value is not _WITHOUT}


def _nothing_is_wrong(payment: Payment) -> None:
    assert not reloaded(payment).is_frozen
    assert not open_differences()
    assert compared().splitlines()[-2] == "Differences: none."
    assert not any(differences_by_comparison().values())


@odd_errored
def test_a_declined_card_is_an_ordinary_refusal_and_the_order_payable_again(
    odd: dict[str, Any], shop: Shop, heard: list[str]
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, _errored(payment.reference, odd))
    assert state(payment) == ("FAILED", True)
    _nothing_is_wrong(payment)
    payments.maintenance.deliver_events()
    assert heard == ["order_failed"]
    assert payments.start_checkout(order_of(payment)).reference != payment.reference


@some_odd_errored
def test_beside_an_approval_it_is_a_paid_order_whichever_comes_first(
    odd: dict[str, Any], shop: Shop, heard: list[str]
) -> None:
    last, first, later = shop.begin(), shop.begin(), shop.begin()
    assert shop.report_and_ask(later, _errored(later.reference, odd)).state == "FAILED"
    for payment in (last, later):
        shop.report(payment, _errored(payment.reference, odd), record(payment.reference))
    shop.report(first, record(first.reference), _errored(first.reference, odd))
    for payment in (last, first, later):
        shop.ask(payment)
        assert state(payment) == ("PAID", False)
    for payment in (last, first, later):
        _nothing_is_wrong(payment)
    payments.maintenance.deliver_events()
    assert heard == ["order_failed", *["order_paid"] * 3]


@some_odd_errored
def test_it_changes_nothing_of_an_order_that_is_paid(odd: dict[str, Any], shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.records[payment.reference].append(_errored(payment.reference, odd))
    shop.ask(payment)
    shop.days(1)
    assert state(payment) == ("PAID", False)
    _nothing_is_wrong(payment)


@some_odd_errored
def test_a_card_declined_at_the_button_changes_nothing_of_the_page_that_was_paid(
    odd: dict[str, Any], shop: Shop
) -> None:
    order = shop.order()
    shop.gateway.answers.append(refusing(402))
    declined = shop.press_button(order)
    assert payments.wallet.outcome(declined) == "DECLINED"
    page = payments.start_checkout(order_of(declined))
    shop.report_and_ask(page, record(page.reference))
    assert state(page) == ("PAID", False)

    shop.report(declined, _errored(declined.reference, odd))
    shop.ask(page)
    assert state(page) == ("PAID", False)
    _nothing_is_wrong(declined)


@pytest.mark.parametrize(
    ("answer", "odd"),
    [(refusing(400), ODD["amount in minor units"]), (answering(state="Errored"), ODD["all of it"])],
    ids=["error body", "Errored"],
)
def test_a_refused_refund_freezes_nothing_and_can_be_tried_again(
    answer: Answer, odd: dict[str, Any], shop: Shop
) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(answer)
    refused = payments.refund(order_of(payment), Decimal("10.00"))
    assert refused.state == "REJECTED"
    errored = {"type": "ecom.refund", "transactionAmount": 10.00}
    shop.report(refused, _errored(refused.reference, odd, **errored))
    shop.days(1)
    assert reloaded(refused).state == "REJECTED"
    _nothing_is_wrong(payment)
    assert payments.refund(order_of(payment), Decimal("30.00")).state == "APPROVED"


@pytest.mark.parametrize(
    ("kind", "odd"), [("CAPTURE", ODD["another currency"]), ("REVERSAL", ODD["all of it"])]
)
def test_an_errored_record_ends_a_follow_up_whose_answer_was_lost(
    kind: str, odd: dict[str, Any], shop: Shop
) -> None:
    payment = shop.pay_for(kind)
    lost = shop.lose_answer(OPERATIONS[kind], order_of(payment))
    shop.report(lost, _errored(lost.reference, odd, type=of(lost)["type"]))
    shop.ask(payment)
    assert reloaded(lost).state == "REJECTED"
    _nothing_is_wrong(payment)


# Pending


PENDING_ODD = [
    pytest.param({"transactionAmount": 17}, id="another amount"),
    pytest.param({"transactionAmount": 0}, id="amount 0"),
    pytest.param({"transactionAmount": 3000}, id="amount in minor units"),
]


@pytest.mark.parametrize("odd", PENDING_ODD)
def test_a_pending_record_of_another_amount_holds_and_is_noted_until_its_own_approval_decides(
    odd: dict[str, Any], shop: Shop, heard: list[str]
) -> None:
    both = [shop.begin() for _ in range(2)]
    for payment in both:
        shop.report_and_ask(payment, record(payment.reference, state="Pending", **odd))
        assert state(payment) == ("PENDING", False)
        assert not reloaded(payment).is_frozen
        assert payment.opening.next_query_at is not None
        entries = payments.orders.order_timeline(order_of(payment), everything=True)
        amount = f"{odd['transactionAmount']:g}"
        assert any(amount in f"{entry.text} {entry.detail}" for entry in entries)
    assert not payments.maintenance.sending_pauses()

    as_requested, odd_still = both
    shop.report(as_requested, record(as_requested.reference))
    shop.report(odd_still, record(odd_still.reference, **odd))
    for payment in both:
        shop.ask(payment)
    payments.maintenance.deliver_events()
    assert (state(as_requested), heard.count("order_paid")) == (("PAID", False), 1)
    assert state(odd_still) == ("FROZEN", False)
    assert kinds(odd_still) & {"AMOUNT_DIFFERS", "UNIT_MIX_UP"}


# References that are shared


@pytest.mark.parametrize(
    ("under_original", "after"),
    [
        pytest.param(True, "UNKNOWN", id="under the original's reference it ends nothing"),
        pytest.param(False, "REJECTED", id="under its own reference it is the refusal"),
    ],
)
@some_odd_errored
def test_an_errored_refund_where_references_are_shared(
    odd: dict[str, Any], under_original: bool, after: str, shop: Shop
) -> None:
    shop.configure(SHARES_REFERENCES=True)
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("10.00"))
    errored = {"id": "R-9", "type": "ecom.refund", "transactionAmount": 10.00}
    place = payment.reference if under_original else lost.reference
    shop.gateway.records[place].append(_errored(place, odd, **errored))
    shop.days(1)
    assert reloaded(lost).state == after
    assert not open_differences()
