"""An account outside the settings cannot send credentials or customers elsewhere, run code or name files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cryptography.fernet import Fernet

from tests.tables import every
from wallet_gateway.conf.account_rules import (
    OF_ADDRESS,
    OF_ADDRESS_IN_WALLET,
    Shop,
    problems_of_account,
    problems_of_addresses,
    with_address,
)
from wallet_gateway.conf.gateway_rules import OPTIONAL
from wallet_gateway.conf.published_keys import FERNET_KEYS
from wallet_gateway.conf.wallet_rules import WALLET_CODE, WALLET_OPTIONAL

KEY = Fernet.generate_key().decode()
ACCOUNT: dict[str, Any] = {
    "BASE_URL": "live",
    "MERCHANT_ID": "M-7",
    "STORE_ID": "S-7",
    "USER_ID": "u",
    "PROVIDER": "ExampleWalletV2",
}
WALLET = {"COUNTRY": "DE", "MERCHANT_NO": "123456789012"}
SHOP = Shop(
    public_origin="https://shop.example",
    addresses={
        "live": "https://gateway.example",
        "own": {"BASE_URL": "https://own.example", "AUTH": "builtins.repr"},
    },
    fernet_keys=(KEY,),
    debug=False,
    allowed_hosts=("shop.example", ".tenants.example"),
    published_secret_keys=(),
)


def problems(shop: Shop = SHOP, alias: object = "tenant-7", **given: Any) -> dict[str, str]:
    found = problems_of_account("A", alias, ACCOUNT | given, shop=shop)
    return {problem.setting: problem.expected for problem in found}


@every("url", ["https://gateway.example", "https://thief.example", "", "unknown", None, 7, ["live"], {}])
def test_the_base_url_is_a_name_in_the_settings_and_no_address(url: object) -> None:
    found = problems(BASE_URL=url)
    assert list(found) == ["A['BASE_URL']"]
    assert "it has: live, own" in found["A['BASE_URL']"]


@every("option", OF_ADDRESS)
def test_code_files_and_targets_are_refused_whatever_their_value(option: str) -> None:
    values: list[Any] = [OPTIONAL[option].default, "os.system", {"status": "/steal"}]
    for value in values:
        assert list(problems(SHOP, **{option: value})) == [f"A['{option}']"]


@every("option", OF_ADDRESS_IN_WALLET)
def test_code_and_scripts_of_the_button_are_refused_whatever_their_value(option: str) -> None:
    found = problems(WALLET=WALLET | {option: WALLET_OPTIONAL[option].default})
    assert list(found) == [f"A['WALLET']['{option}']"]


def test_what_the_address_says_no_account_can_change() -> None:
    fixed = {"BASE_URL": "https://fixed.example", "PROFILE": "prod", "APPROVAL_LIMITS": {"EUR": "5.00"}}
    shop = replace(SHOP, addresses={"live": fixed | {"WALLET": {"ACCEPT_UNAUTHENTICATED": False}}})
    wallet = WALLET | {"ACCEPT_UNAUTHENTICATED": True}
    assert problems(shop, WALLET=WALLET) == {}
    assert list(problems(shop, PROFILE="test")) == ["A['PROFILE']"]
    assert list(problems(shop, APPROVAL_LIMITS={})) == ["A['APPROVAL_LIMITS']"]
    assert list(problems(shop, WALLET=wallet)) == ["A['WALLET']['ACCEPT_UNAUTHENTICATED']"]


def test_every_option_that_names_code_files_or_addresses_is_among_the_refused() -> None:
    words = ("dotted path", "path", "host", "address", "hashes", "policies")
    named = {name for name, known in OPTIONAL.items() if any(word in known.expected for word in words)}
    assert named - {"PROFILE"} <= {*OF_ADDRESS, "BILLING_ADDRESS_REQUIRED"}
    in_wallet = {
        name for name, known in WALLET_OPTIONAL.items() if any(word in known.expected for word in words)
    }
    assert in_wallet | set(WALLET_CODE) <= set(OF_ADDRESS_IN_WALLET)


@every(
    ("origin", "fine"),
    [
        ("https://seven.tenants.example", True),
        ("https://SHOP.example:8443", True),
        ("https://thief.example", False),
        ("https://shop.example.thief.example", False),
        ("https://tenants.example@thief.example", False),
        ("https://thief.example\\.tenants.example", False),
        ("http://seven.tenants.example", False),
        ("https://shop.example/path", False),
        ("javascript:alert(1)", False),
        (7, False),
    ],
)
def test_customers_come_back_to_a_host_of_the_project_only(origin: object, fine: bool) -> None:
    assert (problems(PUBLIC_ORIGIN=origin) == {}) is fine


def test_without_allowed_hosts_an_origin_is_this_machine() -> None:
    here = replace(SHOP, allowed_hosts=(), debug=True)
    assert problems(here, PUBLIC_ORIGIN="http://tenant.localhost:8000") == {}
    assert list(problems(here, PUBLIC_ORIGIN="https://shop.example")) == ["A['PUBLIC_ORIGIN']"]


PROD: dict[str, Any] = {"PROFILE": "prod"}
LACKS: list[tuple[Shop, dict[str, Any], str]] = [
    (replace(SHOP, public_origin="http://127.0.0.1:8000"), PROD, "WALLET_GATEWAY['PUBLIC_ORIGIN']"),
    (replace(SHOP, fernet_keys=()), {"WALLET": WALLET}, "WALLET_GATEWAY['FERNET_KEYS']"),
    (replace(SHOP, fernet_keys=tuple(FERNET_KEYS)[:1]), PROD, "WALLET_GATEWAY['FERNET_KEYS'][0]"),
    (replace(SHOP, published_secret_keys=("SECRET_KEY",)), PROD, "SECRET_KEY"),
    (replace(SHOP, addresses={"live": "https://127.0.0.1"}), PROD, "A['BASE_URL']"),
]


@every(("shop", "given", "where"), LACKS, ids=[where for _, _, where in LACKS])
def test_an_account_is_refused_where_the_shop_lacks_what_it_needs(
    shop: Shop, given: dict[str, Any], where: str
) -> None:
    assert list(problems(shop, **given)) == [where]


def test_what_moves_no_real_money_needs_less() -> None:
    for shop, given, _ in (LACKS[0], LACKS[3], LACKS[4]):
        assert problems(shop, **given | {"PROFILE": "test"}) == {}
    assert problems(replace(SHOP, fernet_keys=()), WALLET=WALLET, FERNET_KEYS=[KEY]) == {}


def test_an_account_has_what_belongs_to_its_address_and_its_own_goes_first() -> None:
    wallet = {"PRICING": "builtins.repr", "ALLOW_CREDIT": False}
    addresses = {
        "own": {"BASE_URL": "https://own.example", "QUERY_RATE": 2, "CURRENCIES": ["EUR"], "WALLET": wallet}
    }
    given = {"BASE_URL": "own", "QUERY_RATE": 1, "WALLET": {"COUNTRY": "DE", "ALLOW_CREDIT": True}}
    assert with_address(given, addresses) == {
        "BASE_URL": "https://own.example",
        "QUERY_RATE": 1,
        "CURRENCIES": ["EUR"],
        "WALLET": {"PRICING": "builtins.repr", "COUNTRY": "DE", "ALLOW_CREDIT": True},
    }
    assert with_address({"BASE_URL": "own"}, addresses)["WALLET"] is None, (
        "a button is the account's decision"
    )
    assert with_address({"BASE_URL": "https://x.example"}, addresses) == {"BASE_URL": "https://x.example"}


ADDRESSES: list[tuple[object, Mapping[str, str]]] = [
    ({}, {}),
    (SHOP.addresses, {}),
    ({"own": {"BASE_URL": "https://own.example", "WALLET": {"PRICING": "builtins.repr"}}}, {}),
    ({"own": {"BASE_URL": "https://own.example", "PROFILE": "prod", "WALLET": {}}}, {}),
    ([], {"B": "a dict"}),
    ({"Live": "https://gateway.example"}, {"B['Live']": "a name of 1 to 32"}),
    ({"live": "http://gateway.example"}, {"B['live']['BASE_URL']": "https"}),
    ({"live": {}}, {"B['live']['BASE_URL']": "an absolute https URL"}),
    ({"live": 7}, {"B['live']": "a URL, or a dict"}),
    ({"live": {"BASE_URL": "https://x.example", "AUTH": "no.such"}}, {"B['live']['AUTH']": "dotted path"}),
    ({"live": {"BASE_URL": "https://x.example", "TIMEOUT": 3}}, {"B['live']['TIMEOUT']": "unknown name"}),
    (
        {"live": {"BASE_URL": "https://x.example", "WALLET": {"PRICING": "no.such"}}},
        {"B['live']['WALLET']['PRICING']": "dotted path"},
    ),
]


@every(("addresses", "expected"), ADDRESSES, ids=[str(given)[:60] for given, _ in ADDRESSES])
def test_an_address_is_judged_as_a_gateway_without_its_account(
    addresses: object, expected: Mapping[str, str]
) -> None:
    found = {one.setting: one.expected for one in problems_of_addresses("B", addresses, debug=False)}
    assert set(found) == set(expected)
    assert all(words in found[where] for where, words in expected.items())


def test_no_problem_tells_a_secret() -> None:
    secret = "canary-of-a-credential-71b3"
    given = ACCOUNT | {"AUTH_SECRETS": {secret: 7}, "FERNET_KEYS": [secret], "USER_ID": 7, "STORE_ID": ""}
    found = [*problems_of_account("A", "a", given, shop=SHOP)]
    assert len(found) == 4
    assert secret not in repr(found)


def test_the_shop_that_accounts_are_judged_by_shows_no_secret() -> None:
    addresses = {"live": {"BASE_URL": "https://gateway.example", "AUTH_SECRETS": {"token": "canary-71b3"}}}
    shown = repr(replace(SHOP, addresses=addresses))
    assert KEY not in shown
    assert "canary-71b3" not in shown
