"""Payment accounts: opening the wallet's token once, and telling what card it held."""

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
from wallet_gateway.sandbox.engine.calls import Call
from wallet_gateway.sandbox.engine.card_payload import SealedCard, read_card
from wallet_gateway.sandbox.engine.public_keys import check_encryption_key
from wallet_gateway.sandbox.engine.wallet_refusals import (
    CardNotAccepted,
    TokenExpired,
    TokenOfAnotherMerchant,
    TokenRefused,
    TokenReplayed,
    UnknownAccount,
)
from wallet_gateway.sandbox.hashing import fingerprint
from wallet_gateway.sandbox.models import DuplicatePolicy, Merchant, PaymentAccount
from wallet_gateway.sandbox.payment_token import InvalidToken, Reason, unseal
from wallet_gateway.sandbox.wallet_keys import key_ring
from wallet_gateway.sandbox.write_lock import one_writer

_EXPIRED: Final = {Reason.EXPIRED_MESSAGE, Reason.EXPIRED_INTERMEDIATE_KEY}


def create_payment_account(call: Call, request: PaymentAccountRequest) -> dict[str, Any]:
    """Open the token and give the wallet result; raises a refusal of ``wallet_refusals``."""
    card = _open(call, request)
    with one_writer():
        account = _known(call, request, card) or _enter(call, request, card)
    return _result(account, request, card)


def describe_payment_account(call: Call, query: PaymentAccountQuery) -> dict[str, Any]:
    """Tell the card behind an account; raises ``EncryptionKeyRefused`` or ``UnknownAccount``."""
    check_encryption_key(call.merchant, query.encryption_key_id, now=call.conditions.now)
    account = find_account(call.merchant, query.transaction_account_id)
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
        raise UnknownAccount(f"This store has no payment account {quote(account_id)}.")
    return account


def _open(call: Call, request: PaymentAccountRequest) -> SealedCard:
    _check_named_network(request)
    keys = key_ring.at(call.conditions.now)
    try:
        payload = unseal(
            request.payment_data.payment_method_data.tokenization_data.token,
            recipient_id=f"gateway:{call.merchant.gateway_name}",
            private_keys=keys.private_keys,
            root_keys=keys.root_document,
            now=call.conditions.now,
        )
    except InvalidToken as error:
        refusal = TokenExpired if error.reason in _EXPIRED else TokenRefused
        raise refusal(f"{error}.") from error
    card = read_card(payload)
    if card.gateway_merchant_id != call.merchant.merchant_id:
        raise TokenOfAnotherMerchant("The token was made for another merchant.")
    return card


def _check_named_network(request: PaymentAccountRequest) -> None:
    # What counts is in the token, but what is named in the open must not be a network nobody takes.
    info = request.payment_data.payment_method_data.info
    named = info.card_network if info else None
    if named and fold_name(named) not in map(fold_name, CardNetwork):
        raise CardNotAccepted(f"{quote(named)} is not taken; these are: {', '.join(CardNetwork)}.")


def _known(call: Call, request: PaymentAccountRequest, card: SealedCard) -> PaymentAccount | None:
    policy = call.conditions.behaviour.duplicates
    same_token = PaymentAccount.objects.filter(
        merchant__merchant_id=call.merchant.merchant_id, message_hash=fingerprint(card.message_id)
    )
    earlier = same_token.first()
    if earlier is None or policy is DuplicatePolicy.EXECUTE:
        return None
    is_repeated = (
        earlier.merchant_id == call.merchant.pk and earlier.reference == request.client_system_transaction_id
    )
    if policy is DuplicatePolicy.REPLAY and is_repeated:
        return earlier
    raise TokenReplayed("The token was used before; every approval in the wallet makes a new one.")


def _enter(call: Call, request: PaymentAccountRequest, card: SealedCard) -> PaymentAccount:
    return PaymentAccount.objects.create(
        merchant=call.merchant,
        reference=request.client_system_transaction_id,
        card_type=card.card_type,
        card_network=card.network,
        masked_number=card.masked_number,
        expiration_month=card.expiration_month,
        expiration_year=card.expiration_year,
        cryptogram_hash=fingerprint(card.cryptogram) if card.cryptogram else "",
        eci_indicator=card.eci_indicator,
        message_hash=fingerprint(card.message_id),
        created_at=call.conditions.now,
    )


def _result(account: PaymentAccount, request: PaymentAccountRequest, card: SealedCard) -> dict[str, Any]:
    data = request.payment_data
    info = data.payment_method_data.info
    return PaymentAccountResponse(
        client_system_transaction_id=request.client_system_transaction_id,
        transaction_account_id=account.account_id,
        cryptogram=card.cryptogram or None,
        eci_indicator=card.eci_indicator or None,
        billing_address=info.billing_address if info else None,
        shipping_address=data.shipping_address,
        email=data.email,
    ).to_wire()
