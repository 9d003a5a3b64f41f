"""What a sandbox starts with, and how it gets back there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.conf import settings
from django.db.models import Model

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.conditions import remembered_state
from wallet_gateway.sandbox.control_input import Input, InvalidInput
from wallet_gateway.sandbox.faults import remembered_any
from wallet_gateway.sandbox.late import remembered_due_at
from wallet_gateway.sandbox.merchants import BUILT_IN, add_merchant, remembered_stores
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
_REMEMBERED: Final = (remembered_state, remembered_any, remembered_due_at, remembered_stores)


class UnreadableMerchants(ValueError):
    """The file of merchants cannot be used; the message says why."""


def provision() -> None:
    """Make sure the merchants a sandbox starts with are there; raises ``UnreadableMerchants``."""
    name = settings.WALLET_SANDBOX_MERCHANTS_FILE
    given = _merchants_of_file(name) if name else []
    try:
        for merchant in (BUILT_IN, *given):
            add_merchant(Input(merchant))
    except InvalidInput as error:
        raise UnreadableMerchants(f"{name}: {error}") from error


def reset() -> None:
    """Forget everything and start anew."""
    with one_writer():
        for model in _TABLES:
            model._default_manager.all().delete()
        for remembered in _REMEMBERED:
            remembered.forget()
        provision()


def _merchants_of_file(name: str) -> list[dict[str, JsonValue]]:
    try:
        value = strict_json.loads(Path(name).read_bytes())
    except (OSError, UnreadableBody) as error:
        raise UnreadableMerchants(f"{name}: {error}") from error
    merchants = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(merchants) < len(value):
        raise UnreadableMerchants(f"{name}: must be a JSON list of objects.")
    return merchants
