"""A shop's prices become items: by hand for each way to calculate, and for any lines by their properties."""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.payments.errors import ErrorCode, InvalidInput
from wallet_gateway.payments.prices import PriceLine, items_from
from wallet_gateway.protocol.cart import Item, ShoppingCart, build_cart, cart_total
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import TOO_LONG, Money

Rules = dict[str, Any]
NET: Rules = {"prices_include_tax": False}
GROSS: Rules = {"prices_include_tax": True}


def line(price: str, quantity: str = "1", rate: str | None = "19", **given: Any) -> PriceLine:
    return PriceLine(
        product_id="APPLE",
        product_name="Apples",
        price=Decimal(price),
        quantity=Decimal(quantity),
        tax_rate=None if rate is None else Decimal(rate),
        **given,
    )


def shown(items: list[Item]) -> list[tuple[str, int, str, str]]:
    """Name, quantity, unit amount and tax of each item."""
    return [
        (item.product_name, item.quantity, str(item.unit_amount), str(item.total_tax_amount))
        for item in items
    ]


@every(
    ("lines", "rules", "total", "items"),
    [
        # Net prices with tax: both amounts of a unit are exact.
        ([line("10.00", "3")], NET, "35.70", [("Apples", 3, "11.90", "5.70")]),
        # 3 x 3.33 and its tax do not make three equal amounts.
        ([line("3.33", "3")], NET, "11.89", [("3 x Apples", 1, "11.89", "1.90")]),
        # A unit price finer than the currency.
        ([line("0.0425", "100")], GROSS, "4.25", [("100 x Apples", 1, "4.25", "0.68")]),
        ([line("3.3333", "3")], GROSS, "10.00", [("3 x Apples", 1, "10.00", "1.60")]),
        # The quotient of two decimals.
        ([line("8.394957983193277310924369748")], NET, "9.98", [("Apples", 1, "9.98", "1.59")]),
        # A weight.
        ([line("2.99", "1.250", unit="kg")], GROSS, "3.74", [("1.25 kg x Apples", 1, "3.74", "0.60")]),
        ([line("2.99", "2.000", unit="kg")], GROSS, "5.98", [("Apples", 2, "2.99", "0.95")]),
        # More pieces than the interface counts.
        ([line("0.01", "10000")], GROSS, "100.00", [("10000 x Apples", 1, "100.00", "15.97")]),
        # Halves: up, or to the even neighbour.
        ([line("0.125", rate=None)], GROSS, "0.13", [("Apples", 1, "0.13", "None")]),
        (
            [line("0.125", rate=None)],
            GROSS | {"rounding": ROUND_HALF_EVEN},
            "0.12",
            [("Apples", 1, "0.12", "None")],
        ),
        # Tax of each line, and of all lines of one rate: 0.0665 twice is 0.14 or 0.13.
        ([line("0.35"), line("0.35")], NET, "0.84", [("Apples", 1, "0.42", "0.07")] * 2),
        (
            [line("0.35"), line("0.35")],
            NET | {"round_per": "order"},
            "0.83",
            [("Apples", 1, "0.42", "0.07"), ("Apples", 1, "0.41", "0.06")],
        ),
        # The minor unit that is left goes to the line that lost most: 0.095, 0.057 and 0.19 are 0.342.
        (
            [line("0.50"), line("0.30"), line("1.00"), line("1.00", rate="7")],
            NET | {"round_per": "order"},
            "3.21",
            [
                ("Apples", 1, "0.59", "0.09"),
                ("Apples", 1, "0.36", "0.06"),
                ("Apples", 1, "1.19", "0.19"),
                ("Apples", 1, "1.07", "0.07"),
            ],
        ),
        # A gift, and a rate of zero.
        (
            [line("0", "2"), line("5", rate="0")],
            NET,
            "5.00",
            [("Apples", 2, "0.00", "0.00"), ("Apples", 1, "5.00", "0.00")],
        ),
        # The shop's own words for a line that is sent as one piece.
        (
            [line("3.3333", "3", combined_name="Drei Äpfel")],
            GROSS,
            "10.00",
            [("Drei Äpfel", 1, "10.00", "1.60")],
        ),
    ],
)
def test_the_items_are_those_of_pencil_and_paper(
    lines: list[PriceLine], rules: Rules, total: str, items: list[tuple[str, int, str, str]]
) -> None:
    assert shown(items_from(lines, currency="EUR", total=Decimal(total), **rules)) == items


def test_what_the_line_says_of_its_product_is_kept() -> None:
    given = line("1.00", rate="19.000000", product_type="digital", product_description="A file")
    (item,) = items_from([given], currency="EUR", total=Decimal("1.00"), **GROSS)
    assert (item.product_type, item.product_description, str(item.tax_rate)) == ("digital", "A file", "19")


