"""A row in memory made of columns is as one that the constructor made and `save` stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.models.test_prepared_sql import NOON, columns_of
from tests.tables import every
from wallet_gateway.models import GatewayTransaction, OrderMetadata, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.models.stored_rows import new_row, stored_row

if TYPE_CHECKING:
    from django.db import models


@every(
    ("model", "columns"),
    [
        (PaymentOrder, {"id": 7, "reference": "A", "token": "t", "content": {"a": 1}, "created_at": NOON}),
        (Payment, {"id": 7, "order_id": 3, "number": 1}),
        (GatewayTransaction, {"id": 7, "payment_id": 3, "state": "SENDING", "expires_at": None}),
        (TransactionEvent, {"id": 7, "transaction_id": 3, "explanation_params": {"said": "x"}}),
        (OrderMetadata, {"id": 7, "order_id": 3, "key": "k"}),
    ],
)
def test_all_columns_are_as_the_constructor_sets_them(
    model: type[models.Model], columns: dict[str, Any]
) -> None:
    row, expected = stored_row(model, "default", columns), model(**columns)

    assert row == expected
    assert columns_of(row) == columns_of(expected)
    assert not row.get_deferred_fields()
    assert (row._state.adding, row._state.db) == (False, "default")


def test_a_new_row_is_to_be_inserted() -> None:
    row = new_row(Payment, {"number": 1})
    assert columns_of(row) == columns_of(Payment(number=1))
    assert row._state.adding
    assert row._state.db is None


def test_no_two_rows_share_a_default_that_can_be_changed() -> None:
    first, second = (stored_row(PaymentOrder, "default", {"id": key}) for key in (1, 2))
    first.content["a"] = 1
    assert second.content == {}
    assert first.token != second.token


def test_a_row_to_which_it_belongs_can_be_set() -> None:
    payment = stored_row(Payment, "default", {"id": 7})
    payment.order = PaymentOrder(pk=3)
    assert payment.order_id == 3
