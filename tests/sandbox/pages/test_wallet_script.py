"""The wallet's script: whole, closed, and knowing what it must and nothing more."""

from __future__ import annotations

import json
import re

from wallet_gateway.sandbox.models import Merchant, WalletMode
from wallet_gateway.sandbox.pages.wallet_script import FOLDER, PARTS, script_facts, wallet_script
from wallet_gateway.sandbox.wallet_cards import CARDS

ORIGIN = "http://127.0.0.1:8001"
SHOPS = [Merchant(gateway_name="examplegateway"), Merchant(gateway_name="examplegateway")]


def script(mode: WalletMode = WalletMode.READY) -> str:
    return wallet_script(origin=ORIGIN, mode=mode, merchants=SHOPS)


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


def test_no_file_of_the_folder_is_left_out() -> None:
    assert {file.name for file in FOLDER.glob("*.js")} == set(PARTS)


def test_nothing_of_it_leaks_into_the_page_but_one_global() -> None:
    text = script()
    assert text.startswith('(() => {\n"use strict"\n')
    assert text.endswith("})()\n")


def test_it_is_told_where_it_comes_from_and_how_to_behave() -> None:
    found = re.search(r"^const SANDBOX = (.*)$", script(WalletMode.SLOW), re.MULTILINE)
    assert found is not None
    facts = json.loads(found[1])
    assert (facts["origin"], facts["mode"], facts["gateways"]) == (ORIGIN, "slow", ["examplegateway"])
    assert len(facts["cards"]) == len(CARDS)


def test_it_knows_no_digit_of_a_card() -> None:
    facts = script_facts(origin=ORIGIN, mode=WalletMode.READY, merchants=SHOPS)
    assert {name for card in facts["cards"] for name in card} == {"network", "authMethod", "fundingSource"}
    assert not [card for card in CARDS if card.last_four in json.dumps(facts["cards"])]
