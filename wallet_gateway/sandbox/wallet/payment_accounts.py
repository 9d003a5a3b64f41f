"""Payment accounts: decrypt a wallet token once, and return the card of an account."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.accounts import (
    CardNetwork,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PaymentAccountResponse,
)
from wallet_gateway.protocol.accounts import PaymentAccount as DescribedAccount
from wallet_gateway.protocol.strict_json import fold_name
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.models import DuplicatePolicy, Merchant, PaymentAccount, hash_secret
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.state import RequestContext
from wallet_gateway.sandbox.wallet.card_payload import DecryptedCard, read_card
from wallet_gateway.sandbox.wallet.keys import key_ring
from wallet_gateway.sandbox.wallet.public_keys import check_encryption_key
from wallet_gateway.sandbox.wallet.tokens import InvalidToken, Reason, open_token, read_payload

_EXPIRED: Final = {Reason.EXPIRED_MESSAGE, Reason.EXPIRED_INTERMEDIATE_KEY}


def create_payment_account(context: RequestContext, request: PaymentAccountRequest) -> dict[str, Any]:
    """Create an account from a token and return the wallet result; raises a ``Refusal``."""
    card = _decrypt_card(context, request)
    with write_lock():
        account = _find_earlier(context, request, card) or _create(context, request, card)
    return _response(account, request, card)


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
    _check_named_network(request)
    keys = key_ring.at(context.conditions.now)
    try:
        plaintext = open_token(
            request.payment_data.payment_method_data.tokenization_data.token,
            recipient_id=f"gateway:{context.merchant.gateway_name}",
            private_keys=keys.private_keys,
            root_keys=keys.root_document,
            now=context.conditions.now,
        )
        payload = read_payload(plaintext)
    except InvalidToken as error:
        reason = "TokenExpired" if error.reason in _EXPIRED else "TokenRefused"
        raise Refusal(reason, f"{error}.") from error
    card = read_card(payload)
    if card.gateway_merchant_id != context.merchant.merchant_id:
        raise Refusal("TokenOfAnotherMerchant", "The token was made for another merchant.")
    return card


def _check_named_network(request: PaymentAccountRequest) -> None:
    # The token's card decides, but the network named beside it must be an accepted one too.
    named = request.payment_data.payment_method_data.info.card_network
    if named and fold_name(named) not in map(fold_name, CardNetwork):
        raise Refusal("CardNotAccepted", f"{quote(named)} is not taken; these are: {', '.join(CardNetwork)}.")


def _find_earlier(
    context: RequestContext, request: PaymentAccountRequest, card: DecryptedCard
) -> PaymentAccount | None:
    policy = context.conditions.behaviour.duplicates
    same_token = PaymentAccount.objects.filter(
        merchant__merchant_id=context.merchant.merchant_id, message_hash=hash_secret(card.message_id)
    )
    earlier = same_token.first()
    if earlier is None or policy == DuplicatePolicy.EXECUTE:
        return None
    is_repeated = (
        earlier.merchant_id == context.merchant.pk
        and earlier.reference == request.client_system_transaction_id
    )
    if policy == DuplicatePolicy.REPLAY and is_repeated:
        return earlier
    raise Refusal("TokenReplayed", "The token was used before; every approval in the wallet makes a new one.")


def _create(context: RequestContext, request: PaymentAccountRequest, card: DecryptedCard) -> PaymentAccount:
    return PaymentAccount.objects.create(
        merchant=context.merchant,
        reference=request.client_system_transaction_id,
        card_type=card.card_type,
        card_network=card.network,
        masked_number=card.masked_number,
        expiration_month=card.expiration_month,
        expiration_year=card.expiration_year,
        cryptogram_hash=hash_secret(card.cryptogram) if card.cryptogram else "",
        eci_indicator=card.eci_indicator,
        message_hash=hash_secret(card.message_id),
        created_at=context.conditions.now,
    )


def _response(account: PaymentAccount, request: PaymentAccountRequest, card: DecryptedCard) -> dict[str, Any]:
    data = request.payment_data
    return PaymentAccountResponse(
        client_system_transaction_id=request.client_system_transaction_id,
        transaction_account_id=account.account_id,
        cryptogram=card.cryptogram or None,
        eci_indicator=card.eci_indicator or None,
        billing_address=data.payment_method_data.info.billing_address,
        shipping_address=data.shipping_address,
        email=data.email,
    ).to_wire()
