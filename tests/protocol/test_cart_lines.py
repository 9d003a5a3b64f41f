"""Lines made of a shop's items are lines that a received cart may have."""

from __future__ import annotations

from decimal import Decimal, localcontext

from hypothesis import given, settings
from hypothesis import strategies as st

from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item, Lines, make_lines
from wallet_gateway.protocol.cart_messages import ItemDetail, ShoppingCart
from wallet_gateway.protocol.errors import FieldError, InvalidMessage


def lines_of(*items: Item, faults: list[FieldError] | None = None) -> Lines:
    return make_lines(items, 2, [] if faults is None else faults)


PLAIN = Item(product_id="A", product_name="Thing", unit_amount=Decimal("2.50"), quantity=4)
TAXED = Item(
    product_id="B",
    product_name="Book",
    unit_amount=Decimal("10.70"),
    unit_tax_amount=Decimal("0.70"),
    tax_rate=Decimal(7),
)


def test_sums_are_exact_in_whatever_decimal_context_a_shop_computes() -> None:
    dear = Item(product_id="C", product_name="Car", unit_amount=Decimal("123456789.01"), quantity=9999)
    with localcontext(prec=3):
        lines = lines_of(dear, TAXED)
    assert (lines.total, lines.tax) == (123444443331099 + 1070, 70)


AMOUNT = st.decimals(min_value=0, max_value=5000, places=2)
RATE = st.sampled_from([Decimal(0), Decimal("7.7"), Decimal(19), Decimal("8.875")])
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)


@st.composite
def items(draw: st.DrawFn) -> Item:
    """An item a shop could sell, with or without discount and tax in each way they may be given."""
    quantity = draw(st.integers(min_value=1, max_value=9999))
    unit = draw(AMOUNT)
    taxed, discounted = draw(st.booleans()), draw(st.booleans())
    stated = draw(st.booleans())
    return Item(
        product_id=draw(WORDS),
        product_name=draw(WORDS),
        product_description=draw(st.none() | st.text(st.characters(codec="utf-8"), max_size=5)),
        product_type=draw(st.none() | st.sampled_from(["physical", "Digital", "giftCard", "SURCHARGE"])),
        quantity=quantity,
        unit_amount=unit,
        unit_tax_amount=draw(st.decimals(min_value=0, max_value=unit, places=2)) if taxed else None,
        tax_rate=draw(RATE) if taxed else None,
        total_tax_amount=draw(AMOUNT) if taxed and stated else None,
        discount_amount=draw(st.decimals(min_value=0, max_value=unit, places=2)) if discounted else None,
        discount_name=draw(WORDS) if discounted else None,
        discount_tax_amount=Decimal(0) if taxed and discounted else None,
    )


@settings(max_examples=200)
@given(order=st.lists(items(), max_size=6))
def test_a_built_cart_passes_the_check_of_one_that_was_received(order: list[Item]) -> None:
    built = build_cart(currency="EUR", items=order)
    received = ShoppingCart.from_wire(built.to_wire())
    assert received.to_json() == built.to_json()
    assert received.sums.total == built.sums.total
    assert received.item_details == built.item_details or not order


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=3)
    | st.binary(max_size=3)
)


@settings(max_examples=200)
@given(values=st.fixed_dictionaries(dict.fromkeys(Item.__dataclass_fields__, ANYTHING)))
def test_any_item_is_a_right_line_or_an_invalid_message(values: dict[str, object]) -> None:
    item = Item(**values)  # type: ignore[arg-type]
    try:
        built = build_cart(currency="EUR", items=[PLAIN, item])
    except InvalidMessage:
        return
    assert ShoppingCart.from_wire(built.to_wire()).to_json() == built.to_json()


def first_line() -> ItemDetail:
    return lines_of(TAXED).details[0]


def test_a_line_is_a_message_like_any_other() -> None:
    line = first_line()
    same = ItemDetail.from_wire(line.to_wire())
    assert line == same
    assert repr(line) == repr(same)
    assert line.to_json() == same.to_json()
    assert hash(line) == hash(same)
    assert line.model_dump() == same.model_dump()
    assert line.model_fields_set == set(ItemDetail.model_fields)
    assert lines_of().details == ()
