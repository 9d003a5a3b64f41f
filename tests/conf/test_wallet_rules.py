"""What is wrong with a wallet's settings is named, with what would be right, and without any key."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from tests.tables import every
from wallet_gateway import conf
from wallet_gateway.conf.published_keys import FERNET_KEYS
from wallet_gateway.conf.rules import problems_of
from wallet_gateway.conf.wallet_rules import PRODUCTION_PAY_JS
from wallet_gateway.domain.wallet_limits import WalletLimits

WALLET: dict[str, Any] = {"COUNTRY": "DE"}
KEY = Fernet.generate_key().decode()
HASH = f"sha384-{'A' * 64}"
NO_CALLABLE = "wallet_gateway.conf.values.SETTING"
HERE = "WALLET_GATEWAY['GATEWAYS']['default']['WALLET']"


def setting(wallet: object = WALLET, *, keys: object = (KEY,), **gateway: object) -> dict[str, Any]:
    given = {
        "BASE_URL": "https://gateway.example",
        "MERCHANT_ID": "M",
        "STORE_ID": "S",
        "USER_ID": "u",
        "PROVIDER": "ExampleWalletV2",
        "WALLET": wallet,
    }
    return {
        "PUBLIC_ORIGIN": "https://shop.example",
        "GATEWAYS": {"default": given | gateway},
        "FERNET_KEYS": keys,
    }


def problems(raw: dict[str, Any], *, debug: bool = False) -> dict[str, str]:
    return {problem.setting: problem.expected for problem in problems_of(raw, debug=debug)}


def test_a_country_is_all_that_a_wallet_needs() -> None:
    assert problems(setting()) == {}


WRONG: list[tuple[str, object, str]] = [
    ("COUNTRY", None, "two letters"),
    ("COUNTRY", "DEU", "two letters"),
    ("COUNTRY", "de", "two letters"),
    ("COUNTRY", "XX", "two letters"),
    ("COUNTRY", 49, "two letters"),
    ("MERCHANT_NO", "\ud800", "one line"),
    ("MERCHANT_NAME", "Shop\n7", "one line"),
    ("BUTTON_LOCALE", "de\0", "one line"),
    ("GATEWAY_NAME", "", "the name"),
    ("GATEWAY_NAME", "two words", "the name"),
    ("CARD_NETWORKS", (), "VISA"),
    ("CARD_NETWORKS", ["INTERAC"], "VISA"),
    ("CARD_NETWORKS", [["VISA"]], "VISA"),
    ("CARD_NETWORKS", "VISA", "a list, tuple or set"),
    ("ALLOW_PREPAID", 1, "True or False"),
    ("ALLOW_CREDIT", "no", "True or False"),
    ("EXISTING_PAYMENT_METHOD_REQUIRED", None, "True or False"),
    ("ACCEPT_UNAUTHENTICATED", "U", "True or False"),
    ("MERCHANT_NO", 12345678901234567890, "a text"),
    ("MERCHANT_NAME", None, "a text"),
    ("PAY_JS_URL", "http://pay.example/pay.js", "https"),
    ("PAY_JS_URL", "pay.js", "https"),
    ("WALLET_JS_URL", "http://cdn.example/wallet.js", "https"),
    ("WALLET_JS_INTEGRITY", "sha384-" + "A" * 63, "hashes"),
    ("WALLET_JS_INTEGRITY", "sha384-" + "A" * 43 + "=", "hashes"),
    ("WALLET_JS_INTEGRITY", "md5-" + "A" * 22 + "==", "hashes"),
    ("WALLET_JS_INTEGRITY", "sha256-" + "A" * 43 + '="', "hashes"),
    ("WALLET_JS_INTEGRITY", f"{HASH}  {HASH}", "hashes"),
    ("WALLET_JS_INTEGRITY", ["sha384"], "a text"),
    ("WALLET_JS_CORS", "anonymous", "True or False"),
    ("TRUSTED_TYPES", "goog#html", "a list"),
    ("TRUSTED_TYPES", ["goog html"], "names of policies"),
    ("TRUSTED_TYPES", ["x; script-src *"], "names of policies"),
    ("TRUSTED_TYPES", [7], "names of policies"),
    ("THREE_D_SECURE", "external", "'redirect' or the dotted path"),
    ("THREE_D_SECURE", NO_CALLABLE, "'redirect' or the dotted path"),
    ("PRICING", NO_CALLABLE, "the dotted path"),
    ("BUTTON_OVERRIDES", NO_CALLABLE, "the dotted path"),
    ("CALLBACKS", ["PAYMENT_METHOD"], "SHIPPING_ADDRESS"),
    ("CALLBACKS", [{}], "SHIPPING_ADDRESS"),
    ("EMAIL_REQUIRED", 1, "True or False"),
    ("BILLING_ADDRESS", "full", "'MIN'"),
    ("BILLING_ADDRESS", True, "a text"),
    ("SHIPPING_ADDRESS", "yes", "True or False"),
    ("BILLING_PHONE_REQUIRED", "yes", "True or False"),
    ("BILLING_PHONE_REQUIRED", True, "unless BILLING_ADDRESS"),
    ("SHIPPING_PHONE_REQUIRED", 1, "True or False"),
    ("SHIPPING_PHONE_REQUIRED", True, "unless SHIPPING_ADDRESS"),
    ("CHECKOUT_OPTION", "CONTINUE_TO_REVIEW", "'COMPLETE_IMMEDIATE_PURCHASE'"),
    ("TOTAL_PRICE_LABEL", None, "a text"),
    ("TOTAL_PRICE_LABEL", "To\npay", "one line"),
    ("TOTAL_PRICE_LABEL", "x" * 101, "at most 100"),
    ("SHIPPING_COUNTRIES", ["DEU"], "ISO 3166"),
    ("USE_WALLET_BUTTON", "yes", "True or False"),
    ("BUTTON_COLOR", "pink", "'black'"),
    ("BUTTON_TYPE", "steal", "'buy'"),
    ("BUTTON_SIZE_MODE", "huge", "'fill'"),
    ("BUTTON_LOCALE", 7, "a text"),
    ("BUTTON_COLOUR", "black", "unknown name"),
    ("LIMITS", 20, "a dict"),
]
WRONG_LIMITS = [
    ("RESULTS", 0, "a whole number from 1 to 1000"),
    ("RESULTS", 1001, "a whole number from 1 to 1000"),
    ("SESSIONS", "20", "a whole number, not str"),
    ("ATTEMPTS", True, "a whole number, not bool"),
    ("PRICES", None, "a whole number, not NoneType"),
    ("CARDS", 5, "unknown name; known: SESSIONS"),
]


@every(("name", "value", "expected"), WRONG_LIMITS, ids=[f"{n}={v!r}" for n, v, _ in WRONG_LIMITS])
def test_a_wrong_limit_is_named_with_what_would_be_right(name: str, value: object, expected: str) -> None:
    found = problems(setting(WALLET | {"LIMITS": {name: value}}))
    assert list(found) == [f"{HERE}['LIMITS']['{name}']"]
    assert expected in found[f"{HERE}['LIMITS']['{name}']"]


def test_a_limit_that_is_left_out_has_its_default(settings: Settings) -> None:
    settings.WALLET_GATEWAY = setting(WALLET | {"LIMITS": {"AUTHORIZATIONS": 5}})
    wallet = conf.gateway_settings("default").wallet
    assert wallet is not None
    assert wallet.limits == WalletLimits(authorizations=5)


@every(("name", "value", "expected"), WRONG, ids=[f"{n}={v!r}" for n, v, _ in WRONG])
def test_a_wrong_value_is_named_with_what_would_be_right(name: str, value: object, expected: str) -> None:
    hosted = {} if name == "WALLET_JS_URL" else {"WALLET_JS_URL": "https://gateway.example/wallet.js"}
    found = problems(setting(WALLET | hosted | {name: value}))
    assert list(found) == [f"{HERE}['{name}']"]
    assert expected in found[f"{HERE}['{name}']"]


@every(
    "given",
    [
        {"BILLING_PHONE_REQUIRED": True, "BILLING_ADDRESS": "MIN"},
        {"SHIPPING_PHONE_REQUIRED": True, "SHIPPING_ADDRESS": True},
        {"BILLING_PHONE_REQUIRED": True, "BUTTON_OVERRIDES": "operator.add"},
    ],
    ids=["billing", "shipping", "of-some-orders"],
)
def test_a_phone_number_is_part_of_an_address(given: dict[str, object]) -> None:
    assert problems(setting(WALLET | given)) == {}


@every("value", [HASH, f"sha256-{'A' * 43}= {HASH}"], ids=["one", "two"])
def test_a_hosted_script_may_have_to_match_a_hash(value: str) -> None:
    hosted = {"WALLET_JS_URL": "https://gateway.example/wallet.js", "WALLET_JS_INTEGRITY": value}
    assert problems(setting(WALLET | hosted)) == {}


@every(("name", "value"), [("WALLET_JS_INTEGRITY", HASH), ("WALLET_JS_CORS", True)])
def test_what_is_about_a_hosted_script_needs_one(name: str, value: object) -> None:
    assert list(problems(setting(WALLET | {name: value}))) == [f"{HERE}['{name}']"]


@every("names", [[], ["goog#html"], ("goog#html", "lit-html", "'allow-duplicates'")], ids=str)
def test_the_policies_of_the_wallets_script_are_named(names: list[str]) -> None:
    assert problems(setting(WALLET | {"TRUSTED_TYPES": names})) == {}


@pytest.mark.parametrize("url", ["https://pay.example/pay.js?v=7", "http://127.0.0.1:9/pay.js"])
def test_a_script_may_have_a_version_and_stand_on_this_machine(url: str) -> None:
    assert problems(setting(WALLET | {"PAY_JS_URL": url, "WALLET_JS_URL": url})) == {}


# Production


@pytest.mark.parametrize("number", ["", "1" * 11, "1" * 19, "1234567 90123"])
def test_in_production_the_wallet_must_know_the_merchant(number: str) -> None:
    found = problems(setting(WALLET | {"MERCHANT_NO": number}, PROFILE="prod"))
    assert found == {f"{HERE}['MERCHANT_NO']": "12 to 18 characters in profile 'prod'"}


def test_in_production_the_wallet_is_not_the_one_beside_the_gateway() -> None:
    wallet = WALLET | {"MERCHANT_NO": "1" * 12, "PAY_JS_URL": "https://GATEWAY.example/wallet/pay.js"}
    assert list(problems(setting(wallet, PROFILE="prod"))) == [f"{HERE}['PAY_JS_URL']"]


@pytest.mark.parametrize("name", ["PAY_JS_URL", "WALLET_JS_URL"])
def test_in_production_no_script_comes_from_this_machine(name: str) -> None:
    wallet = WALLET | {"MERCHANT_NO": "1" * 12, name: "https://localhost/a.js?v=1"}
    assert list(problems(setting(wallet, PROFILE="prod"))) == [f"{HERE}['{name}']"]
    assert problems(setting(wallet)) == {}


def test_a_key_from_the_documentation_is_refused_in_production_and_never_printed() -> None:
    (key,) = FERNET_KEYS
    found = problems(setting(WALLET | {"MERCHANT_NO": "1" * 12}, keys=[KEY, key], PROFILE="prod"))
    assert list(found) == ["WALLET_GATEWAY['FERNET_KEYS'][1]"]
    assert key not in str(found)
    assert problems(setting(keys=[key])) == {}


def test_the_script_is_the_wallets_own_in_production_and_the_sandboxs_otherwise(
    settings: Settings,
) -> None:
    settings.WALLET_GATEWAY = setting(WALLET | {"MERCHANT_NO": "1" * 12}, PROFILE="prod")
    wallet = conf.gateway_settings("default").wallet
    assert wallet is not None
    assert wallet.pay_js_url == PRODUCTION_PAY_JS

    settings.WALLET_GATEWAY = setting()
    wallet = conf.gateway_settings("default").wallet
    assert wallet is not None
    assert wallet.pay_js_url == "https://gateway.example/wallet/pay.js"


# Keys

PLACEHOLDERS = ["", "changeme", "A" * 43 + "=", KEY[:-2], KEY + "=", KEY + "\n", 7, None, b"bytes"]
# Not the values: each worker has a key of its own, and all must know the tests by the same names.
PLACEHOLDER_IDS = ["empty", "a word", "one letter", "short", "long", "a line", "number", "nothing", "bytes"]


@every("key", PLACEHOLDERS, ids=PLACEHOLDER_IDS)
def test_a_key_that_is_none_is_named_by_its_place_and_never_printed(key: object) -> None:
    found = problems(setting(keys=[KEY, key]))
    assert list(found) == ["WALLET_GATEWAY['FERNET_KEYS'][1]"]
    assert KEY not in str(found)


@pytest.mark.parametrize("keys", [None, (), []])
def test_keys_are_needed_where_there_is_a_wallet_and_nowhere_else(keys: object) -> None:
    assert list(problems(setting(keys=keys))) == ["WALLET_GATEWAY['FERNET_KEYS']"]
    assert problems(setting(keys=keys), debug=True) == {}
    assert problems(setting(wallet=None, keys=keys)) == {}


def test_a_developer_without_keys_gets_one_for_the_process(settings: Settings) -> None:
    settings.DEBUG, settings.WALLET_GATEWAY = True, {}
    (key,) = conf.settings().fernet_keys
    Fernet(key)
    assert key not in repr(conf.settings())
    wallet = conf.gateway_settings("default").wallet
    assert wallet is not None
    assert wallet.pay_js_url == "http://127.0.0.1:8001/wallet/pay.js"
