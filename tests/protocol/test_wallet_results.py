"""The result of a sheet as a browser posts it: names in any case, sizes within bounds, nothing shown."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.protocol.accounts import (
    PaymentAccountQuery,
    ResultAddress,
    WalletResult,
)
from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.errors import InvalidMessage

GOOD = {"clientSystemTransactionId": "01ABC", "transactionAccountId": "account-1"}


def test_a_result_is_read_in_any_letter_case_and_written_canonically() -> None:
    result = WalletResult.from_wire(
        {"CLIENTSYSTEMTRANSACTIONID": "01ABC", "TransactionAccountID": "account-1"}
    )
    assert result.to_wire() == GOOD | {"transactionMethod": "WalletPay"}


@every("field", ResultAddress.model_fields)
def test_every_line_of_an_address_is_one_line_of_at_most_255_characters(field: str) -> None:
    ResultAddress.build(**{field: "DE" if field == "country_code" else "x" * 255})
    for bad in ("x" * 256, "two\nlines", "\x7f", "\x85", "\u2028", 7):
        with pytest.raises(InvalidMessage):
            ResultAddress.build(**{field: bad})


@every("country", ["ZZ", "XX", "AA", "QM", "DEU", "D", "\uff24\uff25"])
def test_a_country_that_iso_leaves_to_its_users_is_refused(country: str) -> None:
    with pytest.raises(InvalidMessage, match="countryCode: is no country"):
        ResultAddress.build(country_code=country)


@every(("country", "read"), [("de", "DE"), ("XK", "XK"), ("", "")])
def test_a_country_is_read_in_any_case_and_may_be_kosovo_or_none(country: str, read: str) -> None:
    assert ResultAddress.build(country_code=country).country_code == read


ACCOUNTS = [
    "account-1",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "WA~01JCE2:_(x)|{y}",
    "...",
    "QUJD+RA==",
    "ACC-4111111111111111",
]


@every("account", ACCOUNTS)
def test_an_account_is_read_as_it_is(account: str) -> None:
    assert WalletResult.from_wire(GOOD | {"transactionAccountId": account}).transaction_account_id == account
    assert query(account).transaction_account_id == account


@every(
    "account",
    [
        *(".", "..", "../x", "a/b", "a\\b", "a?b", "a#b", "a%2Fb", "%2e%2e", "a b", "a\u00e9", "", "a" * 256),
        *("4111111111111111", "4111.1111-1111_1111", "36006666333344"),
    ],
)
def test_what_an_address_reads_otherwise_and_a_card_number_are_no_account(account: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        WalletResult.from_wire(GOOD | {"transactionAccountId": account})
    assert not has_card_number(str(refused.value))
    with pytest.raises(InvalidMessage):
        query(account)


def query(account: str) -> PaymentAccountQuery:
    return PaymentAccountQuery.build(
        transaction_account_id=account, merchant_id="m", store_id="s", encryption_key_id="k"
    )
