"""What a sandbox starts with, and how it gets back there: the built-in merchant, and those of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db.models import Model

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.control_input import Input
from wallet_gateway.sandbox.models import (
    AcceptedRequest,
    Checkout,
    Deposit,
    JournalEntry,
    LateRequest,
    Merchant,
    SandboxState,
    SetFault,
    TransactionRecord,
)
from wallet_gateway.sandbox.writing import one_writer

PROVIDER: Final = "ExampleWalletV2"
GATEWAY_NAME: Final = "examplegateway"
LOOPBACK_ORIGINS: Final = ("http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*")
"""Every port of this machine."""

MERCHANT_ID: Final = "SANDBOX-MERCHANT"
BUILT_IN: Final[dict[str, JsonValue]] = {
    "merchantId": MERCHANT_ID,
    "storeId": "SANDBOX-STORE",
    "userId": "sandbox-user",
}

# In an order in which nothing that is left points at what is gone.
_TABLES: Final[tuple[type[Model], ...]] = (
    JournalEntry,
    SetFault,
    LateRequest,
    AcceptedRequest,
    TransactionRecord,
    Deposit,
    Checkout,
    Merchant,
    SandboxState,
)


class UnreadableMerchants(ValueError):
    """The file of merchants cannot be used; the message says why."""


def provision() -> None:
    """Make sure the merchants a sandbox starts with are there; raises ``UnreadableMerchants``."""
    given = (
        _merchants_of_file(settings.WALLET_SANDBOX_MERCHANTS_FILE)
        if settings.WALLET_SANDBOX_MERCHANTS_FILE
        else []
    )
    with one_writer():
        for merchant in (BUILT_IN, *given):
            add_merchant(Input(merchant))


def reset() -> None:
    """Forget everything and start anew."""
    with one_writer():
        for model in _TABLES:
            model._default_manager.all().delete()
        provision()


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
    merchant, _ = Merchant.objects.update_or_create(
        merchant_id=merchant_id, store_id=store_id, defaults=values
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


def _merchants_of_file(name: str) -> list[dict[str, JsonValue]]:
    try:
        value = strict_json.loads(Path(name).read_bytes())
    except (OSError, UnreadableBody) as error:
        raise UnreadableMerchants(f"{name}: {error}") from error
    merchants = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(merchants) < len(value):
        raise UnreadableMerchants(f"{name}: must be a JSON list of objects.")
    return merchants
