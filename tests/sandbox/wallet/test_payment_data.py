"""PaymentData of the wallet: merchant, keys and time, the encrypted card, and requested data only."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.tables import every
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.sandbox.wallet.accounts import (
    ACCOUNTS,
    CARDS,
    CRYPTOGRAM_3DS,
    OFFICE_CARDS,
    PAN_ONLY,
    card_for,
)
from wallet_gateway.sandbox.wallet.keys import KeyRing
from wallet_gateway.sandbox.wallet.payment_data import payment_data
from wallet_gateway.sandbox.wallet.token_verification import unseal

HOME, OFFICE = ACCOUNTS
NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = KeyRing().at(NOW)
TOKEN_CARD, PLAIN_CARD = card_for(CardNetwork.VISA, CRYPTOGRAM_3DS), card_for(CardNetwork.VISA, PAN_ONLY)


def data(request: dict[str, Any] | None = None, *, card: Any = TOKEN_CARD, **choices: Any) -> dict[str, Any]:  # noqa: ANN401
    return payment_data(
        card, request or {}, gateway="g", gateway_merchant_id="M", keys=KEYS, now=NOW, choices=choices
    )


def sealed(given: dict[str, Any], now: datetime = NOW) -> dict[str, Any]:
    return unseal(
        given["paymentMethodData"]["tokenizationData"]["token"],
        recipient_id="gateway:g",
        private_keys=KEYS.private_keys,
        root_keys=KEYS.root_document,
        now=now,
    )


def test_a_token_card_is_sealed_with_cryptogram_and_indicator() -> None:
    payload = sealed(data())
    details = payload.pop("paymentMethodDetails")
    assert len(payload.pop("messageId")) > 40
    assert payload == {
        "gatewayMerchantId": "M",
        "messageExpiration": str(int((NOW + timedelta(hours=1)).timestamp() * 1000)),
        "paymentMethod": "CARD",
    }
    assert len(details.pop("cryptogram")) == 28
    assert details == {
        "authMethod": "CRYPTOGRAM_3DS",
        "pan": "4111111111111111",
        "expirationMonth": 12,
        "expirationYear": 2030,
        "eciIndicator": "05",
    }


@every(
    ("card_id", "lengths"),
    [
        ("visa-token", {20}),
        ("mastercard-token", {19}),
        ("amex-token", {20, 40}),
        ("discover-token", {20}),
        ("jcb-token", {20}),
    ],
)
def test_a_cryptogram_has_a_length_of_its_network(card_id: str, lengths: set[int]) -> None:
    card = next(card for card in CARDS if card.id == card_id)
    drawn = [sealed(data(card=card))["paymentMethodDetails"]["cryptogram"] for _ in range(4)]
    assert {len(base64.b64decode(one, validate=True)) for one in drawn} <= lengths


def test_nothing_is_given_that_was_not_asked_for() -> None:
    given = data()
    assert set(given) == {"apiVersion", "apiVersionMinor", "paymentMethodData"}
    assert given["paymentMethodData"]["description"] == "Visa 1111"
    assert given["paymentMethodData"]["info"] == {
        "cardNetwork": "VISA",
        "cardDetails": "1111",
        "cardFundingSource": "CREDIT",
    }
    assert TOKEN_CARD.number not in str(given)


def test_email_and_shipping_are_given_when_asked_for() -> None:
    options = {"shippingOptions": [{"id": "slow"}, {"id": "fast"}]}
    request = {
        "emailRequired": True,
        "shippingAddressRequired": True,
        "shippingAddressParameters": {"allowedCountryCodes": ["US"]},
        "shippingOptionRequired": True,
        "shippingOptionParameters": options,
    }
    given = data(request)
    assert given["email"] == HOME.email
    assert given["shippingAddress"]["countryCode"] == "US"
    assert "phoneNumber" not in given["shippingAddress"]
    assert given["shippingOptionData"] == {"id": "slow"}
    named = request | {"shippingOptionParameters": options | {"defaultSelectedOptionId": "fast"}}
    assert data(named)["shippingOptionData"] == {"id": "fast"}


def test_a_card_brings_the_email_and_the_addresses_of_its_own_account() -> None:
    asked = {
        "emailRequired": True,
        "shippingAddressRequired": True,
        "allowedPaymentMethods": [{"parameters": {"billingAddressRequired": True}}],
    }
    given = data(asked, card=OFFICE_CARDS[0])
    assert given["email"] == OFFICE.email
    assert given["shippingAddress"]["countryCode"] == "PT"
    assert given["paymentMethodData"]["info"]["billingAddress"]["name"] == OFFICE.name