@pytest.mark.django_db
@pytest.mark.every_database
def test_an_order_of_the_items_is_stored_with_the_shops_own_total() -> None:
    def lines() -> Iterator[PriceLine]:
        yield line("2.4900", "1.25", "7", unit="kg")
        yield line("10.00", "3")

    total = Decimal("39.03")  # 3.11 and 0.22 of tax, 30.00 and 5.70
    items = items_from(lines(), currency="EUR", total=total, **NET)
    order = payments.create_order(reference="PRICES", currency="EUR", items=items, amount=total)
    cart = order.content["shoppingCartDetails"]
    assert (order.amount_minor, cart["totalTaxAmount"]) == (3903, "5.92")
    assert [(item["productName"], item["productQuantity"]) for item in cart["itemDetails"]] == [
        ("1.25 kg x Apples", 1),
        ("Apples", 3),
    ]


def test_the_precision_of_the_shops_decimals_does_not_matter() -> None:
    given = line("12345678.91", "3", rate="12.3456")
    expected = items_from([given], currency="EUR", total=Decimal("37037036.73"), **GROSS)
    with decimal.localcontext(decimal.Context(prec=3)):
        assert items_from([given], currency="EUR", total=Decimal("37037036.73"), **GROSS) == expected


def test_a_total_may_be_money_and_must_be_of_the_currency() -> None:
    given = [line("1.00")]
    assert items_from(given, currency="EUR", total=Money(Decimal(1), "EUR"), **GROSS)
    assert refused(given, total=Money(Decimal(1), "USD")) == {"total": "the amount is in USD; give it in EUR"}


def refused(lines: list[PriceLine], rules: Rules = GROSS, **given: Any) -> dict[str, str]:
    """What is wrong, by path."""
    arguments: dict[str, Any] = {"currency": "EUR", "total": Decimal("1.00")} | rules | given
    with pytest.raises(InvalidInput) as caught:
        items_from(lines, **arguments)
    assert caught.value.code is ErrorCode.FIELDS_INVALID
    return {fault.path: fault.message for fault in caught.value.errors}


def test_another_total_is_refused_with_both_amounts_and_the_way_it_was_calculated() -> None:
    assert refused([line("0.35"), line("0.35")], NET, total=Decimal("0.83")) == {
        "total": "is 0.83 EUR, but the lines come to 0.84 EUR (prices without tax, rounded per line, "
        "ROUND_HALF_UP); give the rules by which the shop calculates, or the amounts it has booked as items "
        "of quantity 1"
    }


