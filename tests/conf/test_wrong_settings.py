"""Every setting that is missing or wrong is named, with what would be right, and without any secret.

A call of the shop says so, as `check` and `wallet_doctor` do.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key
from pytest_django import Settings

from tests.client.certificates import make_certificate
from tests.conf.table import settings_of
from tests.docs.pages import PAGES, ROOT
from tests.support.tables import every
from wallet_gateway import payments

GATEWAY: dict[str, Any] = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M",
    "STORE_ID": "S",
    "USER_ID": "u",
    "PROVIDER": "ExampleWalletV2",
}
WALLET: dict[str, Any] = {"COUNTRY": "DE"}
LIVE = {"PROFILE": "prod", "MERCHANT_ID": "M-100"}
LIVE_WALLET = WALLET | {"MERCHANT_NO": "1" * 12}
KEY = Fernet.generate_key().decode()
FERNET_KEY = re.compile(r"(?<![\w-])[\w-]{43}=(?![\w=-])")
PRINTED = {key for page in PAGES for key in FERNET_KEY.findall((ROOT / page).read_text("utf-8"))}
"""The keys that the documentation prints."""
HASH = f"sha384-{'A' * 64}"
SCRIPT = "https://gateway.example/wallet.js"
NO_CALLABLE = "wallet_gateway.conf.SETTING"


def shop(gateway: Mapping[str, Any] = {}, **changed: Any) -> dict[str, Any]:
    """A right setting but for these options of its gateway, and of itself."""
    right = {"PUBLIC_ORIGIN": "https://shop.example", "FERNET_KEYS": [KEY]}
    return {**right, "GATEWAYS": {"default": {**GATEWAY, **gateway}}, **changed}


def told(settings: Settings, given: object) -> str:
    """Return what a call says of a setting; nothing where it is right."""
    settings.WALLET_GATEWAY = given
    try:
        payments.maintenance.gateway_aliases()
    except ImproperlyConfigured as refused:
        return str(refused)
    return ""


def is_told(settings: Settings, given: object, name: str, words: str = "") -> None:
    """See that exactly one setting is named, such as `TIMEOUT.READ`, with these words."""
    said = told(settings, given)
    assert said.count("WALLET_GATEWAY[") == 1, said
    where, _, expected = said.partition(": ")
    path = "".join(f"[{step!r}]" for step in name.split("."))
    assert where.endswith(path) or f"{path}[" in where, said
    assert expected
    assert words in expected


def option(name: str, value: object) -> dict[str, Any]:
    """Return an option by its name, such as `TIMEOUT.READ`, as a dict in a dict."""
    first, _, rest = name.partition(".")
    return {first: option(rest, value) if rest else value}


def rows(wrong: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, Any]]:
    """Give each option with each of its wrong values."""
    for name, values in wrong.items():
        yield from ((name, value) for value in values)


OF_SHOP: dict[str, list[Any]] = {
    "PUBLIC_ORIGIN": [
        *(None, 7, "", "shop.example", "ftp://shop.example", "https://", "https://a@b.example"),
        *("https://shop.example/shop", "https://shop.example?x=1", "http://b:0", " https://shop.example"),
        *("https://thief.example\\.shop.example", "https://thief.example%2f.shop.example"),
        *("https://thief.example;.shop.example", "https://thief example.shop.example"),
        *("https://thief.example\u3002shop.example", "https://shop.ex\tample", "https://shop.example/\n"),
        *("https://[::1].shop.example", "https://*.shop.example", "https://.shop.example"),
        *("https://seven..shop.example", "https://shop.example:٤٤٣", "http://shop.example"),
        "http://localhost.example",
    ],
    "GATEWAYS": [None, {}, [], "default", "tests.conf.table.NOWHERE"],
    "HEALTH_TOKEN": ["short", "a" * 40, "changechangechangechange", 7, None],
    "RETENTION_DAYS": [0, -1, 1.5, "400", None, 36_501, 10**9],
    "CSP_REPORT_URL": [
        *("http://reports.example/", "reports", "https://a.example/;x", 'https://a.example/"'),
        *("https://a/, b", 7),
    ],
    "ORDER_ADMIN_URL": ["shop.links.nothing_there", "tests.conf.table.PATH", "words", 7, None],
    "ACCESS_TOKEN_SECONDS": [0, 59, 86_401, 60.5, "3600", True, None],
    "API_ORIGINS": [
        [origin]
        for origin in (
            *("https://*.shop.example", "*", "null", "https://app.shop.example/", "app.shop.example"),
            *("https://app.shop.example/path", "https://app.shop.example?q", "https://App.shop.example"),
            *("https://app.shop.example:443", "https://app.shop.example:", "ftp://app.shop.example"),
            *("https://user@app.shop.example", "https://äpp.shop.example", "http://app.shop.example"),
            *("http://localhost:80", "", None, 7),
        )
    ],
    "PUBLIC_ORGIN": ["https://shop.example"],
}


@every(("name", "value"), rows(OF_SHOP))
def test_a_wrong_setting_of_the_shop_is_told(name: str, value: object, settings: Settings) -> None:
    given: dict[str, Any] = {name: value}
    if name == "GATEWAYS" and isinstance(value, str):
        given["BASE_URLS"] = {"live": SCRIPT}
    is_told(settings, shop(**given), name)


NAMES = [None, "", "  ", 7, "x" * 256, "S\n7", "\0", "\ud800"]
SECONDS = [0, -1, 121, 1e300, 10**400, float("inf"), float("nan")]
OF_GATEWAY: dict[str, list[Any]] = {
    **dict.fromkeys(("MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER"), NAMES),
    "BASE_URL": [
        *("gateway.example", "https://user@gateway.example", "https://", "http://gateway.example"),
        *("https://gateway.example/v5/..", "https://gateway.example/a/../b", "https://g.example/a/."),
        *("https://gateway.example/%2E%2e/", "https://g.example/a/%2E%2e/b"),
    ],
    "PROFILE": ["production", 7],
    "SKIN_ID": ["x" * 256],
    "PROVIDER_MERCHANT_ID": ["\r"],
    "BILLING_ADDRESS_REQUIRED": ["required"],
    "CURRENCIES": [[], ["eur"], ["EUR", "XXQ"], [978], "EUR"],
    "REDIRECT_URL_TIMEOUT": [0, 59, 901, "900", True],
    **dict.fromkeys(("TIMEOUT.CONNECT", "TIMEOUT.READ", "TIMEOUT.TOTAL"), SECONDS),
    "TIMEOUT.IDLE": [-1, 3601, float("nan"), "5"],
    "TIMEOUT": [None, "20", True, {"TOTAL_TIMEOUT": 20}],
    "QUERIES.RATE": [0, 0.01, 1e-300, 1e308],
    "QUERIES.AGAIN_DAYS": [-1, 3651, 1.5],
    "QUERIES.WORKERS": [0, 65, 2.5],
    "QUERIES": [None, 5],
    "CAPTURE.DAYS": [0, 36_501],
    "CAPTURE.WARNING_DAYS": [-1],
    "CAPTURE.POLICY": [None, "hope"],
    "CAPTURE": ["ask"],
    "APPROVALS.DAYS": [0, 1e9],
    "APPROVALS.LIMITS": [
        *("500.00", {"EUR": 500}, {"EUR": "500,00"}, {"EUR": "500.001"}, {"JPY": "500.5"}),
        *({"eur": "500.00"}, {978: "500.00"}),
    ],
    "APPROVALS.DAY_LIMITS": [["EUR"], {"eur": "500.00"}],
    "APPROVALS": [{"EUR": "500.00"}],
    "SENDING_ENABLED": ["yes"],
    "NUMBERING": [7, "Outlet shop"],
    "SHARES_REFERENCES": [1],
    "IGNORED_RECORD_TYPES": ["chargeback", ["Ecom.Sale"], [""]],
    "CLIENT_CLASS": [
        *("no.such.Thing", "wallet_gateway.client.errors.NotSent", "wallet_gateway.gateways.gateway", 7),
    ],
    "AUTH": [NO_CALLABLE],
    "AUTH_SECRETS": [["token"], {"token": None}, {7: "x"}],
    "CA_FILE": [7],
    "CLIENT_CERT": [7],
    "REDIRECT_HOSTS": ["pay.example", ["https://pay.example"], [""]],
    "PATHS": [
        *({"checkout": "api"}, {"chekout": "/api"}),
        *({"checkout": path} for path in ("/api/../v5", "/api/%2e%2e/v5", "/a/..\\b", "/a/.")),
    ],
    "PUBLIC_ORIGIN": ["seven.example", "http://seven.example", 7],
    "FERNET_KEYS": ["key", ["key"]],
}


@every(("name", "value"), rows(OF_GATEWAY))
def test_a_wrong_setting_of_a_gateway_is_told(name: str, value: object, settings: Settings) -> None:
    is_told(settings, shop(option(name, value)), name)


NO_YES = [1, "no", None]
WRONG_HASHES = (
    *("sha384-" + "A" * 63, "sha384-" + "A" * 43 + "=", "md5-" + "A" * 22 + "=="),
    *("sha256-" + "A" * 43 + '="', f"{HASH}  {HASH}", ["sha384"]),
)
OF_WALLET: dict[str, list[Any]] = {
    "COUNTRY": [None, "DEU", "de", "XX", 49],
    "MERCHANT_NO": ["\ud800", 12345678901234567890],
    "MERCHANT_NAME": ["Shop\n7", None],
    "GATEWAY_NAME": ["", "two words"],
    "CARDS.NETWORKS": [(), ["INTERAC"], [["VISA"]], "VISA"],
    **dict.fromkeys(("CARDS.PREPAID", "CARDS.CREDIT", "SHIPPING.ADDRESS"), NO_YES),
    **dict.fromkeys(("ACCEPT_UNAUTHENTICATED", "EMAIL_REQUIRED"), NO_YES),
    "PAY_JS_URL": ["http://pay.example/pay.js", "pay.js"],
    "WALLET_JS": [
        *(7, {}, {"URL": ""}, "http://cdn.example/wallet.js", {"INTEGRITY": HASH}, {"CORS": True}),
        *({"URL": SCRIPT, "CORS": value} for value in NO_YES),
        *({"URL": SCRIPT, "INTEGRITY": value} for value in WRONG_HASHES),
    ],
    "TRUSTED_TYPES": ["goog#html", ["goog html"], ["x; script-src *"], [7]],
    "THREE_D_SECURE": ["external", NO_CALLABLE],
    "PRICING": [NO_CALLABLE],
    "BUTTON_OVERRIDES": [NO_CALLABLE],
    "CALLBACKS": [["PAYMENT_METHOD"], [{}]],
    "BILLING.ADDRESS": ["full", True],
    "BILLING.PHONE": ["yes"],
    "SHIPPING.PHONE": [1],
    "SHIPPING.COUNTRIES": [["DEU"]],
    "SHIPPING": [True, None],
    "BUTTON.COLOR": ["pink"],
    "BUTTON.TYPE": ["steal"],
    "BUTTON.SIZE_MODE": ["huge"],
    "BUTTON.LOCALE": ["de\0", 7],
    "BUTTON.COLOUR": ["black"],
    "BUTTON": [True, "black"],
    "LIMITS": [
        *(20, {"SESSIONS": 0}, {"SESSIONS": 1001}, {"SESSIONS": "20"}, {"AUTHORIZATIONS": True}),
        *({"AUTHORIZATIONS": None}, {"RESULTS": 5}),
    ],
}


@every(("name", "value"), rows(OF_WALLET))
def test_a_wrong_setting_of_a_wallet_is_told(name: str, value: object, settings: Settings) -> None:
    is_told(settings, shop({"WALLET": WALLET | option(name, value)}), name)


HELP: list[tuple[dict[str, Any], str]] = [
    ({"BASE_URL": "https://"}, "an absolute https URL"),
    ({"BASE_URL": "https://gateway.example/v5/.."}, "no step . or .."),
    ({"CURRENCIES": ["eur"]}, "an ISO 4217 code such as 'EUR'"),
    ({"APPROVALS": {"LIMITS": {"EUR": 500}}}, "an amount of it as text, such as 'EUR': '500.00'"),
    ({"CLIENT_CLASS": "shop.Client"}, "'shop.Client' cannot be imported: No module named 'shop'"),
    ({"AUTH": "no.such"}, "a callable, such as 'shop.payments.sign'; 'no.such' cannot be imported"),
    ({"AUTH": "wallet_gateway.gateways.sing"}, 'does not define a "sing" attribute/class'),
    ({"CA_FILE": "/no/such.pem"}, "authorities to trust; /no/such.pem: No such file"),
    ({"CA_FILE": Path("/")}, "/: Is a directory"),
    ({"CA_FILE": "a\0b"}, "null byte"),
    ({"CA_FILE": __file__}, "holds no certificate"),
    ({"CLIENT_CERT": "/no/such.pem"}, "/no/such.pem: No such file or directory"),
    ({"CLIENT_CERT": (__file__, "/no/such.pem")}, "/no/such.pem: No such file or directory"),
    *(
        ({"CLIENT_CERT": pair}, "a pair is the path of the certificate and the path of its key")
        for pair in ((__file__,), (__file__, ""), (__file__, __file__, __file__), (__file__, 7))
    ),
    ({"CLIENT_CERT": __file__}, "do not fit, one of them is missing, or the key is encrypted"),
    ({"FERNET_KEYS": ["key"]}, "generate_key"),
    ({"WALLET": WALLET | {"BILLING": {"PHONE": True}}}, "unless ADDRESS"),
    ({"WALLET": WALLET | {"SHIPPING": {"PHONE": True}}}, "unless ADDRESS"),
    ({"BILLING_ADDRESS": "required"}, "did you mean 'BILLING_ADDRESS_REQUIRED'?"),
    ({"MERCHANTID": "M-1"}, "unknown name; did you mean 'MERCHANT_ID'?"),
    ({"profile": "prod"}, "unknown name; did you mean 'PROFILE'? "),
    ({"SECONDS": 3}, "unknown name; known: PROFILE, BASE_URL, MERCHANT_ID, STORE_ID, USER_ID, PROVIDER, "),
    ({"PATHS": {"chekout": "/api"}}, "unknown name; did you mean 'checkout'?"),
    ({"TIMEOUT": {"TOTL": 3}}, "unknown name; did you mean 'TOTAL'? known: CONNECT, READ, TOTAL, IDLE"),
    ({"WALLET": WALLET | {"LIMITS": {"CARDS": 5}}}, "unknown name; known: SESSIONS"),
    ({"MERCHANT_ID": 7}, "a text, not int: put it in quotes"),
]


@every(("given", "words"), HELP)
def test_a_person_reads_what_would_be_right(given: dict[str, Any], words: str, settings: Settings) -> None:
    (name,) = dict.fromkeys(given)
    if name == "WALLET":
        name = next(option for option in given["WALLET"] if option not in WALLET)
    is_told(settings, shop(given), name, words)


@every(
    ("given", "where"),
    [
        (shop({"WALLET": "DE"}), ["WALLET"]),
        *((shop(GATEWAYS={alias: GATEWAY}), [alias]) for alias in ("", "A", "x" * 33, 1)),
        (shop(GATEWAYS={"default": "https://gateway.example"}), ["default"]),
        (shop({"WALLET": WALLET}, FERNET_KEYS=None), ["FERNET_KEYS"]),
        (shop({"WALLET": WALLET}, FERNET_KEYS=()), ["FERNET_KEYS"]),
        (shop(GATEWAYS={"default": {}}), [*GATEWAY]),
        ({"GATEWAYS": {"default": GATEWAY}}, ["PUBLIC_ORIGIN"]),
        (None, ["PUBLIC_ORIGIN", "GATEWAYS"]),
        # Production
        (shop({**LIVE, "BASE_URL": "http://127.0.0.1:8001"}), ["BASE_URL"]),
        (shop({**LIVE, "BASE_URL": "http://gateway.example"}), ["BASE_URL"]),
        (shop({**LIVE, "REDIRECT_HOSTS": ["pay.example", "localhost:8001"]}), ["REDIRECT_HOSTS"]),
        (shop({"PROFILE": "prod", "MERCHANT_ID": "SANDBOX-MERCHANT"}), ["MERCHANT_ID"]),
        (shop({**LIVE, "PUBLIC_ORIGIN": "https://127.0.0.1"}), ["PUBLIC_ORIGIN"]),
        (shop({**LIVE, "FERNET_KEYS": sorted(PRINTED)[:1]}), [0]),
        (shop(LIVE, FERNET_KEYS=[KEY, *PRINTED]), [1]),
        *(
            (shop({**LIVE, "WALLET": WALLET | {"MERCHANT_NO": number}}), ["MERCHANT_NO"])
            for number in ("", "1" * 11, "1" * 19, "1234567 90123")
        ),
        *(
            (shop({**LIVE, "WALLET": LIVE_WALLET | script}), [where])
            for script, where in (
                ({"PAY_JS_URL": "https://GATEWAY.example/wallet/pay.js"}, "PAY_JS_URL"),
                ({"PAY_JS_URL": "https://localhost/a.js?v=1"}, "PAY_JS_URL"),
                ({"WALLET_JS": "https://localhost/a.js?v=1"}, "URL"),
            )
        ),
        # Keys
        *(
            (shop(FERNET_KEYS=[KEY, key]), [1])
            for key in ("", "changeme", "A" * 43 + "=", KEY[:-2], KEY + "=", KEY + "\n", 7, None, b"bytes")
        ),
    ],
)
def test_what_is_missing_or_does_not_belong_together_is_named_and_no_key_is_printed(
    given: object, where: list[object], settings: Settings
) -> None:
    said = told(settings, given)
    named = [found.rpartition("[")[2] for found in re.findall(r"WALLET_GATEWAY((?:\[[^]]+\])+): ", said)]
    assert named == [f"{one!r}]" for one in where], said
    assert not any(key in said for key in (KEY, *PRINTED))


@every(
    ("host", "is_local"),
    [
        *((host, True) for host in ("localhost", "LOCALHOST.", "shop.localhost", "127.0.0.1", "127.9.9.9")),
        *((host, True) for host in ("127.1", "0x7f000001", "2130706433", "0177.0.0.1", "169.254.169.254")),
        *(
            (host, True)
            for host in ("[::1]", "[fe80::1]", "[::ffff:127.0.0.1]", "[::]", "0.0.0.0", "224.0.0.1")
        ),
        # Private networks name their servers so, a proxy to the provider among them.
        *((host, False) for host in ("proxy.corp.local", "10.0.0.1", "93.184.216.34", "localhost.example")),
        ("[2606:2800:220:1::1]", False),
    ],
)
def test_in_production_neither_gateway_nor_shop_is_on_this_machine(
    host: str, is_local: bool, settings: Settings
) -> None:
    url = {"BASE_URL": f"https://{host}"}
    assert told(settings, shop(url, PUBLIC_ORIGIN=f"https://{host}")) == ""
    for settings.DEBUG in (True, False):
        said = told(settings, shop({**LIVE, **url}, PUBLIC_ORIGIN=f"https://{host}"))
        assert ("['PUBLIC_ORIGIN']: https and a host that customers" in said) is is_local
        assert ("['BASE_URL']: the provider's address" in said) is is_local


RIGHT_WALLETS: tuple[dict[str, Any], ...] = (
    {"BILLING": {"PHONE": True, "ADDRESS": "MIN"}, "SHIPPING": {"PHONE": True, "ADDRESS": True}},
    {"BILLING": {"PHONE": True}, "BUTTON_OVERRIDES": "operator.add"},
    {"WALLET_JS": {"URL": SCRIPT, "INTEGRITY": f"sha256-{'A' * 43}= {HASH}"}, "BUTTON": False},
    {"WALLET_JS": "http://127.0.0.1:9/pay.js", "PAY_JS_URL": "https://pay.example/pay.js?v=7"},
    {"WALLET_JS": "", "BUTTON": None},
    {"TRUSTED_TYPES": []},
    {"TRUSTED_TYPES": ("goog#html", "lit-html", "'allow-duplicates'"), "CALLBACKS": ["OFFER"]},
    {"LIMITS": {"AUTHORIZATIONS": 1, "SESSIONS": 1000}, "CARDS": {}},
)


@every(
    ("debug", "given"),
    [
        (False, shop()),
        *((False, shop(PUBLIC_ORIGIN=o)) for o in ("https://shop.example/", "http://127.0.0.1:8000")),
        *((False, shop(PUBLIC_ORIGIN=o)) for o in ("http://localhost:8000", "http://[::1]:8000")),
        (True, shop(PUBLIC_ORIGIN="http://shop.example")),
        (False, shop({"BASE_URL": "http://127.0.0.1:8001", "MERCHANT_ID": "SANDBOX-MERCHANT"})),
        (False, shop({"BASE_URL": "https://gateway.example/a..b/.../.well-known/x"})),
        (False, shop({"TIMEOUT": {"TOTAL": 120, "READ": 120, "CONNECT": 0.01, "IDLE": 0}})),
        (False, shop({"TIMEOUT": 120, "QUERIES": {"RATE": 0.1, "WORKERS": 64, "AGAIN_DAYS": 3650}})),
        (False, shop({"MERCHANT_ID": "x" * 255, "SKIN_ID": "ü" * 255, "CAPTURE": {"DAYS": 36_500}})),
        (False, shop(GATEWAYS={"a-1_b": GATEWAY}, RETENTION_DAYS=36_500, ACCESS_TOKEN_SECONDS=60)),
        (
            False,
            shop(
                LIVE, HEALTH_TOKEN="a random text of 20 characters", CSP_REPORT_URL="https://a.example/?x=1"
            ),
        ),
        (
            False,
            shop(
                API_ORIGINS={
                    *("https://app.shop.example", "https://app.shop.example:8443", "https://localhost"),
                    *("http://localhost:5173", "http://127.0.0.1:5173", "http://[::1]:5173"),
                    "https://xn--pp-uia.shop.example",
                }
            ),
        ),
        (True, shop({"WALLET": WALLET}, FERNET_KEYS=[])),
        (False, shop({"WALLET": None}, FERNET_KEYS=None)),
        (False, shop({"WALLET": WALLET, "FERNET_KEYS": [KEY]}, FERNET_KEYS=None)),
        (False, shop({"WALLET": WALLET}, FERNET_KEYS=sorted(PRINTED))),
        *((False, shop({"WALLET": WALLET | options})) for options in RIGHT_WALLETS),
    ],
)
def test_what_is_right_is_told_nothing_of(debug: bool, given: object, settings: Settings) -> None:
    settings.DEBUG = debug
    assert told(settings, given) == ""


def test_a_key_that_is_encrypted_or_of_another_certificate_is_named(
    tmp_path: Path, settings: Settings
) -> None:
    ours, other = make_certificate(tmp_path), make_certificate(tmp_path, name="other.example")
    for given in (ours.with_encrypted_key(), (ours.pair()[0], other.pair()[1]), ours.pair()[0]):
        words = "do not fit, one of them is missing, or the key is encrypted"
        is_told(settings, shop({"CLIENT_CERT": given}), "CLIENT_CERT", words)
    assert told(settings, shop({"CLIENT_CERT": ours.pair(), "CA_FILE": other.file})) == ""


def test_a_file_that_may_not_be_read_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # A superuser may read everything, so the mode of a file proves nothing.
    monkeypatch.setattr(Path, "open", refuse)
    is_told(settings, shop({"CA_FILE": "/ca.pem"}), "CA_FILE", "; /ca.pem: Permission denied")


def test_a_signing_key_that_everybody_knows_is_refused_where_real_money_moves(settings: Settings) -> None:
    assert len(PRINTED) == 1
    for key, fallbacks, name in (
        (f"django-insecure-{get_random_secret_key()}", [], "SECRET_KEY"),
        ("only-for-the-demo-shop", [], "SECRET_KEY"),
        (get_random_secret_key(), ["own", "django-insecure-x"], "SECRET_KEY_FALLBACKS[1]"),
    ):
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = key, fallbacks
        said = told(settings, shop(LIVE))
        assert said == f"{name}: a secret of your own, because a gateway has the profile 'prod'"
        assert told(settings, shop()) == ""


# Accounts outside the settings: nobody who may change them sends credentials or customers elsewhere

ACCOUNT: dict[str, Any] = GATEWAY | {"BASE_URL": "live"}
ADDRESSES: dict[str, Any] = {
    "live": "https://gateway.example",
    "here": "https://127.0.0.1",
    "own": {"BASE_URL": "https://own.example", "AUTH": "builtins.repr"},
    "fixed": {
        "BASE_URL": "https://fixed.example",
        "PROFILE": "prod",
        "APPROVALS": {"LIMITS": {"EUR": "5.00"}},
        "WALLET": {"ACCEPT_UNAUTHENTICATED": False},
    },
}
NOT_HERE: dict[str, Any] = {
    "AUTH": "builtins.repr",
    "CLIENT_CLASS": "",
    "CA_FILE": "",
    "CLIENT_CERT": "",
    "PROXY": None,
    "PATHS": {},
    "REDIRECT_HOSTS": (),
}
NOT_IN_WALLET = (
    *("THREE_D_SECURE", "PRICING", "BUTTON_OVERRIDES", "PAY_JS_URL", "WALLET_JS", "TRUSTED_TYPES"),
)


def judged(settings: Settings, given: Mapping[str, Any], **shop_has: Any) -> list[str]:
    """Return the settings that an account is refused for, by the end of their names."""
    settings.ALLOWED_HOSTS = shop_has.pop("ALLOWED_HOSTS", ["shop.example", ".tenants.example"])
    settings.SECRET_KEY = shop_has.pop("SECRET_KEY", "k" * 50)
    shop_of = {"PUBLIC_ORIGIN": "https://shop.example", "BASE_URLS": ADDRESSES, "FERNET_KEYS": [KEY]}
    settings.WALLET_GATEWAY = settings_of(**shop_of | shop_has)
    found = payments.maintenance.check_account("tenant-7", {**ACCOUNT, **given})
    assert not any(KEY in text or "canary" in text for text in found)
    return [re.sub(r"^tests.*\['tenant-7'\]|^WALLET_GATEWAY", "", text.partition(": ")[0]) for text in found]


WEB = ("https://gateway.example", "https://thief.example")
URLS: tuple[object, ...] = (*WEB, "", "unknown", None, 7, ["live"], {})


@every(
    ("given", "where"),
    [
        ({}, []),
        ({"WALLET": WALLET}, []),
        *(({"BASE_URL": url}, ["['BASE_URL']"]) for url in URLS),
        *(({name: value}, [f"['{name}']"]) for name, default in NOT_HERE.items() for value in (default, "x")),
        *(({"WALLET": WALLET | {name: ""}}, [f"['WALLET']['{name}']"]) for name in NOT_IN_WALLET),
        # What the address says
        ({"BASE_URL": "fixed", "WALLET": LIVE_WALLET}, []),
        ({"BASE_URL": "fixed", "PROFILE": "test"}, ["['PROFILE']"]),
        ({"BASE_URL": "fixed", "APPROVALS": {"DAYS": 1}}, ["['APPROVALS']"]),
        (
            {"BASE_URL": "fixed", "WALLET": LIVE_WALLET | {"ACCEPT_UNAUTHENTICATED": True}},
            ["['WALLET']['ACCEPT_UNAUTHENTICATED']"],
        ),
        # Where customers come back to
        *(
            ({"PUBLIC_ORIGIN": origin}, [])
            for origin in (
                "https://seven.tenants.example",
                "https://SHOP.example:8443",
                "https://shop.example",
            )
        ),
        *(
            ({"PUBLIC_ORIGIN": origin}, ["['PUBLIC_ORIGIN']"])
            for origin in (
                *("https://thief.example", "https://shop.example.thief.example", "javascript:alert(1)", 7),
                *("https://tenants.example@thief.example", "https://thief.example\\.tenants.example"),
                *("http://seven.tenants.example", "https://shop.example/path"),
            )
        ),
        # What the shop lacks
        ({"PROFILE": "prod", "BASE_URL": "here"}, ["['BASE_URL']"]),
        (
            {"AUTH_SECRETS": {"canary": 7}, "FERNET_KEYS": ["canary"], "USER_ID": 7, "STORE_ID": ""},
            ["['STORE_ID']", "['USER_ID']", "['AUTH_SECRETS']", "['FERNET_KEYS'][0]"],
        ),
    ],
)
def test_an_account_names_no_address_no_code_no_file_and_no_other_host(
    given: dict[str, Any], where: list[str], settings: Settings
) -> None:
    assert sorted(judged(settings, given)) == sorted(where)


PROD = {"PROFILE": "prod"}


@every(
    ("given", "shop_has", "where"),
    [
        (PROD, {"PUBLIC_ORIGIN": "http://127.0.0.1:8000"}, ["['PUBLIC_ORIGIN']"]),
        ({}, {"PUBLIC_ORIGIN": "http://127.0.0.1:8000"}, []),
        ({"WALLET": WALLET}, {"FERNET_KEYS": ()}, ["['FERNET_KEYS']"]),
        ({"WALLET": WALLET, "FERNET_KEYS": [KEY]}, {"FERNET_KEYS": ()}, []),
        (PROD, {"FERNET_KEYS": sorted(PRINTED)}, ["['FERNET_KEYS'][0]"]),
        # Also where the account has its own: the shop's are used beside them.
        (PROD | {"FERNET_KEYS": [KEY]}, {"FERNET_KEYS": sorted(PRINTED)}, ["['FERNET_KEYS'][0]"]),
        (
            PROD | {"PUBLIC_ORIGIN": "https://shop.example"},
            {"PUBLIC_ORIGIN": "http://127.0.0.1:8000"},
            ["['PUBLIC_ORIGIN']"],
        ),
        (PROD, {"SECRET_KEY": "django-insecure-x"}, ["SECRET_KEY"]),
        ({}, {"SECRET_KEY": "django-insecure-x"}, []),
        ({"PUBLIC_ORIGIN": "http://tenant.localhost:8000"}, {"ALLOWED_HOSTS": []}, ["['PUBLIC_ORIGIN']"]),
        ({"PUBLIC_ORIGIN": "https://shop-b.example"}, {"ALLOWED_HOSTS": ["*"]}, ["['PUBLIC_ORIGIN']"]),
        (
            {"PUBLIC_ORIGIN": "https://shop-b.example"},
            {"ALLOWED_HOSTS": ["*"], "ACCOUNT_HOSTS": ["shop-b.example"]},
            [],
        ),
    ],
)
def test_an_account_is_refused_where_the_shop_lacks_what_it_needs(
    given: dict[str, Any], shop_has: dict[str, Any], where: list[str], settings: Settings
) -> None:
    assert judged(settings, given, **shop_has) == where


@every(
    ("address", "where", "words"),
    [
        ([], "", "a dict"),
        ({"Live": "https://gateway.example"}, "['Live']", "a name of 1 to 32"),
        ({"live": "http://gateway.example"}, "['live']['BASE_URL']", "https"),
        ({"live": {}}, "['live']['BASE_URL']", "an absolute https URL"),
        ({"live": 7}, "['live']", "a URL, or a dict"),
        ({"live": {"BASE_URL": SCRIPT, "AUTH": "no.such"}}, "['live']['AUTH']", "dotted path"),
        ({"live": {"BASE_URL": SCRIPT, "SECONDS": 3}}, "['live']['SECONDS']", "unknown name"),
        (
            {"live": {"BASE_URL": SCRIPT, "WALLET": {"PRICING": "no.such"}}},
            "['live']['WALLET']['PRICING']",
            "dotted path",
        ),
    ],
)
def test_an_address_is_judged_as_a_gateway_without_its_account(
    address: object, where: str, words: str, settings: Settings
) -> None:
    said = told(settings, shop(BASE_URLS=address))
    assert said.startswith(f"WALLET_GATEWAY['BASE_URLS']{where}: ")
    assert words in said


def test_every_option_that_names_code_files_or_addresses_belongs_to_the_address(settings: Settings) -> None:
    """One that is new is refused in an account, or it is none of these."""
    known = told(settings, shop({"?": 1})).partition("known: ")[2].split(", ")
    in_wallet = told(settings, shop({"WALLET": WALLET | {"?": 1}})).partition("known: ")[2].split(", ")
    code = re.compile(r"AUTH$|CLASS|_FILE|CERT|PATH|PROXY|HOST|_URL$|PRICING|OVERRIDES|SECURE|TRUSTED|_JS$")
    assert {name for name in known if code.search(name)} - {"BASE_URL"} == set(NOT_HERE)
    assert {name for name in in_wallet if code.search(name)} == set(NOT_IN_WALLET)
