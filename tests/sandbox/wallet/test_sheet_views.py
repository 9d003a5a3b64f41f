"""The addresses a shop's page loads: never cached, for every origin, failing where told to."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from email.message import Message

import pytest
from django.utils import translation

from tests.sandbox.pages.visitor import Markup
from wallet_gateway.formats import format_money
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.pages.localization import LANGUAGES
from wallet_gateway.testing.control import SandboxControl


def fetch(address: str, *, language: str = "en", method: str = "GET") -> tuple[int, Message, str]:
    request = urllib.request.Request(address, headers={"Accept-Language": language}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


def test_the_script_is_for_pages_of_every_origin_and_never_cached(control: SandboxControl) -> None:
    status, headers, text = fetch(f"{control.base_url}/wallet/pay.js")
    assert status == 200
    assert f'"origin": "{control.base_url}"' in text
    assert headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_sheet_holds_nothing_inline(control: SandboxControl) -> None:
    _, headers, text = fetch(f"{control.base_url}/wallet/sheet")
    markup = Markup(text)
    assert not markup.all("style")
    for element in markup.elements:
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
    assert not markup.one("script").text
    assert "frame-ancestors http: http://127.0.0.1:* http://localhost:*" in headers["Content-Security-Policy"]


def price_texts(control: SandboxControl, language: str, body: object, **headers: str) -> tuple[int, object]:
    request = urllib.request.Request(
        f"{control.base_url}/wallet/api/price-texts",
        data=json.dumps(body).encode(),
        headers={"Accept-Language": language, "Content-Type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sheet_gets_its_prices_as_the_shop_writes_them(control: SandboxControl, language: str) -> None:
    prices = ["1234.5", "0", "-2.70"]
    status, texts = price_texts(control, language, {"currency": "EUR", "prices": prices})
    with translation.override(language):
        expected = [format_money(Money.parse(one, "EUR", allow_zero=True)) for one in prices[:2]]
        expected.append(format_money(Money.parse("2.70", "EUR"), negative=True))
    assert (status, texts) == (200, dict(zip(prices, expected, strict=True)))


@pytest.mark.parametrize(
    "body", [{}, {"currency": 1}, {"currency": "EUR", "prices": "1"}, {"currency": "EUR", "x": 1}]
)
def test_prices_that_are_none_are_refused(control: SandboxControl, body: object) -> None:
    assert price_texts(control, "en", body)[0] == 400
