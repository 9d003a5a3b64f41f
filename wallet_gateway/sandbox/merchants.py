"""The merchants: those of a new sandbox, register others, and find the merchant of a request."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.conf import settings

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import PublicKeyRequest
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.protocol.text import quote
from wallet_gateway.protocol.wire import TransactionRequest
from wallet_gateway.sandbox.json_calls import Input, InvalidInput
from wallet_gateway.sandbox.models import Merchant, SandboxState
from wallet_gateway.sandbox.refusals import Refusal
from wallet_gateway.sandbox.requests import Message
from wallet_gateway.sandbox.state import write_lock

PROVIDER: Final = "ExampleWalletV2"
GATEWAY_NAME: Final = "examplegateway"
LOOPBACK_ORIGINS: Final = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")
"""Any port of this machine."""

BUILT_IN_ID: Final = "SANDBOX-MERCHANT"
BUILT_IN: Final[dict[str, JsonValue]] = {
    "merchantId": BUILT_IN_ID,
    "storeId": "SANDBOX-STORE",
    "userId": "sandbox-user",
}
"""The merchant of every new sandbox."""


def add_merchant(given: Input) -> Merchant:
    """Create or update a merchant's store; raises ``InvalidInput``."""
    merchant_id, store_id = given.text("merchantId", max_length=64), given.text("storeId", max_length=64)
    values = {
        "user_id": given.text("userId", max_length=64),
        "provider": given.optional_text("provider", max_length=64) or PROVIDER,
        "gateway_name": GATEWAY_NAME,
        "origins": given.text_list("origins") or list(LOOPBACK_ORIGINS),
        "display_name": given.optional_text("displayName", max_length=64) or "",
    }
    given.check_no_unread_fields()
    with write_lock():
        merchant, _ = Merchant.objects.update_or_create(
            merchant_id=merchant_id, store_id=store_id, defaults=values
        )
    return merchant


def merchant_of(message: Message) -> Merchant:
    """Return the merchant of a request; raises ``UnknownMerchant``."""
    merchant = Merchant.objects.filter(merchant_id=message.merchant_id, store_id=message.store_id).first()
    if merchant is None:
        text = f"There is no store {quote(message.store_id)} of a merchant {quote(message.merchant_id)}."
        raise Refusal("UnknownMerchant", text)
    # Queries and requests from the browser carry no user id.
    if isinstance(message, TransactionRequest | PublicKeyRequest) and message.user_id != merchant.user_id:
        text = f"{quote(message.user_id)} is no user of the merchant {quote(message.merchant_id)}."
        raise Refusal("UnknownMerchant", text)
    return merchant


def describe(merchant: Merchant) -> dict[str, Any]:
    """Return a merchant in the JSON form of the control interface."""
    return {
        "merchantId": merchant.merchant_id,
        "storeId": merchant.store_id,
        "userId": merchant.user_id,
        "provider": merchant.provider,
        "gateway": merchant.gateway_name,
        "origins": merchant.origins,
        "displayName": merchant.shown_name,
    }


class InvalidMerchantFile(ValueError):
    """The merchants file is unusable; the message says why."""


def provision() -> list[Merchant]:
    """Create the row of state, and create or update the initial merchants; raises ``InvalidMerchantFile``."""
    name, given = settings.WALLET_SANDBOX_MERCHANTS_FILE, list[dict[str, JsonValue]]()
    if name:
        try:
            value = strict_json.loads(Path(name).read_bytes())
        except (OSError, UnreadableBody) as error:
            raise InvalidMerchantFile(f"{name}: {error}") from error
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise InvalidMerchantFile(f"{name}: must be a JSON list of objects.")
        given = [one for one in value if isinstance(one, dict)]
    built_in = BUILT_IN | {"displayName": settings.WALLET_SANDBOX_MERCHANT_NAME.strip() or None}
    SandboxState.objects.get_or_create(pk=1)
    try:
        return [add_merchant(Input(merchant)) for merchant in (built_in, *given)]
    except InvalidInput as error:
        raise InvalidMerchantFile(f"{name}: {error}") from error
