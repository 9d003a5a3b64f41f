"""Worked examples of carts in three currencies, and that the wallet comes to the same sums."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from example_project.shop.cart import CartLine
from example_project.shop.models import DiscountCode, Order, Product, ShippingMethod
from example_project.shop.ordering import place_order
from example_project.shop.preferences import CheckoutAnswers
from example_project.shop.pricing import Quote, price_cart
from example_project.shop.sheet_pricing import price_sheet
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.payments.wallet import SheetPricing, SheetQuestion

if TYPE_CHECKING:
    from tests.example_project.conftest import Visitor

pytestmark = pytest.mark.usefixtures("catalogue")

# Two mugs and a bag of coffee by post. Each row: goods, discount, credit, tax inside, total.
WORKED = [
    ("EUR", "", ("61.90", "0.00", "0.00", "9.35", "66.80")),
    ("EUR", "LARK10", ("61.90", "6.19", "0.00", "8.49", "60.61")),
    ("EUR", "THANKYOU", ("61.90", "0.00", "5.00", "9.35", "61.80")),
    ("JPY", "", ("10100", "0", "0", "953", "10900")),
    ("JPY", "LARK10", ("10100", "1010", "0", "865", "9890")),
    ("JPY", "THANKYOU", ("10100", "0", "800", "953", "10100")),
    ("KWD", "", ("21.250", "0.000", "0.000", "1.095", "23.000")),
    ("KWD", "LARK10", ("21.250", "2.125", "0.000", "0.993", "20.875")),
    ("KWD", "THANKYOU", ("21.250", "0.000", "1.750", "1.095", "21.250")),
]
IDS = [f"{currency}-{code or 'plain'}" for currency, code, _ in WORKED]

BILLING = {
    "email": "robin@example.com",
    "first_name": "Robin",
    "last_name": "Wren",
    "phone": "49-1512345678",
    "street": "Lerchenweg",
    "house_number": "7",
    "zip_postal_code": "20095",
    "city": "Hamburg",
    "country_code": "DEU",
    "state": "DE-HH",
}


def lines(**quantities: int) -> list[CartLine]:
    return [
        CartLine(product=Product.objects.get(slug=slug.replace("_", "-")), quantity=quantity)
        for slug, quantity in quantities.items()
    ]


def quote(currency: str, code: str = "", *, shipping: str = "post", **quantities: int) -> Quote:
    return price_cart(
        lines(**(quantities or {"harbour_mug": 2, "first_light": 1})),
        currency,
        shipping_method=ShippingMethod.objects.get(code=shipping),
        code=DiscountCode.objects.filter(code=code).first(),
    )


@every(("currency", "code", "sums"), WORKED, ids=IDS)
def test_a_worked_example_comes_out_to_the_cent_in_the_shop_and_in_the_wallet(
    currency: str, code: str, sums: tuple[str, ...]
) -> None:
    priced = quote(currency, code)

    shown = (priced.goods, priced.discount, priced.credit, priced.tax, priced.total)
    assert shown == tuple(map(Decimal, sums))
    assert str(priced.total) == sums[-1], "the total is written with the currency's own decimals"
    answers = CheckoutAnswers(address={"billing": BILLING, "parcel": {}}, code=code)
    wallet_order = payments.get_order(place_order(priced, answers, language="en").number)
    assert wallet_order.amount == payments.Money(Decimal(sums[-1]), currency)
    assert wallet_order.cart is not None
    assert wallet_order.cart["totalTaxAmount"] == sums[3]


def test_what_is_not_sent_costs_no_shipping_and_a_credit_that_would_leave_nothing_to_pay_is_kept() -> None:
    priced = quote("EUR", brewing_by_hand=1, gift_card=1)
    assert (priced.needs_shipping, priced.shipping_method, priced.total) == (False, None, Decimal("59.50"))

    DiscountCode.objects.filter(code="THANKYOU").update(credits={"EUR": 950})
    priced = quote("EUR", "THANKYOU", brewing_by_hand=1)
    assert priced.code_is_too_big
    assert (priced.code, priced.credit, priced.total) == (None, Decimal(0), Decimal("9.50"))


def test_a_piece_made_to_order_makes_the_whole_order_a_reservation() -> None:
    answers = CheckoutAnswers(address={"billing": BILLING, "parcel": {}})
    order = place_order(quote("EUR", hearth_teapot=1, harbour_mug=1), answers, language="en")

    assert payments.get_order(order.number).type == "preauthorization"


# What the wallet's sheet asks; a whole sheet is priced in journeys/test_paying_with_the_wallet.py


def test_the_sheet_refuses_a_second_code_and_has_no_price_for_an_order_of_somebody_else(
    visitor: Visitor,
) -> None:
    def ask(order: Order, *offers: str) -> SheetPricing:
        return price_sheet(SheetQuestion(order=payments.get_order(order.number), offers=offers))

    order = visitor.order()
    assert ask(order).options == (), "the panel asks for no address"
    for codes in (("SWALLOW",), ("LARK10", "THANKYOU")):
        (fault,) = ask(order, *codes).errors
        assert (fault.intent, fault.reason, bool(fault.message)) == ("OFFER", "OFFER_INVALID", True)
    assert ask(visitor.order(code="LARK10"), "THANKYOU").errors
    elsewhere = payments.create_order(reference="elsewhere", currency="EUR", amount=Decimal(1))
    assert price_sheet(SheetQuestion(order=elsewhere, offers=("LARK10",))) == SheetPricing()
