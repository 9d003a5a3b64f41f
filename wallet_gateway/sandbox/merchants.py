"""The merchants of the sandbox: who they are, entering them, and telling whose a request is."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.protocol.accounts import PaymentAccountQuery, PaymentAccountRequest, PublicKeyRequest
from wallet_gateway.protocol.status import StatusQuery
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.cache import Remembered
from wallet_gateway.sandbox.control_input import Input
from wallet_gateway.sandbox.engine.refusals import UnknownMerchant
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.write_lock import one_writer

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
    merchant_id, store_id = given.text("merchantId", longest=64), given.text("storeId", longest=64)
    values = {
        "user_id": given.text("userId", longest=64),
        "provider": given.optional_text("provider", longest=64) or PROVIDER,
        "gateway_name": GATEWAY_NAME,
        "origins": given.texts("origins") or list(LOOPBACK_ORIGINS),
    }
    given.check_nothing_else()
    with one_writer():
        merchant, _ = Merchant.objects.update_or_create(
            merchant_id=merchant_id, store_id=store_id, defaults=values
        )
        remembered_stores.forget()
    return merchant


def merchant_of(
    message: TransactionRequest
    | StatusQuery
    | PublicKeyRequest
    | PaymentAccountRequest
    | PaymentAccountQuery,
) -> Merchant:
    """Tell whose a request is; raises ``UnknownMerchant``."""
    merchant = remembered_stores.get().get((message.merchant_id, message.store_id))
    if merchant is None:
        raise UnknownMerchant(
            f"There is no store {quote(message.store_id)} of a merchant {quote(message.merchant_id)}."
        )
    # Queries, and what the browser sends, do not say who asks.
    if isinstance(message, TransactionRequest | PublicKeyRequest) and message.user_id != merchant.user_id:
        raise UnknownMerchant(
            f"{quote(message.user_id)} is no user of the merchant {quote(message.merchant_id)}."
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


remembered_stores = Remembered(_stores)
"""Every merchant by merchant id and store id, as long as none is entered."""
