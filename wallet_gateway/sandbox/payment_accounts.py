"""The public key service and payment accounts: issue keys, decrypt a wallet token once, and return a card.

Reading a token's payload raises refusals that never quote its content.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from wallet_gateway.protocol.accounts import (
    CardNetwork,
    CardType,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PaymentAccountResponse,
    PublicKeyResponse,
)
from wallet_gateway.protocol.accounts import PaymentAccount as DescribedAccount
from wallet_gateway.protocol.cryptograms import CRYPTOGRAM_PATTERN
from wallet_gateway.protocol.endpoints import PUBLIC_KEY_SCHEME
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.models import DuplicatePolicy, Merchant, PaymentAccount, PublicKey, hash_secret
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext, write_lock
from wallet_gateway.sandbox.tokens import InvalidToken, Reason, key_ring, open_token, read_payload
from wallet_gateway.sandbox.wallet import CRYPTOGRAM_3DS, PAN_ONLY

LIFETIME: Final = timedelta(hours=1)
"""Lifetime of issued keys, by the sandbox's clock."""


def issue_public_key(context: RequestContext) -> dict[str, Any]:
    """Issue a pair of keys and return the public key response."""
    api_key, encryption_key = f"pk-{secrets.token_urlsafe(24)}", f"ek-{secrets.token_urlsafe(24)}"
    expires_at = (context.conditions.now + LIFETIME).replace(microsecond=0)
    with write_lock():
        PublicKey.objects.create(
            merchant=context.merchant,
            api_key_hash=hash_secret(api_key),
            encryption_key_hash=hash_secret(encryption_key),
            expires_at=expires_at,
        )
    return PublicKeyResponse.build(
        api_key=api_key, encryption_key=encryption_key, expires_at=expires_at.isoformat()
    ).to_wire()


def check_api_key(merchant: Merchant, api_key: str, *, now: datetime) -> None:
    """Check that a key of this store is valid; raises ``ApiKeyRefused`` or a related refusal."""
    if not api_key:
        raise Refusal("ApiKeyRefused", f"Send the header 'Authorization: {PUBLIC_KEY_SCHEME} <API_KEY>'.")
    key = PublicKey.objects.filter(api_key_hash=hash_secret(api_key)).first()
    if key is None:
        raise Refusal("ApiKeyRefused", "Nobody was issued this API key; ask the public key service for one.")
    if key.merchant_id != merchant.pk:
        raise Refusal("KeyOfAnother", "This API key was issued to another store.")
    if key.expires_at <= now:
        text = f"This API key worked until {key.expires_at.isoformat()}; ask for a new one."
        raise Refusal("ApiKeyExpired", text)


def check_encryption_key(merchant: Merchant, encryption_key: str, *, now: datetime) -> None:
    """Check that an encryption key of this store is valid; raises ``EncryptionKeyRefused``."""
    key = PublicKey.objects.filter(merchant=merchant, encryption_key_hash=hash_secret(encryption_key)).first()
    if key is None or key.expires_at <= now:
        text = "encryptionKeyId is not a working encryption key of this store."
        raise Refusal("EncryptionKeyRefused", text)


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


