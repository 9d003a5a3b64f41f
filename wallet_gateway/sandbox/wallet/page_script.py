"""The service's ``wallet.js`` for shops' pages: with what the service knows of itself, and its modules.

The script is the plugin's own, as a gateway would ship it. A page names no gateway: its address and the rest
stand in front of the script. The modules are below an address that contains a digest of all files, so that
browsers may keep them for ever.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from wallet_gateway.sandbox.merchants import GATEWAY_NAME

FOLDER: Final = Path(__file__).parents[2] / "static" / "wallet_gateway"
SCRIPT: Final = FOLDER / "wallet.js"
_MODULES: Final = FOLDER / "wallet"
_IMPORTED: Final = "./wallet/main.js"
_DIGITS: Final = 12

# What a page says on the script's tag goes before it.
_CONFIGURATION: Final = """\
;(({ dataset }) => Object.assign(dataset, %s, { ...dataset }))
  (document.currentScript ?? document.querySelector('script[src*="/wallet.js"]'))
"""


def page_script(*, base_url: str, pay_js_url: str) -> str:
    """Return the script for pages whose gateway and wallet are at these addresses."""
    script = SCRIPT.read_text(encoding="utf-8")
    facts = {"gatewayName": GATEWAY_NAME, "gatewayUrl": base_url, "payJsUrl": pay_js_url}
    versioned = script.replace(_IMPORTED, f"./wallet/{version()}/main.js")
    return _CONFIGURATION % json.dumps(facts) + versioned


def module(name: str, *, of_version: str) -> str | None:
    """Return the text of a module; None if there is no such module, or not in this version."""
    files = {path.stem: path for path in _files()[1:]}
    if name not in files or of_version != version():
        return None
    return files[name].read_text(encoding="utf-8")


def version() -> str:
    """Return the digest of the script and its modules."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _files() -> list[Path]:
    return [SCRIPT, *sorted(_MODULES.glob("*.js"))]
