"""The wallet's script as a page loads it: its parts in order in one closed scope, and what they must know.

The parts lie as plain files beside the sheet's; nothing is built in advance.

The headers of what the emulated wallet shows on other sites' pages: framed by registered shops alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.http import HttpResponse

from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.pages.headers import set_security_headers
from wallet_gateway.sandbox.wallet.accounts import CARDS

SCRIPT_FOLDER: Final = Path(__file__).parent.parent / "static" / "wallet_sandbox" / "wallet" / "pay"
SCRIPT_PARTS: Final = ("checks.js", "words.js", "button.js", "frame.js", "client.js")
"""What the script is made of; each part may use the ones before it."""


def wallet_script(*, origin: str, mode: WalletMode, merchants: Iterable[Merchant]) -> str:
    """Write the script for pages that load it from ``origin``."""
    facts = json.dumps(script_config(origin=origin, mode=mode, merchants=merchants))
    return "\n".join(
        ['(() => {\n"use strict"', f"const SANDBOX = {facts}", *map(_part, SCRIPT_PARTS), "})()", ""]
    )


def script_config(*, origin: str, mode: WalletMode, merchants: Iterable[Merchant]) -> dict[str, Any]:
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
    return (SCRIPT_FOLDER / name).read_text(encoding="utf-8")


_PLAIN: Final = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:[0-9]{1,5}|\*))?")


def set_sheet_headers(response: HttpResponse, *, merchants: Iterable[Merchant]) -> HttpResponse:
    """Give the sheet its headers: it may call the sandbox, and lie in a frame of any registered origin."""
    set_security_headers(response)
    response["Content-Security-Policy"] = sheet_policy(merchants)
    # Older than the policy's frame-ancestors and unable to name origins.
    del response["X-Frame-Options"]
    return set_cross_origin_headers(response)


def set_cross_origin_headers(response: HttpResponse) -> HttpResponse:
    """Let pages of other origins take this in, those too that demand to be asked."""
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    # A page that demands it of itself demands it of its frames.
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    return response


def sheet_policy(merchants: Iterable[Merchant]) -> str:
    """The policy of the sheet: files and calls of its own origin, nothing inline, no forms."""
    named = sorted({_source(origin) for merchant in merchants for origin in merchant.origins})
    ancestors = " ".join(named) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
        )
    )


def _source(origin: str) -> str:
    """A registered origin as a policy names it: its scheme alone where the host cannot stand in a policy."""
    plain = origin.rstrip("/").lower()
    # An IPv6 address has no spelling there, and blanks or signs would write the rest of the policy.
    return plain if _PLAIN.fullmatch(plain) else f"{plain.partition(':')[0]}:"