def create_payment_account(context: RequestContext, request: PaymentAccountRequest) -> dict[str, Any]:
    """Create an account from a token and return the wallet result; raises a ``Refusal``."""
    merchant, policy = context.merchant, context.conditions.behaviour.duplicates
    reference, data = request.client_system_transaction_id, request.payment_data
    card = _decrypt_card(context, request)
    message_hash = hash_secret(card.message_id)
    with write_lock():
        account = PaymentAccount.objects.filter(
            merchant__merchant_id=merchant.merchant_id, message_hash=message_hash
        ).first()
        if account is None or policy == DuplicatePolicy.EXECUTE:
            account = PaymentAccount.objects.create(
                merchant=merchant,
                reference=reference,
                card_type=card.card_type,
                card_network=card.network,
                masked_number=card.masked_number,
                expiration_month=card.expiration_month,
                expiration_year=card.expiration_year,
                cryptogram_hash=hash_secret(card.cryptogram) if card.cryptogram else "",
                eci_indicator=card.eci_indicator,
                message_hash=message_hash,
                created_at=context.conditions.now,
            )
        else:
            is_repeated = account.merchant_id == merchant.pk and account.reference == reference
            if policy == DuplicatePolicy.REJECT or not is_repeated:
                text = "The token was used before; every approval in the wallet makes a new one."
                raise Refusal("TokenReplayed", text)
    return PaymentAccountResponse(
        client_system_transaction_id=reference,
        transaction_account_id=account.account_id,
        cryptogram=card.cryptogram or None,
        eci_indicator=card.eci_indicator or None,
        billing_address=data.payment_method_data.info.billing_address,
        shipping_address=data.shipping_address,
        email=data.email,
    ).to_wire()


def describe_payment_account(context: RequestContext, query: PaymentAccountQuery) -> dict[str, Any]:
    """Return the card of an account; raises ``EncryptionKeyRefused`` or ``UnknownAccount``."""
    check_encryption_key(context.merchant, query.encryption_key_id, now=context.conditions.now)
    account = find_account(context.merchant, query.transaction_account_id)
    return DescribedAccount.build(
        transaction_account_id=account.account_id,
        card_type=account.card_type,
        card_network=account.card_network,
        masked_account_number=account.masked_number,
        expiration_month=account.expiration_month,
        expiration_year=account.expiration_year,
    ).to_wire()


def find_account(merchant: Merchant, account_id: str) -> PaymentAccount:
    """Find a store's account; raises ``UnknownAccount``."""
    account = PaymentAccount.objects.filter(merchant=merchant, account_id=account_id).first()
    if account is None:
        raise Refusal("UnknownAccount", f"This store has no payment account {quote(account_id)}.")
    return account


def _decrypt_card(context: RequestContext, request: PaymentAccountRequest) -> DecryptedCard:
    method = request.payment_data.payment_method_data
    # The token's card decides, but the network named beside it must be an accepted one too.
    named = method.info.card_network
    if named and fold_name(named) not in map(fold_name, CardNetwork):
        raise Refusal("CardNotAccepted", f"{quote(named)} is not taken; these are: {', '.join(CardNetwork)}.")
    keys = key_ring.at(context.conditions.now)
    try:
        plaintext = open_token(
            method.tokenization_data.token,
            recipient_id=f"gateway:{context.merchant.gateway_name}",
            private_keys=keys.private_keys,
            root_keys=keys.root_document,
            now=context.conditions.now,
        )
        card = _read_card(read_payload(plaintext))
    except InvalidToken as error:
        is_expired = error.reason in {Reason.EXPIRED_MESSAGE, Reason.EXPIRED_INTERMEDIATE_KEY}
        raise Refusal("TokenExpired" if is_expired else "TokenRefused", f"{error}.") from error
    if card.gateway_merchant_id != context.merchant.merchant_id:
        raise Refusal("TokenOfAnotherMerchant", "The token was made for another merchant.")
    return card


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


def _read_card(payload: dict[str, Any]) -> DecryptedCard:
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
        network=_network_of(number),
        masked_number=f"{'*' * (len(number) - 4)}{number[-4:]}",
        expiration_month=_whole(details, "expirationMonth", 1, 12),
        expiration_year=_whole(details, "expirationYear", 2000, 2999),
        cryptogram=_text(details, "cryptogram", _CRYPTOGRAM) if tokenized else "",
        eci_indicator=_text(details, "eciIndicator", _ECI) if eci else "",
    )


def _network_of(number: str) -> CardNetwork:
    """Return a card's network from its first digits; raises ``CardNotAccepted``."""
    for network, beginning in _NETWORKS:
        if beginning.match(number):
            return network
    raise Refusal("CardNotAccepted", f"The card must be of one of: {', '.join(CardNetwork)}.")


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
