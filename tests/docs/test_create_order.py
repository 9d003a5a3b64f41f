"""The page on creating an order names each parameter of each part, and where it goes."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest

from tests.docs.pages import ROOT
from wallet_gateway import payments
from wallet_gateway.protocol.cart_messages import DiscountDetail, ItemDetail, ShippingDetail
from wallet_gateway.protocol.endpoints import MESSAGES

PAGE = (ROOT / "docs" / "reference" / "create-order.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """The rows of the table below a heading, by the names in their first column."""
    (part,) = [part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE) if part.startswith(heading)]
    table = re.findall(r"^\| (`.+?) \|(.+)\|$", part, flags=re.MULTILINE)
    return {name: rest for names, rest in table for name in re.findall(r"`(\w+)`", names)}


def test_each_parameter_has_its_row() -> None:
    assert list(rows("The order")) == list(inspect.signature(payments.create_order).parameters)


def names(part: type) -> set[str]:
    return {field.name for field in dataclasses.fields(part)}


@pytest.mark.parametrize("part", [payments.Item, payments.Shipping, payments.Discount])
def test_each_field_of_a_part_has_its_row(part: type) -> None:
    assert set(rows(f"`{part.__name__}`")) == names(part)


def test_each_field_of_an_address_is_named() -> None:
    assert set(rows("`BillingAddress`")) == names(payments.BillingAddress)
    shipping = next(part for part in PAGE.split("## ") if part.startswith("`ShippingAddress`"))
    assert names(payments.ShippingAddress) <= set(re.findall(r"`(\w+)`", shipping))


@pytest.mark.parametrize(
    ("heading", "message"),
    [("`Item`", ItemDetail), ("`Shipping`", ShippingDetail), ("`Discount`", DiscountDetail)],
)
def test_a_field_is_sent_under_a_name_of_the_interface(heading: str, message: type) -> None:
    sent = {re.findall(r"`(\w+)`", rest)[-1] for rest in rows(heading).values()}
    names = {field.alias for field in message.model_fields.values()}  # type: ignore[attr-defined]
    assert sent - names == set()


def test_a_parameter_is_sent_under_a_name_of_the_interface() -> None:
    known = set(re.findall(r"'(\w+)': {", str(MESSAGES["CheckoutRequest"].model_json_schema(by_alias=True))))
    columns = [row.split("|")[-1].strip() for row in rows("The order").values()]
    sent = {name for column in columns for name in re.findall(r"^`([\w.]+)`$", column)}
    assert len(sent) > 10
    assert {part for name in sent for part in name.split(".")} - known == set()
