"""The result of a sheet as a browser posts it: names in any case, sizes within bounds, nothing shown."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.protocol.accounts import (
    FailedWalletResult,
    ResultAddress,
    SheetChoices,
    WalletResult,
)
from wallet_gateway.protocol.errors import InvalidMessage

GOOD = {"clientSystemTransactionId": "01ABC", "transactionAccountId": "account-1"}


def test_a_result_is_read_in_any_letter_case_and_written_canonically() -> None:
    result = WalletResult.from_wire(
        {"CLIENTSYSTEMTRANSACTIONID": "01ABC", "TransactionAccountID": "account-1"}
    )
    assert result.to_wire() == GOOD | {"transactionMethod": "WalletPay"}


@every("field", ResultAddress.model_fields)
def test_every_line_of_an_address_is_one_line_of_at_most_255_characters(field: str) -> None:
    ResultAddress.build(**{field: "x" * 255})
    for bad in ("x" * 256, "two\nlines", "\x7f", 7):
        with pytest.raises(InvalidMessage):
            ResultAddress.build(**{field: bad})


def test_a_failure_needs_its_code_and_nothing_else() -> None:
    assert FailedWalletResult.from_wire({"code": "4000340"}).details is None
    with pytest.raises(InvalidMessage):
        FailedWalletResult.from_wire({"description": "x"})


def test_at_most_ten_codes_are_entered() -> None:
    assert SheetChoices.from_wire({"offers": ["A"] * 10}).offers == ("A",) * 10
    with pytest.raises(InvalidMessage):
        SheetChoices.from_wire({"offers": ["A"] * 11})
