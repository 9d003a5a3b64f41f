"""The wallet's script is complete and closed; the sheet is framed by registered shops alone."""

from __future__ import annotations

import json
import re

from tests.tables import every
from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.wallet.accounts import CARDS
from wallet_gateway.sandbox.wallet.embedding import (
    sheet_policy,
    wallet_script,
)

ORIGIN = "http://127.0.0.1:8001"
SHOPS = [Merchant(gateway_name="examplegateway"), Merchant(gateway_name="examplegateway")]


def script(mode: WalletMode = WalletMode.READY) -> str:
    return wallet_script(origin=ORIGIN, sheet="/below/wallet/sheet", mode=mode, merchants=SHOPS)


def test_every_part_is_in_it_in_order() -> None:
    places = [
        script().index(name)
        for name in (
            "faultOfRequest(",
            "const WORDS",
            "function walletButton",
            "class SheetFrame",
            "class PaymentsClient",
        )
    ]
    assert places == sorted(places)


def test_it_is_told_where_it_comes_from_and_how_to_behave() -> None:
    found = re.search(r"^const SANDBOX = (.*)$", script(WalletMode.SLOW), re.MULTILINE)
    assert found is not None
    facts = json.loads(found[1])
    assert (facts["origin"], facts["mode"], facts["gateways"]) == (ORIGIN, "slow", ["examplegateway"])
    assert facts["sheet"] == "/below/wallet/sheet"
    assert len(facts["cards"]) == len(CARDS)


def policy(*origins: str) -> dict[str, str]:
    parts = sheet_policy([Merchant(origins=list(origins))]).split("; ")
    return dict(part.split(" ", 1) for part in parts)


def test_nothing_inline_and_nothing_foreign_runs() -> None:
    assert policy("https://shop.example") == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "https://shop.example",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


@every(
    ("origin", "source"),
    [
        ("https://shop.example/", "https://shop.example"),
        ("http://127.0.0.1:*", "http://127.0.0.1:*"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:*", "http:"),
        ("https://shop.example; script-src *", "https:"),
        ("https://shop.example *", "https:"),
    ],
)
def test_an_origin_is_named_as_a_policy_can_and_cannot_write_more_of_it(origin: str, source: str) -> None:
    assert policy(origin)["frame-ancestors"] == source
