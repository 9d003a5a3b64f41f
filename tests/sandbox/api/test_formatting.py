"""The form of answers: letter case of every name, amounts as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def names_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


@pytest.mark.parametrize(
    ("letter_case", "pattern"),
    [("canonical", r"[a-z][A-Za-z0-9]*"), ("pascal", r"[A-Z][A-Za-z0-9]*"), ("lower", r"[a-z0-9]+")],
)
def test_every_name_of_every_answer_is_in_the_letter_case_asked_for(
    merchant: Merchant, control: SandboxControl, reserved: str, deposit: str, letter_case: str, pattern: str
) -> None:
    control.behaviour(letter_case=letter_case)
    answers = [
        merchant.checkout(new_reference()),
        merchant.capture(new_reference(), reserved),
        merchant.detached(new_reference(), deposit),
        merchant.status(reserved),
        merchant.refund(new_reference(), "unknown"),
        merchant.send("GET", "/api/v5/nowhere"),
    ]
    names = [name for answer in answers for name in names_in(answer.json)]
    assert len(names) > 40
    assert [name for name in names if not re.fullmatch(pattern, name)] == []


def test_the_value_is_the_same_in_any_letter_case(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    canonical = merchant.record(sale)
    control.behaviour(letter_case="pascal")
    pascal = merchant.record(sale)
    assert pascal["ApmDetails"]["ApmName"] == canonical["apmDetails"]["apmName"]
    control.behaviour(letter_case="lower")
    assert merchant.record(sale)["transactiondatetime"] == canonical["transactionDateTime"]


def test_the_shape_of_the_control_interface_stays(control: SandboxControl) -> None:
    assert "letterCase" in control.behaviour(letter_case="pascal")


@pytest.mark.parametrize(("numeric", "amount"), [(False, b'"amount":"12.50"'), (True, b'"amount":12.50')])
def test_a_text_amount_becomes_a_number_where_asked_for(
    merchant: Merchant, control: SandboxControl, deposit: str, numeric: bool, amount: bytes
) -> None:
    control.behaviour(numeric_amounts=numeric)
    assert amount in merchant.detached(new_reference(), deposit, "12.50").body


@pytest.mark.parametrize("letter_case", ["pascal", "lower"])
def test_both_at_once(merchant: Merchant, control: SandboxControl, deposit: str, letter_case: str) -> None:
    control.behaviour(numeric_amounts=True, letter_case=letter_case)
    body = merchant.detached(new_reference(), deposit, "12.50").body
    assert b'"amount":12.50' in body.lower()
