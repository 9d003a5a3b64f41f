"""The merchants of the sandbox: who they are, entering them, and telling whose a request is."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.errors import excerpt
from wallet_gateway.protocol.fields import TransactionRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.db_transactions import CachedValue, write_lock
from wallet_gateway.sandbox.json_calls import Input
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.refusals import UnknownMerchant

PROVIDER: Final = "ExampleWalletV2"
GATEWAY_NAME: Final = "examplegateway"
LOOPBACK_ORIGINS: Final = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")
"""Every port of this machine."""

BUILT_IN_ID: Final = "SANDBOX-MERCHANT"
BUILT_IN: Final[dict[str, JsonValue]] = {
    "merchantId": BUILT_IN_ID,
    "storeId": "SANDBOX-STORE",
    "userId": "sandbox-user",
}
"""The merchant every sandbox starts with."""


def add_merchant(given: Input) -> Merchant:
    """Enter a merchant's store, or bring it up to date; raises ``InvalidInput``."""
    merchant_id, store_id = given.text("merchantId", max_length=64), given.text("storeId", max_length=64)
    values = {
        "user_id": given.text("userId", max_length=64),
        "provider": given.optional_text("provider", max_length=64) or PROVIDER,
        "gateway_name": GATEWAY_NAME,
        "origins": given.text_list("origins") or list(LOOPBACK_ORIGINS),
    }
    given.check_no_unread_fields()
    with write_lock():
        merchant, _ = Merchant.objects.update_or_create(
            merchant_id=merchant_id, store_id=store_id, defaults=values
        )
        cached_stores.forget()
    return merchant


def merchant_of(
    message: TransactionRequest
    | StatusQuery
    | PublicKeyRequest
    | PaymentAccountRequest
    | PaymentAccountQuery,
) -> Merchant:
    """Tell whose a request is; raises ``UnknownMerchant``."""
    merchant = cached_stores.get().get((message.merchant_id, message.store_id))
    if merchant is None:
        raise UnknownMerchant(
            f"There is no store {excerpt(message.store_id)} of a merchant {excerpt(message.merchant_id)}."
        )
    # Queries, and what the browser sends, do not say who asks.
    if isinstance(message, TransactionRequest | PublicKeyRequest) and message.user_id != merchant.user_id:
        raise UnknownMerchant(
            f"{excerpt(message.user_id)} is no user of the merchant {excerpt(message.merchant_id)}."
        )
    return merchant


def describe(merchant: Merchant) -> dict[str, Any]:
    """Write a merchant as the control interface does."""
    return {
        "merchantId": merchant.merchant_id,
        "storeId": merchant.store_id,
        "userId": merchant.user_id,
        "provider": merchant.provider,
        "gateway": merchant.gateway_name,
        "origins": merchant.origins,
    }


def _stores() -> dict[tuple[str, str], Merchant]:
    return {(one.merchant_id, one.store_id): one for one in Merchant.objects.all()}


cached_stores = CachedValue(_stores)
"""Every merchant by merchant id and store id, as long as none is entered."""
