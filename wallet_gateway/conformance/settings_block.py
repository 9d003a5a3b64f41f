"""The block of settings that follows from a run, ready for the settings of a Django project."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from wallet_gateway.conformance.results import SettingValue
from wallet_gateway.conformance.run import Result
from wallet_gateway.conformance.target import Account

_OF_AUTH = "yours to write; see AUTH in the settings reference"


def settings_block(url: str, account: Account, results: Iterable[Result]) -> str:
    """Return the assignment of ``WALLET_GATEWAY`` as Python; what stays at its default is left out."""
    own = {
        "BASE_URL": url,
        "MERCHANT_ID": account.merchant_id,
        "STORE_ID": account.store_id,
        "USER_ID": account.user_id,
        "PROVIDER": account.provider,
    }
    if account.profile != "test":
        own["PROFILE"] = account.profile
    lines = [f'            "{name}": {_literal(value)},' for name, value in own.items()]
    for result in results:
        for name, value in result.settings.items():
            remark = _OF_AUTH if name == "AUTH" else result.probe.name
            lines.append(f'            "{name}": {_literal(value)},  # {remark}')
    return "\n".join(
        [
            "WALLET_GATEWAY = {",
            '    "PUBLIC_ORIGIN": "https://shop.example",  # yours',
            '    "GATEWAYS": {',
            '        "default": {',
            *lines,
            "        },",
            "    },",
            "}",
        ]
    )


def _literal(value: SettingValue) -> str:
    """Write a value as Python with double quotes."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(part)}" for key, part in value.items()) + "}"
    return "(" + ", ".join(map(_literal, value)) + ("," if len(value) == 1 else "") + ")"
