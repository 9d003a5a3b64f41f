"""The curl line in a template: for the address that the page was asked at, and safe in HTML."""

from __future__ import annotations

from django.template import Context
from pytest_django import Settings

from wallet_gateway.sandbox.console.buttons import Button
from wallet_gateway.sandbox.templatetags.console_controls import curl_line, register


def test_the_line_calls_the_sandbox_that_shows_it(settings: Settings) -> None:
    settings.WALLET_SANDBOX_CONTROL_KEY = ""
    button = Button(label="x", call="wallet", fields={"mode": "slow"})
    line = curl_line(Context({"base_url": "http://sandbox.internal:8001"}), button)
    assert line == """curl --json '{"mode":"slow"}' http://sandbox.internal:8001/_sandbox/wallet"""


def test_a_template_finds_it_by_its_name() -> None:
    assert list(register.tags) == ["curl_line"]
