"""The block of settings is Python, and one that the project's own rules find nothing wrong with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.conformance.registry import Probe
from wallet_gateway.conformance.results import Outcome, SettingValue
from wallet_gateway.conformance.run import Result
from wallet_gateway.conformance.settings_block import settings_block
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT

URL = "https://gateway.example"


def reported(**settings: SettingValue) -> Result:
    probe = Probe(name="open.x", section="x", title="x", check=lambda _: None)
    return Result(probe=probe, outcome=Outcome.REPORTED, settings=settings)


def settings_of(block: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(block, "block", "exec"), names)
    found: dict[str, Any] = names["WALLET_GATEWAY"]
    return found


def test_a_gateway_like_the_sandbox_needs_its_account_only(settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings_of(settings_block(URL, SANDBOX_ACCOUNT, [reported()]))
    assert settings.WALLET_GATEWAY["GATEWAYS"]["default"] == {
        "BASE_URL": URL,
        "MERCHANT_ID": "SANDBOX-MERCHANT",
        "STORE_ID": "SANDBOX-STORE",
        "USER_ID": "sandbox-user",
        "PROVIDER": "ExampleWalletV2",
    }
    assert payments.maintenance.gateway_aliases() == ("default",)


def test_what_was_found_is_a_setting_with_the_name_of_its_probe(settings: Settings) -> None:
    results = [
        reported(SHARES_REFERENCES=True),
        reported(REDIRECT_HOSTS=("pay.example",), PATHS={"checkout": '/pay/"x"'}),
    ]
    account = replace(SANDBOX_ACCOUNT, profile="prod", merchant_id="M-100")
    block = settings_block(URL, account, results)
    settings.WALLET_GATEWAY = settings_of(block)
    found = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    assert (found["SHARES_REFERENCES"], found["REDIRECT_HOSTS"]) == (True, ("pay.example",))
    assert (found["PATHS"], found["PROFILE"]) == ({"checkout": '/pay/"x"'}, "prod")
    assert payments.maintenance.gateway_aliases() == ("default",)
    assert '"SHARES_REFERENCES": True,  # open.x' in block


def test_what_a_shop_has_to_write_is_said() -> None:
    block = settings_block(URL, SANDBOX_ACCOUNT, [reported(AUTH="myshop.signing.sign")])
    assert '"AUTH": "myshop.signing.sign",  # yours to write; see AUTH in the settings reference' in block
