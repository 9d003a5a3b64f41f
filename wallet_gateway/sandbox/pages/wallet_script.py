"""The wallet's script as a page loads it: its parts in order in one closed scope, and what they must know.

The parts lie as plain files beside the sheet's; nothing is built in advance.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.wallet_cards import CARDS

FOLDER: Final = Path(__file__).parent.parent / "static" / "wallet_sandbox" / "wallet" / "pay"
PARTS: Final = ("checks.js", "words.js", "button.js", "frame.js", "client.js")
"""What the script is made of; each part may use the ones before it."""


def wallet_script(*, origin: str, mode: WalletMode, merchants: Iterable[Merchant]) -> str:
    """Write the script for pages that load it from ``origin``."""
    facts = json.dumps(script_facts(origin=origin, mode=mode, merchants=merchants))
    return "\n".join(['(() => {\n"use strict"', f"const SANDBOX = {facts}", *map(_part, PARTS), "})()", ""])


def script_facts(*, origin: str, mode: WalletMode, merchants: Iterable[Merchant]) -> dict[str, Any]:
    """Give what the script must know: nothing that a page may not see."""
    return {
        "origin": origin,
        "mode": mode.value,
        "gateways": sorted({merchant.gateway_name for merchant in merchants}),
        "cards": [
            {
                "network": card.network.value,
                "authMethod": card.auth_method,
                "fundingSource": card.funding.value,
            }
            for card in CARDS
        ],
    }


def _part(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
