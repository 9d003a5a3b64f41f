"""The block of settings that follows from a run, ready for the settings of a Django project."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from wallet_gateway.conformance.results import SettingValue
from wallet_gateway.conformance.run import Result
from wallet_gateway.conformance.target import Account

_REMARKS: Final = {"AUTH": "yours to write; see AUTH in the settings reference"}


def settings_block(url: str, account: Account, results: Iterable[Result]) -> str:
    """Return the assignment of ``WALLET_GATEWAY`` as Python; what stays at its default is left out."""
    lines = [_line(name, value) for name, value in _account_settings(url, account).items()]
    for result in results:
        for name, value in result.settings.items():
            lines.append(_line(name, value, _REMARKS.get(name, result.probe.name)))
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


def _account_settings(url: str, account: Account) -> dict[str, SettingValue]:
    settings: dict[str, SettingValue] = {
        "BASE_URL": url,
        "MERCHANT_ID": account.merchant_id,
        "STORE_ID": account.store_id,
        "USER_ID": account.user_id,
        "PROVIDER": account.provider,
    }
    return settings | ({"PROFILE": account.profile} if account.profile != "test" else {})


def _line(name: str, value: SettingValue, remark: str = "") -> str:
    comment = f"  # {remark}" if remark else ""
    return f'            "{name}": {_literal(value)},{comment}'


def _literal(value: SettingValue) -> str:
    """Write a value as Python with double quotes."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(part)}" for key, part in value.items()) + "}"
    return "(" + ", ".join(map(_literal, value)) + ("," if len(value) == 1 else "") + ")"
