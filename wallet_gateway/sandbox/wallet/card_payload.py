"""The encrypted content of a payment token: build it for a stored card, and read it field by field.

Reading raises refusals that never quote the content.
"""

from __future__ import annotations

import base64
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.accounts import CardNetwork, CardType
from wallet_gateway.protocol.cryptograms import CRYPTOGRAM_PATTERN
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.wallet.accounts import CRYPTOGRAM_3DS, PAN_ONLY, StoredCard
from wallet_gateway.sandbox.wallet.tokens import milliseconds_text

_CARD_TYPES: Final = {PAN_ONLY: CardType.CARD, CRYPTOGRAM_3DS: CardType.TOKEN}
_NUMBER: Final = re.compile(r"[0-9]{12,19}")
_CRYPTOGRAM: Final = re.compile(CRYPTOGRAM_PATTERN)
_ECI: Final = re.compile(r"[0-9]{1,2}")
_NETWORKS: Final = (
    (CardNetwork.VISA, re.compile(r"4")),
    (CardNetwork.MASTERCARD, re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720")),
    (CardNetwork.AMEX, re.compile(r"3[47]")),
    (CardNetwork.DISCOVER, re.compile(r"6011|64[4-9]|65")),
    (CardNetwork.JCB, re.compile(r"35(2[89]|[3-8])")),
)
# As the networks' own cryptograms: Visa's has 20 bytes; the one of a Mastercard device token in Google's test
# environment has 19; processors describe that of American Express as 20 bytes, or 40 in two blocks of 20.
_CRYPTOGRAM_BYTES: Final = {CardNetwork.MASTERCARD: (19,), CardNetwork.AMEX: (20, 40)}
_USUAL_CRYPTOGRAM_BYTES: Final = (20,)
MESSAGE_LIFETIME: Final = timedelta(hours=1)
"""Lifetime of a token."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DecryptedCard:
    """A card decrypted from a token; never shown, logged or stored as a whole."""

    message_id: str
    gateway_merchant_id: str
    card_type: CardType
    network: CardNetwork
    masked_number: str
    expiration_month: int
    expiration_year: int
    cryptogram: str
    eci_indicator: str


def build_card_payload(card: StoredCard, *, gateway_merchant_id: str, now: datetime) -> dict[str, Any]:
    """Return the payload for a card, with a new message id and cryptogram."""
    details: dict[str, Any] = {
        "authMethod": card.auth_method,
        "pan": card.number,
        "expirationMonth": card.expiration_month,
        "expirationYear": now.year + card.expires_in_years,
    }
    if card.auth_method == CRYPTOGRAM_3DS:
        length = secrets.choice(_CRYPTOGRAM_BYTES.get(card.network, _USUAL_CRYPTOGRAM_BYTES))
        details["cryptogram"] = base64.b64encode(secrets.token_bytes(length)).decode()
        if card.eci_indicator:
            details["eciIndicator"] = card.eci_indicator
    return {
        "gatewayMerchantId": gateway_merchant_id,
        "messageExpiration": milliseconds_text(now + MESSAGE_LIFETIME),
        "messageId": f"AH2Ejt{secrets.token_urlsafe(48)}",
        "paymentMethod": "CARD",
        "paymentMethodDetails": details,
    }


def read_card(payload: dict[str, Any]) -> DecryptedCard:
    """Read a payload; raises ``TokenRefused`` or ``CardNotAccepted``."""
    details = payload.get("paymentMethodDetails")
    if payload.get("paymentMethod") != "CARD" or not isinstance(details, dict):
        raise Refusal("CardNotAccepted", "The token holds no card.")
    number = _text(details, "pan", _NUMBER)
    card_type = _CARD_TYPES.get(str(details.get("authMethod")))
    if card_type is None:
        raise Refusal("CardNotAccepted", f"authMethod must be {PAN_ONLY} or {CRYPTOGRAM_3DS}.")
    tokenized = card_type is CardType.TOKEN
    eci = tokenized and details.get("eciIndicator") is not None
    return DecryptedCard(
        message_id=_text(payload, "messageId"),
        gateway_merchant_id=_text(payload, "gatewayMerchantId"),
        card_type=card_type,
        network=network_of(number),
        masked_number=masked(number),
        expiration_month=_whole(details, "expirationMonth", 1, 12),
        expiration_year=_whole(details, "expirationYear", 2000, 2999),
        cryptogram=_text(details, "cryptogram", _CRYPTOGRAM) if tokenized else "",
        eci_indicator=_text(details, "eciIndicator", _ECI) if eci else "",
    )


def network_of(number: str) -> CardNetwork:
    """Return a card's network from its first digits; raises ``CardNotAccepted``."""
    for network, beginning in _NETWORKS:
        if beginning.match(number):
            return network
    raise Refusal("CardNotAccepted", f"The card must be of one of: {', '.join(CardNetwork)}.")


def masked(number: str) -> str:
    """Return a card number with all digits but the last four replaced by stars."""
    return f"{'*' * (len(number) - 4)}{number[-4:]}"


def _text(values: dict[str, Any], name: str, pattern: re.Pattern[str] = re.compile(r".+")) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise Refusal("TokenRefused", f"The payload's {name} is not as it must be.")
    return value


def _whole(values: dict[str, Any], name: str, minimum: int, maximum: int) -> int:
    value = values.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise Refusal("TokenRefused", f"The payload's {name} is not as it must be.")
    return value
