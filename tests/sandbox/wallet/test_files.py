"""What a shop's page loads of the wallet: scripts, the framed sheet, its calls, and the keys behind them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any

from django.utils import translation

from tests.sandbox.merchant import Answer, Merchant
from tests.sandbox.visitor import Markup
from tests.sandbox.wallet_buyer import Buyer
from tests.support.exhaustive import LANGUAGES
from tests.support.tables import every
from wallet_gateway.formats import format_money
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

APPROVE, STATE, PRICES = "/wallet/api/payment-data", "/wallet/api/state", "/wallet/api/price-texts"
KEYS = "/wallet/keys.json"
FOR_EVER = "public, max-age=31536000, immutable"
MODULES = ("approvals", "main", "parameters", "run")


def get(merchant: Merchant, path: str, **headers: str) -> Answer:
    return merchant.send("GET", path, headers=headers)


# Scripts


def test_the_services_script_is_for_pages_of_every_origin_and_kept_under_its_version(
    merchant: Merchant,
) -> None:
    plain = get(merchant, "/wallet.js")
    (main,) = set(re.findall(r'"\.(/wallet/[^"]+)"', plain.body.decode()))
    modules = [main.replace("/main.js", f"/{name}.js") for name in MODULES]
    for path, kept in (
        ("/wallet.js", "no-cache"),
        ("/wallet.js?v=7", FOR_EVER),
        *((module, FOR_EVER) for module in modules),
    ):
        answer = get(merchant, path, Origin="https://shop.example")
        expected = {
            "content-type": "text/javascript; charset=utf-8",
            "access-control-allow-origin": "*",
            "cross-origin-resource-policy": "cross-origin",
            "x-content-type-options": "nosniff",
            "cache-control": kept,
        }
        assert (answer.status, answer.headers | expected) == (200, answer.headers), path
    imported = {
        name
        for module in modules
        for name in re.findall(r'"\./(\w+)\.js"', get(merchant, module).body.decode())
    }
    assert imported <= set(MODULES)
    again = get(merchant, "/wallet.js", **{"If-None-Match": plain.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_the_wallets_script_knows_where_it_comes_from_and_is_never_cached(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.wallet("slow")
    answer = get(merchant, "/wallet/pay.js")
    text = answer.body.decode()
    found = re.search(r"^const SANDBOX = (.*)$", text, re.MULTILINE)
    assert found is not None
    facts = json.loads(found[1])
    assert (facts["origin"], facts["mode"], facts["sheet"]) == (control.base_url, "slow", "/wallet/sheet")
    assert facts["gateways"] == ["examplegateway"]
    assert len(facts["cards"]) == 10
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"


# The sheet


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
def test_the_sheet_is_framed_by_registered_shops_alone_and_runs_nothing_inline_or_foreign(
    merchant: Merchant, control: SandboxControl, origin: str, source: str
) -> None:
    control.reset()
    ids = {"merchant_id": "SANDBOX-MERCHANT", "store_id": "SANDBOX-STORE", "user_id": "sandbox-user"}
    control.add_merchant(**ids, origins=(origin,))
    answer = get(merchant, "/wallet/sheet")
    parts = answer.headers["content-security-policy"].split("; ")
    assert dict(part.split(" ", 1) for part in parts) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": source,
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    markup = Markup(answer.body.decode())
    assert not markup.all("style")
    for element in markup.elements:
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
    assert not markup.one("script").text


@every("language", LANGUAGES)
def test_the_sheet_gets_its_prices_as_the_shop_writes_them(merchant: Merchant, language: str) -> None:
    prices = ["1234.5", "0", "-2.70", "28.905", "--5", "1,5"]
    body = {"currency": "EUR", "prices": prices}
    texts = merchant.post(PRICES, body, {"Accept-Language": language}).json
    with translation.override(language):
        expected = [format_money(Money.parse(one, "EUR", allow_zero=True)) for one in prices[:2]]
        expected.append(format_money(Money.parse("2.70", "EUR"), negative=True))
    # What is no amount of the currency is left as it is.
    assert texts == dict(zip(prices, [*expected, *(f"{one} EUR" for one in prices[3:])], strict=True))


REQUEST = {
    "allowedPaymentMethods": [
        {"tokenizationSpecification": {"parameters": {"gatewayMerchantId": "SANDBOX-MERCHANT"}}}
    ]
}
NO_APPROVAL: list[Any] = [
    {},
    [],
    {"cardId": "visa-token"},
    {"cardId": "nobody", "request": REQUEST},
    {"cardId": 7, "request": REQUEST},
    {"cardId": "visa-token", "request": []},
    {"cardId": "visa-token", "request": {"allowedPaymentMethods": []}},
    {"cardId": "visa-token", "request": REQUEST, "more": 1},
    {"cardId": "visa-token", "request": REQUEST, "choices": "x"},
]
NO_PRICES: list[Any] = [{}, {"currency": 1}, {"currency": "EUR", "prices": "1"}, {"currency": "EUR", "x": 1}]
CARD: dict[str, Any] = {"cardId": "visa-token", "request": REQUEST}


@every(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_pages_approve_nothing_and_see_nothing(merchant: Merchant, headers: dict[str, str]) -> None:
    assert merchant.post(APPROVE, CARD, headers).code == "4403002"
    assert merchant.post(PRICES, {"currency": "EUR", "prices": []}, headers).code == "4403002"
    assert get(merchant, STATE, **headers).code == "4403002"


@every(
    ("path", "body"),
    [
        *((APPROVE, body) for body in NO_APPROVAL),
        *((PRICES, body) for body in NO_PRICES),
    ],
)
def test_what_the_sheet_cannot_mean_is_refused(merchant: Merchant, path: str, body: object) -> None:
    answer = merchant.post(path, body)
    assert (answer.status, answer.code) == (400, "4400004")


def test_the_sheet_is_told_its_mode_and_what_is_stored_and_a_card_brings_its_own_accounts_data(
    merchant: Merchant, control: SandboxControl
) -> None:
    for mode in ("ready", "not_ready", "no_card", "script_fails", "slow", "developer_error", "cancelled"):
        assert control.wallet(mode) == control.wallet() == mode
        state = get(merchant, STATE).json
        assert state["mode"] == mode
    home, office = state["accounts"]
    assert (len(home["cards"]), len(office["cards"])) == (10, 2)
    shown = {"id", "name", "network", "authMethod", "fundingSource", "lastFour", "description", "art"}
    assert set(home["cards"][0]) == shown
    assert "4111111111111111" not in str(state)

    method = REQUEST["allowedPaymentMethods"][0] | {"parameters": {"billingAddressRequired": True}}
    asked = {"emailRequired": True, "shippingAddressRequired": True, "allowedPaymentMethods": [method]}
    given = merchant.post(APPROVE, {"cardId": office["cards"][0]["id"], "request": asked}).json
    assert given["email"] == office["email"]
    assert given["shippingAddress"]["countryCode"] == "PT"
    assert given["paymentMethodData"]["info"]["billingAddress"]["name"] == office["name"]


# Keys


def signed_key(buyer: Buyer) -> str:
    token = json.loads(buyer.data()["paymentMethodData"]["tokenizationData"]["token"])
    return str(token["intermediateSigningKey"]["signedKey"])


def test_anybody_may_read_the_root_keys_which_are_renewed_a_year_before_they_end(
    merchant: Merchant, control: SandboxControl, buyer: Buyer
) -> None:
    answer = get(merchant, KEYS, Origin="https://evil.example")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert "max-age" in answer.headers["cache-control"]
    (key,) = answer.json["keys"]
    assert set(key) == {"keyValue", "protocolVersion", "keyExpiration"}
    assert key["protocolVersion"] == "ECv2"
    now = datetime.fromisoformat(control.advance_clock(0))
    assert abs(int(key["keyExpiration"]) / 1000 - (now + timedelta(days=3650)).timestamp()) < 60

    first = signed_key(buyer)
    control.advance_clock(timedelta(days=4).total_seconds())
    assert signed_key(buyer) == first
    control.advance_clock(timedelta(days=1, seconds=1).total_seconds())
    assert signed_key(buyer) != first
    assert get(merchant, KEYS).json["keys"] == [key]

    control.advance_clock(timedelta(days=3650 - 5 - 364).total_seconds())
    assert get(merchant, KEYS).json["keys"][1:] == [key]
    later = Buyer(merchant, control)
    assert later.create(later.data()).status == 200
