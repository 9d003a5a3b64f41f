"""The page on the models names what there is, and every state."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder

PAGE = (ROOT / "docs" / "reference" / "models.md").read_text(encoding="utf-8")


def names(part: str) -> set[str]:
    first_columns = re.findall(r"^\| (`.+?) \|", part, flags=re.MULTILINE)
    return {name for column in first_columns for name in re.findall(r"`(\w+)`", column)}


def chapter(heading: str) -> str:
    (found,) = [part for part in PAGE.split("\n## ") if part.startswith(heading)]
    return found


@pytest.mark.parametrize("model", [PaymentOrder, Payment, GatewayTransaction])
def test_a_name_of_a_model_is_there(model: type) -> None:
    listed = names(chapter(f"`{model.__name__}`"))
    assert len(listed) > 10
    assert {name for name in listed if not hasattr(model, name)} == set()


def test_every_property_of_an_order_and_of_a_payment_is_named() -> None:
    internal = {"totals"}
    for model in (PaymentOrder, Payment):
        properties = {name for name, value in vars(model).items() if isinstance(value, property)}
        assert properties - names(chapter(f"`{model.__name__}`")) <= internal


def test_every_state_is_explained() -> None:
    of_orders, of_transactions = chapter("States").split("Of a transaction:")
    assert names(of_orders) == set(OrderState)
    assert set(PaymentState) <= names(of_orders) | {"OFFERED"}
    assert names(of_transactions) == set(TransactionState)
