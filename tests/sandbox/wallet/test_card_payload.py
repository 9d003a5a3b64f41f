"""What a token says of a card: read strictly, and never quoted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.samples import CRYPTOGRAM_LENGTHS, cryptogram_of
from tests.tables import every
from wallet_gateway.protocol.accounts import CardNetwork, CardType
from wallet_gateway.sandbox.refusals import CardNotAccepted, TokenRefused
from wallet_gateway.sandbox.wallet.card_payload import network_of, read_card

NUMBER = "4111111111111111"
DETAILS: dict[str, Any] = {
    "authMethod": "CRYPTOGRAM_3DS",
    "pan": NUMBER,
    "expirationMonth": 12,
    "expirationYear": 2030,
    "cryptogram": "AAECAwQFBgcICQoLDA0ODxAREhM=",
    "eciIndicator": "5",
}
PAYLOAD: dict[str, Any] = {
    "gatewayMerchantId": "M",
    "messageId": "m-1",
    "paymentMethod": "CARD",
    "paymentMethodDetails": DETAILS,
}


def with_details(**changes: Any) -> dict[str, Any]:
    details = {name: value for name, value in (DETAILS | changes).items() if value is not None}
    return PAYLOAD | {"paymentMethodDetails": details}


def test_a_card_is_read_and_its_number_is_gone() -> None:
    card = read_card(PAYLOAD)
    assert (card.card_type, card.network) == (CardType.TOKEN, CardNetwork.VISA)
    assert (card.expiration_month, card.expiration_year) == (12, 2030)
    assert card.masked_number == "************1111"
    assert card.eci_indicator == "5"
    assert NUMBER not in "".join(str(getattr(card, name)) for name in card.__slots__)


@every("length", CRYPTOGRAM_LENGTHS)
def test_a_cryptogram_of_any_length_is_read(length: int) -> None:
    assert read_card(with_details(cryptogram=cryptogram_of(length))).cryptogram == cryptogram_of(length)


@every(
    "changes",
    [
        {"pan": None},
        {"pan": 4111111111111111},
        {"pan": "4111-1111-1111-1111"},
        {"pan": "4111"},
        {"expirationMonth": 13},
        {"expirationMonth": "12"},
        {"expirationMonth": True},
        {"expirationYear": 30},
        {"expirationYear": None},
        {"cryptogram": None},
        {"cryptogram": "short"},
        {"cryptogram": "A" * 256},
        {"cryptogram": "A" * 26 + "="},
        {"eciIndicator": "abc"},
        {"eciIndicator": 5},
    ],
)
def test_what_is_missing_or_odd_is_named_and_not_quoted(changes: dict[str, Any]) -> None:
    with pytest.raises(TokenRefused) as refused:
        read_card(with_details(**changes))
    assert next(iter(changes)) in str(refused.value)
    assert "4111" not in str(refused.value)


@every("name", ["messageId", "gatewayMerchantId"])
@every("value", [None, "", 7, []])
def test_a_payload_names_itself_and_its_merchant(name: str, value: object) -> None:
    with pytest.raises(TokenRefused, match=name):
        read_card(PAYLOAD | {name: value})


@every(
    "payload",
    [
        {},
        PAYLOAD | {"paymentMethod": "TOKENIZED_CARD"},
        PAYLOAD | {"paymentMethodDetails": []},
        with_details(authMethod=None),
        with_details(authMethod="OTHER"),
        with_details(pan="1234567890128"),
    ],
)
def test_what_is_no_card_of_ours_is_not_accepted(payload: dict[str, Any]) -> None:
    with pytest.raises(CardNotAccepted):
        read_card(payload)


@every(
    ("number", "network"),
    [
        ("4", "VISA"),
        ("51", "MASTERCARD"),
        ("2221", "MASTERCARD"),
        ("2720", "MASTERCARD"),
        ("34", "AMEX"),
        ("37", "AMEX"),
        ("6011", "DISCOVER"),
        ("649", "DISCOVER"),
        ("3528", "JCB"),
        ("3589", "JCB"),
    ],
)
def test_the_network_is_told_by_how_a_number_begins(number: str, network: str) -> None:
    assert network_of(number) == network
