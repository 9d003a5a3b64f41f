"""Keys and payment accounts: what is mandatory, what is never shown, and what the wallet may leave out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.protocol.samples import paths, without
from wallet_gateway.protocol.accounts import (
    CardType,
    PaymentAccount,
    PaymentAccountResponse,
    PublicKeyResponse,
)
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.strict_json import NumberText

ACCOUNT: dict[str, Any] = {
    "transactionAccountId": "ACC-1",
    "cardType": "Card",
    "cardNetwork": "VISA",
    "maskedAccountNumber": "************1111",
    "expirationMonth": 12,
    "expirationYear": 2030,
}
KEYS = {"apiKey": "pk-1", "encryptionKey": "ek-1", "expiresAt": "2026-01-01T10:00:00Z"}


def test_keys_say_when_they_end() -> None:
    assert PublicKeyResponse.from_wire(KEYS).expires == datetime(2026, 1, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("end", [None, "", "soon", NumberText("1767261600"), {"seconds": "900"}])
def test_keys_are_keys_without_an_end_that_can_be_read(end: object) -> None:
    keys = PublicKeyResponse.from_wire(KEYS | {"expiresAt": end})
    assert (keys.api_key, keys.encryption_key, keys.expires) == ("pk-1", "ek-1", None)
    assert PublicKeyResponse.from_wire(without(KEYS, "expiresAt")).expires is None


def test_a_result_leaves_out_what_there_is_not() -> None:
    result = PaymentAccountResponse.build(
        client_system_transaction_id="ORDER-1", transaction_account_id="ACC-1"
    )
    assert result.to_wire() == {
        "clientSystemTransactionId": "ORDER-1",
        "transactionAccountId": "ACC-1",
        "transactionMethod": "WalletPay",
    }


def test_an_account_says_which_type_its_card_is_in_any_letter_case() -> None:
    assert PaymentAccount.from_wire(ACCOUNT | {"cardType": "token"}).card_type is CardType.TOKEN
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccount.from_wire(ACCOUNT | {"cardType": "Cash"})
    assert paths(refused.value) == ["cardType"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("expirationMonth", 0), ("expirationMonth", 13), ("expirationYear", 30), ("expirationYear", "x")],
)
def test_an_account_expires_in_a_month_there_is_or_the_month_is_left_out(name: str, value: object) -> None:
    assert name not in PaymentAccount.from_wire(ACCOUNT | {name: value}).to_wire()


def test_the_type_of_the_card_is_an_account() -> None:
    account = PaymentAccount.from_wire({"cardType": "Token"})
    assert account.to_wire() == {"cardType": "Token"}
    assert (account.transaction_account_id, account.card_network, account.masked_account_number) == (
        (None,) * 3
    )


@pytest.mark.parametrize("name", ["cardNetwork", "maskedAccountNumber"])
@pytest.mark.parametrize("value", [None, {"name": "VISA"}, ["VISA"], True])
def test_what_describes_a_card_is_left_out_where_it_cannot_be_read(name: str, value: object) -> None:
    assert name not in PaymentAccount.from_wire(ACCOUNT | {name: value}).to_wire()