@every(
    ("changed", "field", "message"),
    [
        ({"price": 1.5}, "price", "a binary floating-point number is not exact; give a Decimal"),
        ({"price": "1.50"}, "price", "'1.50' is no Decimal"),
        ({"price": None}, "price", "None is no Decimal"),
        ({"price": True}, "price", "True is no Decimal"),
        ({"price": Decimal("NaN")}, "price", "'NaN' is no finite number"),
        ({"price": Decimal(-1)}, "price", "is negative; give what is taken off as a Discount of the order"),
        ({"price": Decimal("1e1000000")}, "price", TOO_LONG),
        ({"price": 10**5000}, "price", TOO_LONG),
        ({"price": Decimal("1e-1000000")}, "price", "has more than 30 decimals"),
        ({"price": Decimal(10**13 - 1)}, "price", TOO_LONG),
        ({"quantity": Decimal(0)}, "quantity", "is zero; leave out a line of which nothing is sold"),
        ({"quantity": 0.5}, "quantity", "a binary floating-point number is not exact; give a Decimal"),
        ({"tax_rate": Decimal("7.70001")}, "tax_rate", "'7.70001' is no rate; give a percentage"),
        ({"tax_rate": Decimal(1000)}, "tax_rate", "'1000' is no rate; give a percentage"),
        ({"tax_rate": Decimal(-1)}, "tax_rate", "'-1' is no rate; give a percentage"),
        ({"tax_rate": 0.19}, "tax_rate", "'0.19' is no rate; give a percentage"),
        ({"tax_rate": Decimal("sNaN")}, "tax_rate", "'sNaN' is no rate; give a percentage"),
        ({"tax_rate": 10**5000}, "tax_rate", "a number of many digits is no rate; give a percentage"),
        ({"tax_rate": 1000}, "tax_rate", "1000 is no rate; give a percentage"),
        ({"unit": 5}, "unit", "is of the type int; give a text"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(changed: dict[str, Any], field: str, message: str) -> None:
    found = refused([line("1.00"), replace(line("1.00"), **changed)])
    assert list(found) == [f"lines[1].{field}"]
    assert found[f"lines[1].{field}"].startswith(message)


def test_all_faults_of_all_lines_are_named_at_once_and_what_is_no_line_too() -> None:
    wrong = replace(line("-1", "0"), tax_rate=Decimal("NaN"))
    not_a_line: Any = {"price": "1.00"}
    found = refused([wrong, not_a_line, wrong])
    assert len(found) == 7
    assert found["lines[1]"] == "is of the type dict; give a PriceLine"


@every(
    ("given", "paths"),
    [
        ({"round_per": "unit"}, {"round_per"}),
        ({"rounding": "ROUND_UP"}, {"rounding"}),
        ({"rounding": ["ROUND_HALF_UP"], "round_per": {}}, {"rounding", "round_per"}),
        ({"round_per": "", "rounding": "", "total": 1.0}, {"round_per", "rounding", "total"}),
        ({"currency": "EURO"}, {"currency"}),
        ({"currency": None}, {"currency"}),
        ({"total": Decimal("1.001")}, {"total"}),
    ],
)
def test_a_wrong_rule_is_refused(given: dict[str, Any], paths: set[str]) -> None:
    assert set(refused([line("1.00")], **given)) == paths


# Any lines

RATES = [None, *map(Decimal, ("0", "7", "7.7", "19", "21.2345", "999.9999"))]
LINES = st.lists(
    st.builds(
        PriceLine,
        product_id=st.just("A"),
        product_name=st.sampled_from(["Apples", "Ä"]),
        price=st.decimals(0, 5000, places=4) | st.decimals(0, 100, places=2) | st.decimals(0, 1, places=12),
        quantity=st.integers(1, 12000) | st.decimals("0.001", 100, places=3),
        unit=st.sampled_from(["", "kg"]),
        tax_rate=st.sampled_from(RATES),
    ),
    min_size=1,
    max_size=8,
)
RULES = st.fixed_dictionaries(
    {
        "prices_include_tax": st.booleans(),
        "round_per": st.sampled_from(["line", "order"]),
        "rounding": st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN]),
    }
)
CURRENCIES = st.sampled_from(["EUR", "JPY", "KWD", "CLF"])


class Shop:
    """A shop that calculates by Python's decimals, with nothing of the code that it checks."""

    def __init__(self, lines: list[PriceLine], rules: Rules, currency: str) -> None:
        self.rules, self.step = rules, Decimal(1).scaleb(-currency_exponent(currency))
        self.stated = [self.rounded(each.price * each.quantity) for each in lines]
        taxed = [
            (each.tax_rate, amount) for each, amount in zip(lines, self.stated, strict=True) if each.tax_rate
        ]
        if rules["round_per"] == "order":
            by_rate = groupby(sorted(taxed), key=lambda pair: pair[0])
            taxed = [(rate, sum((amount for _, amount in pairs), Decimal(0))) for rate, pairs in by_rate]
        self.tax = sum((self.tax_of(amount, rate) for rate, amount in taxed), Decimal(0))
        self.total = sum(self.stated, Decimal(0)) + (0 if rules["prices_include_tax"] else self.tax)

    def tax_of(self, amount: Decimal, rate: Decimal) -> Decimal:
        return self.rounded(amount * rate / (100 + rate if self.rules["prices_include_tax"] else 100))

    def rounded(self, amount: Decimal) -> Decimal:
        return amount.quantize(self.step, rounding=self.rules["rounding"])


@given(lines=LINES, rules=RULES, currency=CURRENCIES, off=st.integers(-3, 3).filter(bool))
def test_a_shops_total_and_tax_are_those_of_a_cart_that_keeps_all_rules_and_no_other_total_is_taken(
    lines: list[PriceLine], rules: Rules, currency: str, off: int
) -> None:
    with decimal.localcontext(decimal.Context(prec=60)):
        shop = Shop(lines, rules, currency)
    items = items_from(lines, currency=currency, total=shop.total, **rules)
    cart = build_cart(currency=currency, items=items)
    # As the other party reads it, with every sum done again.
    assert ShoppingCart.from_wire(cart.to_wire()) == cart
    assert cart_total(cart, currency).amount == shop.total
    assert Decimal(cart.total_tax_amount or 0) == shop.tax

    with decimal.localcontext(decimal.Context(prec=60)):
        # No line is further from its exact amount than rounding takes it.
        for given_line, stated, item in zip(lines, shop.stated, items, strict=True):
            gross, tax = item.unit_amount * item.quantity, item.total_tax_amount or Decimal(0)
            assert (gross if rules["prices_include_tax"] else gross - tax) == stated
            rate = given_line.tax_rate or Decimal(0)
            exact = stated * rate / (100 + rate if rules["prices_include_tax"] else 100)
            assert abs(tax - exact) < shop.step
            assert tax <= gross
        wrong = shop.total + off * shop.step
    assert set(refused(lines, rules, currency=currency, total=wrong)) == {"total"}
