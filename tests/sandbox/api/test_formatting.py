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


@pytest.mark.parametrize(("numeric", "amount"), [(False, b'"amount":"12.50"'), (True, b'"amount":12.50')])
def test_a_text_amount_becomes_a_number_where_asked_for(
    merchant: Merchant, control: SandboxControl, deposit: str, numeric: bool, amount: bytes
) -> None:
    control.behaviour(numeric_amounts=numeric)
    assert amount in merchant.detached(new_reference(), deposit, "12.50").body
