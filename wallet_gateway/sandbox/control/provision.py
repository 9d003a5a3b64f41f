"""The initial state of a sandbox, and how a reset returns to it."""

from __future__ import annotations

from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import connection

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import UnreadableBody
from wallet_gateway.protocol.strict_json import JsonValue
from wallet_gateway.sandbox.db_transactions import write_lock
from wallet_gateway.sandbox.json_calls import Input, InvalidInput
from wallet_gateway.sandbox.merchants import BUILT_IN, add_merchant
from wallet_gateway.sandbox.models import Merchant, SandboxState
from wallet_gateway.sandbox.server import cancel_all_sleeps
from wallet_gateway.sandbox.tokens import key_ring


class InvalidMerchantFile(ValueError):
    """The merchants file is unusable; the message says why."""


def provision() -> list[Merchant]:
    """Create the row of state, and create or update the initial merchants; raises ``InvalidMerchantFile``."""
    name = settings.WALLET_SANDBOX_MERCHANTS_FILE
    given = _merchants_of_file(name) if name else []
    built_in = BUILT_IN | {"displayName": settings.WALLET_SANDBOX_MERCHANT_NAME.strip() or None}
    SandboxState.objects.get_or_create(pk=1)
    try:
        return [add_merchant(Input(merchant)) for merchant in (built_in, *given)]
    except InvalidInput as error:
        raise InvalidMerchantFile(f"{name}: {error}") from error


def reset() -> None:
    """Delete all data, cancel sleeping requests and create the initial state."""
    cancel_all_sleeps()
    with write_lock():
        models = apps.get_app_config("wallet_sandbox").get_models()
        tables = [model._meta.db_table for model in models if model is not Merchant]
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))
        # Keep the rows of initial merchants: a request in progress may refer to one.
        kept = provision()
        Merchant.objects.exclude(pk__in=[merchant.pk for merchant in kept]).delete()
    key_ring.clear()


def _merchants_of_file(name: str) -> list[dict[str, JsonValue]]:
    try:
        value = strict_json.loads(Path(name).read_bytes())
    except (OSError, UnreadableBody) as error:
        raise InvalidMerchantFile(f"{name}: {error}") from error
    merchants = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(merchants) < len(value):
        raise InvalidMerchantFile(f"{name}: must be a JSON list of objects.")
    return merchants
