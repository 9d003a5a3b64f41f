"""The two columns of an actor: the name cut to its length, and the account as it is."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.actors import NOBODY, Actor
from wallet_gateway.models import Approval, Discrepancy, GatewayPause, GatewayTransaction, OperationBatch
from wallet_gateway.models.actors import LONGEST_ACCOUNT, actor_columns, actor_in

UUID = "8c5d7a4e-4d62-4b6e-9d7e-0f9a6a3f1b2c"


def test_what_is_stored_is_read_again() -> None:
    anna = Actor(name="anna", account=UUID)
    assert actor_in(Approval(**actor_columns(Approval, "created_by", anna)), "created_by") == anna


def test_a_long_name_is_cut_and_an_account_is_not() -> None:
    long = Actor(name="n" * 300, account="k" * LONGEST_ACCOUNT)
    columns = actor_columns(GatewayTransaction, "created_by", long)
    assert columns == {"created_by": "n" * 150, "created_by_account": "k" * LONGEST_ACCOUNT}


@pytest.mark.parametrize(
    ("model", "column"),
    [
        (Approval, "decided_by"),
        (OperationBatch, "created_by"),
        (OperationBatch, "paused_by"),
        (OperationBatch, "stopped_by"),
        (Discrepancy, "closed_by"),
        (GatewayPause, "stopped_by"),
        (GatewayPause, "resumed_by"),
    ],
)
def test_nobody_is_two_empty_columns(model: type[Approval], column: str) -> None:
    assert actor_columns(model, column, NOBODY) == {column: "", f"{column}_account": ""}
    assert actor_in(model(), column) == NOBODY
