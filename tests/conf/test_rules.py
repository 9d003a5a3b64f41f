"""Every setting that is missing or wrong is named, with what would be right."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from tests.client.certificates import make_certificate
from tests.tables import every
from wallet_gateway.conf.gateway_rules import REQUIRED
from wallet_gateway.conf.rules import live_aliases, problems_of

GATEWAY: dict[str, Any] = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M",
    "STORE_ID": "S",
    "USER_ID": "u",
    "PROVIDER": "ExampleWalletV2",
}


def setting(**gateway: object) -> dict[str, Any]:
    return {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": {"default": GATEWAY | gateway}}


def problems(raw: dict[str, Any], *, debug: bool = False) -> dict[str, str]:
    return {problem.setting: problem.expected for problem in problems_of(raw, debug=debug)}


def test_a_complete_setting_has_no_problem() -> None:
    assert problems(setting()) == {}


@every("name", REQUIRED)
@every("value", [None, "", "  ", 7], ids=["missing", "empty", "blank", "a number"])
def test_a_required_name_without_a_text_is_named(name: str, value: object) -> None:
    raw = setting()
    raw["GATEWAYS"]["default"].pop(name)
    if value is not None:
        raw["GATEWAYS"]["default"][name] = value

    assert f"WALLET_GATEWAY['GATEWAYS']['default']['{name}']" in problems(raw)


WRONG = [
    ("PROFILE", "production", "'test' or 'prod'"),
    ("PROFILE", 7, "a text, not int"),
    ("BILLING_ADDRESS_REQUIRED", "required", "True or False"),
    ("BILLING_ADDRESS", "required", "BILLING_ADDRESS_REQUIRED"),
    ("CURRENCIES", [], "or None for all"),
    ("CURRENCIES", ["eur"], "ISO 4217"),
    ("CURRENCIES", ["EUR", "XXQ"], "ISO 4217"),
    ("CURRENCIES", [978], "ISO 4217"),
    ("CURRENCIES", "EUR", "a list, tuple or set, or None"),
    ("REDIRECT_URL_TIMEOUT", 0, "60 to 900"),
    ("REDIRECT_URL_TIMEOUT", 901, "60 to 900"),
    ("REDIRECT_URL_TIMEOUT", "900", "a whole number"),
    ("REDIRECT_URL_TIMEOUT", True, "a whole number"),
    ("CONNECT_TIMEOUT", 0, "above zero"),
    ("READ_TIMEOUT", -1, "above zero"),
    ("TOTAL_TIMEOUT", float("inf"), "above zero"),
    ("TOTAL_TIMEOUT", float("nan"), "above zero"),
    ("QUERY_RATE", 0, "queries a second"),
    ("QUERY_AGAIN_DAYS", -1, "0 to 3650 days"),
    ("QUERY_AGAIN_DAYS", 3651, "0 to 3650 days"),
    ("QUERY_AGAIN_DAYS", 1.5, "a whole number"),
    ("QUERY_WORKERS", 0, "1 to 64"),
    ("QUERY_WORKERS", 65, "1 to 64"),
    ("QUERY_WORKERS", 2.5, "a whole number"),
    ("CAPTURE_WINDOW_DAYS", 0, "above zero"),
    ("CAPTURE_WARNING_DAYS", -1, "above zero"),
    ("CAPTURE_POLICY", None, "a text"),
    ("CAPTURE_POLICY", "hope", "'ask', 'capture' or 'reverse'"),
    ("APPROVAL_DAYS", 0, "above zero"),
    ("APPROVAL_DAYS", 1e9, "at most 36500"),
    ("CAPTURE_WINDOW_DAYS", 36_501, "at most 36500"),
    ("APPROVAL_LIMITS", "500.00", "a dict"),
    ("APPROVAL_LIMITS", {"EUR": 500}, "an amount of it as text"),
    ("APPROVAL_LIMITS", {"EUR": "500,00"}, "an amount of it as text"),
    ("APPROVAL_LIMITS", {"EUR": "500.001"}, "an amount of it as text"),
    ("APPROVAL_LIMITS", {"JPY": "500.5"}, "an amount of it as text"),
    ("APPROVAL_LIMITS", {"eur": "500.00"}, "a currency's code"),
    ("APPROVAL_LIMITS", {978: "500.00"}, "a currency's code"),
    ("APPROVAL_DAY_LIMITS", ["EUR"], "a dict"),
    ("APPROVAL_DAY_LIMITS", {"eur": "500.00"}, "a currency's code"),
    ("GO_LIVE_MAX_AMOUNT", "5.00", "a dict"),
    ("GO_LIVE_MAX_AMOUNT", {"EUR": "5,00"}, "an amount of it as text"),
    ("SENDING_ENABLED", "yes", "True or False"),
    ("NUMBERING", 7, "a text"),
    ("NUMBERING", "Outlet shop", "a name of 1 to 32 of a-z 0-9 _ -"),
    ("SHARES_REFERENCES", 1, "True or False"),
    ("IGNORED_RECORD_TYPES", "chargeback", "a list"),
    ("IGNORED_RECORD_TYPES", ["Ecom.Sale"], "none of which the interface names"),
    ("IGNORED_RECORD_TYPES", [""], "none of which the interface names"),
    ("CLIENT_CLASS", "no.such.Thing", "the dotted path of a subclass of wallet_gateway.client.gateway"),
    ("CLIENT_CLASS", "wallet_gateway.client.errors.NotSent", "the dotted path of a subclass"),
    ("CLIENT_CLASS", "wallet_gateway.gateways.gateway", "the dotted path of a subclass"),
    ("CLIENT_CLASS", 7, "a text"),
    ("AUTH", "no.such.thing", "dotted path"),
    ("AUTH", "wallet_gateway.conf.values.SETTING", "dotted path"),
    ("CA_FILE", 7, "a path"),
    ("CA_FILE", "/no/such/file.pem", "No such file or directory"),
    ("CA_FILE", Path("/no/such/file.pem"), "a PEM file of the authorities to trust; /no/such/file.pem"),
    ("CA_FILE", "/", "/: Is a directory"),
    ("CA_FILE", "a\0b", "null byte"),
    ("CA_FILE", __file__, "holds no certificate"),
    ("CLIENT_CERT", 7, "a path, or a pair of paths"),
    ("CLIENT_CERT", "/no/such/file.pem", "No such file or directory"),
    ("CLIENT_CERT", (__file__, "/no/such/file.pem"), "/no/such/file.pem: No such file or directory"),
    ("CLIENT_CERT", (__file__,), "a pair is the path of the certificate and the path of its key"),
    ("CLIENT_CERT", (__file__, ""), "a pair is the path"),
    ("CLIENT_CERT", (__file__, __file__, __file__), "a pair is the path"),
    ("CLIENT_CERT", (__file__, 7), "a pair is the path"),
    ("CLIENT_CERT", __file__, "do not fit, one of them is missing, or the key is encrypted"),
    ("REDIRECT_HOSTS", "pay.example", "a list"),
    ("REDIRECT_HOSTS", ["https://pay.example"], "without scheme"),
    ("REDIRECT_HOSTS", [""], "without scheme"),
    ("PATHS", {"checkout": "api"}, "begins with /"),
    ("PATHS", {"chekout": "/api"}, "unknown name"),
    ("PATHS", {"checkout": "/api/../v5"}, "no step . or .."),
    ("PATHS", {"checkout": "/api/%2e%2e/v5"}, "no step . or .."),
    ("BASE_URL", "https://gateway.example/v5/..", "no step . or .."),
    ("BASE_URL", "http://gateway.example", "https"),
    ("BASE_URL", "gateway.example", "absolute https"),
    ("BASE_URL", "https://gateway.example/a/../b", "no step . or .."),
    ("BASE_URL", "https://gateway.example/%2E%2e/", "no step . or .."),
    ("BASE_URL", "https://user@gateway.example", "absolute https"),
    ("TIMEOUT", 3, "unknown name; known: "),
    ("MERCHANTID", "M-1", "unknown name; did you mean 'MERCHANT_ID'? known: BASE_URL, "),
    ("profile", "prod", "unknown name; did you mean 'PROFILE'? "),
]


@every(("name", "value", "words"), WRONG, ids=[f"{name}={value!r}" for name, value, _ in WRONG])
def test_a_wrong_value_is_named_with_what_is_expected(name: str, value: object, words: str) -> None:
    found = problems(setting(**{name: value}))

    where = [key for key in found if f"'{name}'" in key]
    assert len(where) == 1, found
    assert words in found[where[0]]


@every(
    ("origin", "debug", "fine"),
    [
        ("https://shop.example", False, True),
        ("https://shop.example/", False, True),
        ("http://shop.example", False, False),
        ("http://shop.example", True, True),
        ("http://127.0.0.1:8000", False, True),
        ("http://localhost:8000", False, True),
        ("https://shop.example/shop", False, False),
        ("https://shop.example?x=1", False, False),
        ("shop.example", False, False),
        (None, False, False),
    ],
)
def test_the_public_origin_is_scheme_and_host_and_safe(origin: object, debug: bool, fine: bool) -> None:
    found = problems(setting() | {"PUBLIC_ORIGIN": origin}, debug=debug)

    assert ("WALLET_GATEWAY['PUBLIC_ORIGIN']" not in found) is fine


def test_plain_http_is_for_a_loopback_address_in_profile_test_only() -> None:
    assert problems(setting(BASE_URL="http://127.0.0.1:8001")) == {}
    assert problems(setting(BASE_URL="http://127.0.0.1:8001", PROFILE="prod")) != {}


# Production

LIVE = {"PROFILE": "prod", "MERCHANT_ID": "M-100"}
LOCAL = ["localhost", "127.0.0.1", "127.1", "0x7f000001", "169.254.169.254", "[::1]", "[fe80::1]", "0.0.0.0"]


@every("host", LOCAL)
def test_in_production_neither_gateway_nor_shop_is_on_this_machine(host: str) -> None:
    raw = setting(**LIVE, BASE_URL=f"https://{host}") | {"PUBLIC_ORIGIN": f"https://{host}"}
    for debug in (True, False):
        assert set(problems(raw, debug=debug)) == {
            "WALLET_GATEWAY['PUBLIC_ORIGIN']",
            "WALLET_GATEWAY['GATEWAYS']['default']['BASE_URL']",
        }
    raw["GATEWAYS"]["default"]["PROFILE"] = "test"
    assert problems(raw) == {}


def test_in_production_customers_come_back_by_https_whatever_debug_says() -> None:
    raw = setting(**LIVE) | {"PUBLIC_ORIGIN": "http://shop.example"}
    assert (
        "because a gateway has the profile 'prod'"
        in problems(raw, debug=True)["WALLET_GATEWAY['PUBLIC_ORIGIN']"]
    )


def test_in_production_customers_are_not_sent_to_their_own_machine() -> None:
    found = problems(setting(**LIVE, REDIRECT_HOSTS=["pay.example", "localhost:8001"]))
    assert list(found) == ["WALLET_GATEWAY['GATEWAYS']['default']['REDIRECT_HOSTS']"]


def test_in_production_the_sandboxs_merchant_is_refused() -> None:
    found = problems(setting(PROFILE="prod", MERCHANT_ID="SANDBOX-MERCHANT"))
    assert list(found) == ["WALLET_GATEWAY['GATEWAYS']['default']['MERCHANT_ID']"]
    assert problems(setting(MERCHANT_ID="SANDBOX-MERCHANT")) == {}


def test_one_live_gateway_makes_the_shop_live() -> None:
    raw = setting(**LIVE)
    raw["GATEWAYS"]["staging"] = GATEWAY
    assert live_aliases(raw["GATEWAYS"]) == ["default"]
    assert live_aliases(None) == live_aliases({"default": None}) == []


@every("token", ["short", "a" * 40, "changechangechangechange", 7, None])
def test_a_health_token_that_can_be_guessed_is_refused(token: object) -> None:
    assert list(problems(setting() | {"HEALTH_TOKEN": token})) == ["WALLET_GATEWAY['HEALTH_TOKEN']"]


@every(
    "url",
    ["http://reports.example/", "reports", "https://a.example/;x", 'https://a.example/"', "https://a/, b", 7],
)
def test_an_address_for_reports_that_would_break_a_header_is_refused(url: object) -> None:
    assert list(problems(setting() | {"CSP_REPORT_URL": url})) == ["WALLET_GATEWAY['CSP_REPORT_URL']"]


@every("path", ["shop.links.nothing_there", "tests.conf.test_rules.GATEWAY", "words", 7, None])
def test_an_order_admin_url_that_is_no_callable_is_refused(path: object) -> None:
    found = problems(setting() | {"ORDER_ADMIN_URL": path})
    assert list(found) == ["WALLET_GATEWAY['ORDER_ADMIN_URL']"]


@every("days", [0, -1, 1.5, "400", None, 36_501, 10**9])
def test_bodies_are_kept_for_a_number_of_days_that_can_be_reckoned_with(days: object) -> None:
    assert "WALLET_GATEWAY['RETENTION_DAYS']" in problems(setting() | {"RETENTION_DAYS": days})
    assert problems(setting() | {"RETENTION_DAYS": 36_500}) == {}


@pytest.mark.parametrize("gateways", [None, {}, [], "default"])
def test_a_setting_without_gateways_says_so(gateways: object) -> None:
    assert "WALLET_GATEWAY['GATEWAYS']" in problems(setting() | {"GATEWAYS": gateways})


@pytest.mark.parametrize("alias", ["", "x" * 33, 1])
def test_an_alias_that_no_row_could_hold_is_refused(alias: object) -> None:
    assert len(problems(setting() | {"GATEWAYS": {alias: GATEWAY}})) == 1


def test_a_slip_of_the_pen_beside_the_gateways_is_named() -> None:
    assert "WALLET_GATEWAY['PUBLIC_ORGIN']" in problems(setting() | {"PUBLIC_ORGIN": "x"})


def test_a_key_that_is_encrypted_or_of_another_certificate_is_named(tmp_path: Path) -> None:
    ours, other = make_certificate(tmp_path), make_certificate(tmp_path, name="other.example")
    for given in (ours.with_encrypted_key(), (ours.pair()[0], other.pair()[1]), ours.pair()[0]):
        (expected,) = problems(setting(CLIENT_CERT=given)).values()
        assert "do not fit, one of them is missing, or the key is encrypted" in expected


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # A superuser may read everything, so the mode of a file proves nothing.
    monkeypatch.setattr(Path, "open", refuse)
    found = problems(setting(CA_FILE="/ca.pem"))
    assert found["WALLET_GATEWAY['GATEWAYS']['default']['CA_FILE']"].endswith("; /ca.pem: Permission denied")


@every(
    "origin",
    [
        "https://*.shop.example",
        "*",
        "null",
        "https://app.shop.example/",
        "https://app.shop.example/path",
        "https://app.shop.example?q",
        "https://App.shop.example",
        "https://app.shop.example:443",
        "https://app.shop.example:",
        "https://user@app.shop.example",
        "https://äpp.shop.example",
        "http://app.shop.example",
        "http://localhost:80",
        "app.shop.example",
        "ftp://app.shop.example",
        "",
        None,
        7,
    ],
)
def test_an_origin_is_refused_that_no_browser_sends_or_anybody_may_have(origin: object) -> None:
    found = problems(setting() | {"API_ORIGINS": [origin]})
    assert list(found) == ["WALLET_GATEWAY['API_ORIGINS']"]


def test_origins_of_apps_and_of_a_developers_machine_are_right() -> None:
    given = {
        "https://app.shop.example",
        "https://app.shop.example:8443",
        "https://localhost",
        "http://localhost:5173",
        "http://127.0.0.1:5173",
        "http://[::1]:5173",
        "https://xn--pp-uia.shop.example",
    }
    assert problems(setting() | {"API_ORIGINS": given}) == {}


@every("seconds", [0, 59, 86_401, 60.5, "3600", True, None])
def test_an_access_token_lives_between_a_minute_and_a_day(seconds: object) -> None:
    found = problems(setting() | {"ACCESS_TOKEN_SECONDS": seconds})
    assert list(found) == ["WALLET_GATEWAY['ACCESS_TOKEN_SECONDS']"]
    assert problems(setting() | {"ACCESS_TOKEN_SECONDS": 60}) == {}
