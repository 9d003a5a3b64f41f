"""The scripts that shops' pages load: the emulated wallet's ``pay.js`` and the service's ``wallet.js``.

``pay.js`` is concatenated from plain files beside the sheet's, in one function scope, with its
configuration; there is no build step. ``wallet.js`` is the plugin's own, as a gateway would ship it. A page
names no gateway: its address and the rest stand in front of the script. Its modules are below an address that
contains a digest of all files, so that browsers may keep them for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from wallet_gateway.sandbox.merchants import GATEWAY_NAME
from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.wallet.accounts import CARDS

_PAY_JS: Final = Path(__file__).parents[1] / "static" / "wallet_sandbox" / "wallet" / "pay"
# Each part may use the ones before it.
_PAY_JS_PARTS: Final = ("checks.js", "words.js", "button.js", "frame.js", "client.js")
_WALLET_JS: Final = Path(__file__).parents[2] / "static" / "wallet_gateway"
_MODULES_IN_WALLET_JS: Final = "./wallet/main.js"
_DIGITS: Final = 12

# What a page says on the script's tag goes before it.
_CONFIGURATION: Final = """\
;(({ dataset }) => Object.assign(dataset, %s, { ...dataset }))
  (document.currentScript ?? document.querySelector('script[src*="/wallet.js"]'))
"""


def pay_js(*, origin: str, sheet: str, mode: WalletMode, merchants: Iterable[Merchant]) -> str:
    """Return ``pay.js`` for pages that load it from ``origin``, with the path of the sheet there."""
    cards = [
        {"network": card.network, "authMethod": card.auth_method, "fundingSource": card.funding}
        for card in CARDS
    ]
    facts = {
        "origin": origin,
        "sheet": sheet,
        "mode": mode,
        "gateways": sorted({merchant.gateway_name for merchant in merchants}),
        "cards": cards,
    }
    parts = [(_PAY_JS / name).read_text(encoding="utf-8") for name in _PAY_JS_PARTS]
    return "\n".join(['(() => {\n"use strict"', f"const SANDBOX = {json.dumps(facts)}", *parts, "})()", ""])


def wallet_js(*, base_url: str, pay_js_url: str) -> str:
    """Return ``wallet.js`` for pages whose gateway and wallet are at these addresses."""
    script = (_WALLET_JS / "wallet.js").read_text(encoding="utf-8")
    facts = {"gatewayName": GATEWAY_NAME, "gatewayUrl": base_url, "payJsUrl": pay_js_url}
    versioned = script.replace(_MODULES_IN_WALLET_JS, f"./wallet/{wallet_js_version()}/main.js")
    return _CONFIGURATION % json.dumps(facts) + versioned


def wallet_js_module(name: str, *, version: str) -> str | None:
    """Return the text of a module of ``wallet.js``; None for an unknown module or another version."""
    modules = {path.stem: path for path in _module_files()}
    if name not in modules or version != wallet_js_version():
        return None
    return modules[name].read_text(encoding="utf-8")


def wallet_js_version() -> str:
    """Return the digest of ``wallet.js`` and its modules."""
    digest = hashlib.sha256()
    for path in (_WALLET_JS / "wallet.js", *_module_files()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _module_files() -> list[Path]:
    return sorted((_WALLET_JS / "wallet").glob("*.js"))
