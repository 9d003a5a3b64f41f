"""The price on the sheet: one for sheet, snapshot and charge, whatever is priced or answered meanwhile."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.money.wallet.customers import Customer, WalletGateway, detail_for, refused
from tests.money.wallet.hooks import PRICING, Hooks, by_country
from tests.support.gateway import answering
from tests.support.shop import PRICE
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.payments.wallet import SheetDiscount, SheetPricing, SheetQuestion, ShippingOption

pytestmark = pytest.mark.django_db


@pytest.fixture
def priced(customer: Customer, hooks: Hooks) -> Customer:
    """A customer of a shop that prices its sheets: see `by_country`."""
    customer.configure(PRICING=PRICING)
    return customer


def amounts(gateway: WalletGateway) -> list[str]:
    return [sent["amount"] for sent in gateway.sent]


def to(country: str) -> dict[str, Any]:
    """Return the part of a result that says where a parcel goes."""
    return {"shippingAddress": {"countryCode": country}}


def test_without_pricing_the_sheet_shows_the_order_and_keeps_nothing_of_what_is_chosen(
    customer: Customer,
) -> None:
    mug = payments.Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("15.00"), quantity=2)
    for given, line in (
        ({"order_number": "No. 7"}, ("No. 7", "SUBTOTAL", "30.00")),
        ({"amount": None, "items": [mug]}, ("Mug", "LINE_ITEM", "30.00")),
    ):
        order = customer.order(**given)
        button = customer.open(order)
        before = WalletAttempt.objects.latest("pk").price
        price = customer.price(order, button.reference, "FR", "std", "WELCOME")
        assert (price.total.to_wire(), price.display_items) == ("30.00", (line,))
        assert WalletAttempt.objects.latest("pk").price == before | {"number": 1}


def test_what_is_chosen_on_the_sheet_is_shown_charged_and_on_the_receipt(priced: Customer) -> None:
    order = priced.order(order_number="No. 7")
    button = priced.open(order)
    assert button.parameters["amount"] == "35.00"
    price = priced.price(order, button.reference, "NZ", "fast", "TEN", "WRONG")
    assert (price.total.to_wire(), price.selected_option, price.offers) == (
        "29.00",
        "fast",
        (("TEN", "Ten"),),
    )
    lines = (("No. 7", "30.00"), ("Fast", "9.00"), ("Ten", "-10.00"))
    assert tuple((label, amount) for label, _, amount in price.display_items) == lines

    payment = priced.post(order, detail_for(button.reference, **to("NZ")))

    assert (amounts(priced.gateway), payment.authorized) == (["29.00"], 2900)
    assert (payment.order.state, payment.order.amount_minor) == ("PAID", 3000)
    receipt = payments.wallet.receipt(order)
    assert receipt is not None
    assert receipt.amount.to_wire() == "29.00"
    assert receipt.lines == tuple((label, Decimal(amount)) for label, amount in lines)
    assert receipt.shipping_address == {"countryCode": "NZ"}


def test_a_fault_is_shown_and_the_price_before_it_is_remembered(priced: Customer) -> None:
    order = priced.order()
    button = priced.open(order)
    priced.price(order, button.reference, "DE", "fast")
    (fault,) = priced.price(order, button.reference, "AQ", "std").errors
    assert fault.reason == "SHIPPING_ADDRESS_UNSERVICEABLE"
    price = WalletAttempt.objects.get().price
    assert (price["total"], price["option"]) == (3900, "fast")


def _options(**given: Any) -> SheetPricing:
    return SheetPricing(options=(ShippingOption(**{"id": "a", "label": "A"} | given),))


BAD: list[tuple[Any, str]] = [
    (None, "NoneType, not SheetPricing"),
    ({"options": []}, "dict, not SheetPricing"),
    (_options(amount=5), "int, not Decimal"),
    (_options(amount=Decimal("-1")), "not valid"),
    (_options(amount=Decimal("1.005")), "not valid"),
    (_options(amount=Decimal("NaN")), "not valid"),
    (SheetPricing(discounts=(SheetDiscount(label="All", amount=PRICE),)), "nothing to pay"),
    (SheetPricing(discounts=(SheetDiscount(label="More", amount=Decimal("99.00")),)), "nothing to pay"),
]


@every(("answer", "says"), BAD)
def test_an_answer_that_is_no_price_is_the_shops_fault_and_is_said(
    priced: Customer,
    hooks: Hooks,
    answer: Any,  # noqa: ANN401  whatever a shop's function returns
    says: str,
) -> None:
    hooks.price = lambda _: answer
    with refused("pricing_invalid", says=says):
        priced.open(priced.order())


def test_options_that_come_with_an_address_are_refused_without_their_callback(
    priced: Customer, hooks: Hooks
) -> None:
    hooks.price = lambda asked: by_country(asked) if asked.shipping_address else SheetPricing()
    priced.configure(PRICING=PRICING, CALLBACKS=["SHIPPING_ADDRESS"])
    order = priced.order()
    button = priced.open(order)
    before = WalletAttempt.objects.get().price
    with refused("pricing_invalid"):
        priced.price(order, button.reference, "DE")
    assert WalletAttempt.objects.get().price == before


def test_two_open_sheets_never_price_over_each_other(priced: Customer) -> None:
    order = priced.order()
    one, other = priced.open(order).reference, priced.open(order).reference
    assert one != other
    priced.price(order, other, "", "fast")
    priced.gateway.answers.append(answering(state="Errored"))
    priced.post(order, detail_for(one))
    # Another card goes on with the choices of its own sheet, whatever the other one shows.
    following = priced.another_card(order, one)
    totals = WalletAttempt.objects.order_by("pk").values_list("transaction__reference", "price__total")
    assert list(totals) == [(one, 3500), (other, 3900), (following, 3500)]
    with refused("wallet_session_unknown"):
        priced.elsewhere("another browser").another_card(order, one)


# What has changed since the sheet showed it


@pytest.mark.parametrize("now", ["4.99", "5.01"])
def test_a_price_that_has_changed_since_the_sheet_showed_it_is_not_charged(
    now: str, priced: Customer, hooks: Hooks
) -> None:
    order = priced.order()
    detail = detail_for(priced.open(order).reference)
    hooks.price = lambda _: _options(id="std", amount=Decimal(now))
    with refused("price_changed"):
        priced.post(order, detail)
    assert (priced.gateway.sent, PaymentOrder.objects.get().is_payable) == ([], True)
    hooks.price = by_country
    assert priced.post(order, detail).authorized == 3500


def test_an_address_that_costs_more_or_is_not_sent_to_is_not_charged(priced: Customer) -> None:
    for country in ("NZ", "AQ"):
        order = priced.order()
        with refused("price_changed"):
            priced.pay(order, **to(country))
    assert priced.gateway.sent == []


def test_a_price_for_one_address_is_not_paid_for_a_parcel_that_the_page_says_nothing_of(
    priced: Customer,
) -> None:
    priced.configure(PRICING=PRICING, SHIPPING={"ADDRESS": True, "COUNTRIES": ["DE", "NZ"]})
    order = priced.order()
    detail = detail_for(priced.open(order).reference)
    for spoilt in ({}, {"shippingAddress": {"name": "Ada"}}, to("AQ")):
        with refused("fields_invalid", says="shippingAddress"):
            priced.post(order, detail | spoilt)
    assert priced.gateway.sent == []
    assert priced.post(order, detail | to("DE")).order.state == "PAID"


def test_another_card_is_charged_what_the_sheet_showed_after_the_first_one(priced: Customer) -> None:
    order = priced.order()
    button = priced.open(order)
    priced.gateway.answers.append(answering(state="Errored"))
    priced.post(order, detail_for(button.reference))
    priced.price(order, button.reference, "NZ")
    priced.post(order, detail_for(priced.another_card(order)))
    assert amounts(priced.gateway) == ["35.00", "45.00"]


def test_what_is_priced_while_a_card_is_being_charged_changes_neither_its_amount_nor_what_is_on_record(
    priced: Customer,
) -> None:
    order = priced.order()
    button = priced.open(order)
    detail = detail_for(button.reference, **to("DE"))

    def sail_away() -> None:
        priced.price(order, button.reference, "NZ")
        with refused("fields_invalid", says="another result"):
            priced.post(order, detail | to("NZ"))

    priced.meanwhile(sail_away)
    payment = priced.post(order, detail)

    assert (payment.authorized, payment.order.state) == (3500, "PAID")
    receipt = payments.wallet.receipt(order)
    assert receipt is not None
    assert (receipt.amount.to_wire(), receipt.shipping_address) == ("35.00", {"countryCode": "DE"})
    assert WalletAttempt.objects.get().price["address"] is None


@pytest.mark.every_database
@pytest.mark.parametrize("has_declined", [False, True])
def test_a_price_that_comes_late_is_not_stored_over_the_one_that_the_sheet_shows(
    priced: Customer, hooks: Hooks, has_declined: bool
) -> None:
    order = priced.order()
    button = priced.open(order)
    if has_declined:
        priced.gateway.answers.append(answering(state="Errored"))
        priced.post(order, detail_for(button.reference))

    def slow(question: SheetQuestion) -> SheetPricing:
        hooks.price = by_country
        priced.price(order, button.reference, "DE", "fast")
        return by_country(question)

    hooks.price = slow
    with refused("wallet_unavailable", says="at the same time"):
        priced.price(order, button.reference, "NZ")
    sheet = priced.another_card(order, button.reference)
    priced.post(order, detail_for(sheet))
    assert amounts(priced.gateway)[-1] == "39.00"
