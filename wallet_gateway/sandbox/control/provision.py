"""The initial state of a sandbox, and how a reset returns to it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import connection

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.api.delayed_requests import cached_next_due_at
from wallet_gateway.sandbox.api.faults import cached_has_faults
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.json_calls import Input, InvalidInput
from wallet_gateway.sandbox.merchants import BUILT_IN, add_merchant, cached_stores
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.server.delivery import cancel_all_sleeps
from wallet_gateway.sandbox.state import cached_state
from wallet_gateway.sandbox.wallet.keys import key_ring
from wallet_gateway.sandbox.wallet.three_d_secure import cached_next_expiry

_CACHES: Final = (
    cached_state,
    cached_has_faults,
    cached_next_due_at,
    cached_next_expiry,
    cached_stores,
)


class InvalidMerchantFile(ValueError):
    """The merchants file is unusable; the message says why."""


def provision() -> list[Merchant]:
    """Create or update the initial merchants; raises ``InvalidMerchantFile``."""
    name = settings.WALLET_SANDBOX_MERCHANTS_FILE
    given = _merchants_of_file(name) if name else []
    try:
        return [add_merchant(Input(merchant)) for merchant in (_built_in(), *given)]
    except InvalidInput as error:
        raise InvalidMerchantFile(f"{name}: {error}") from error


def _built_in() -> dict[str, JsonValue]:
    return {**BUILT_IN, "displayName": settings.WALLET_SANDBOX_MERCHANT_NAME.strip() or None}


def reset() -> None:
    """Delete all data, cancel sleeping requests and create the initial state."""
    cancel_all_sleeps()
    with write_lock():
        _empty_tables()
        # Keep the rows of initial merchants: a request in progress may refer to one.
        kept = provision()
        Merchant.objects.exclude(pk__in=[merchant.pk for merchant in kept]).delete()
        for cache in _CACHES:
            cache.invalidate()
    key_ring.clear()


def _empty_tables() -> None:
    models = apps.get_app_config("wallet_sandbox").get_models()
    tables = [model._meta.db_table for model in models if model is not Merchant]
    connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))


def _merchants_of_file(name: str) -> list[dict[str, JsonValue]]:
    try:
        value = strict_json.loads(Path(name).read_bytes())
    except (OSError, UnreadableBody) as error:
        raise InvalidMerchantFile(f"{name}: {error}") from error
    merchants = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(merchants) < len(value):
        raise InvalidMerchantFile(f"{name}: must be a JSON list of objects.")
    return merchants
