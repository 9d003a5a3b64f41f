"""What pages of other origins load from the emulated wallet: the script ``pay.js``, and the sheet's headers.

The script is concatenated from plain files beside the sheet's, in one function scope, with its configuration.
There is no build step. Only registered shops may frame the sheet.
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
"""The parts of the script; each part may use the ones before it."""

_PLAIN: Final = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:[0-9]{1,5}|\*))?")


def wallet_script(*, origin: str, sheet: str, mode: WalletMode, merchants: Iterable[Merchant]) -> str:
    """Return the script for pages that load it from ``origin``, with the path of the sheet there."""
    facts = json.dumps(script_config(origin=origin, sheet=sheet, mode=mode, merchants=merchants))
    return "\n".join(
        ['(() => {\n"use strict"', f"const SANDBOX = {facts}", *map(_part, SCRIPT_PARTS), "})()", ""]
    )


def script_config(
    *, origin: str, sheet: str, mode: WalletMode, merchants: Iterable[Merchant]
) -> dict[str, Any]:
    """Return the script's configuration, which is public."""
    return {
        "origin": origin,
        "sheet": sheet,
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


def set_sheet_headers(response: HttpResponse, *, merchants: Iterable[Merchant]) -> HttpResponse:
    """Set the sheet's headers: it may call the sandbox, and any registered origin may frame it."""
    set_security_headers(response)
    response["Content-Security-Policy"] = sheet_policy(merchants)
    # X-Frame-Options cannot name origins and would override the policy in old browsers.
    del response["X-Frame-Options"]
    return set_cross_origin_headers(response)


def set_cross_origin_headers(response: HttpResponse) -> HttpResponse:
    """Allow pages of other origins to load this, also those that require embedding consent (COEP)."""
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    # A page with COEP requires the same header of its frames.
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    return response


def sheet_policy(merchants: Iterable[Merchant]) -> str:
    """Return the sheet's policy: files and calls of its own origin, nothing inline, no forms."""
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
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _part(name: str) -> str:
    return (SCRIPT_FOLDER / name).read_text(encoding="utf-8")


def _source(origin: str) -> str:
    """Return a registered origin as a source expression, or its scheme if a policy cannot name the host."""
    plain = origin.rstrip("/").lower()
    # A policy cannot name an IPv6 address, and white space or punctuation could add directives.
    return plain if _PLAIN.fullmatch(plain) else f"{plain.partition(':')[0]}:"
