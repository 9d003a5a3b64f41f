"""Every setting that is missing or wrong is named, with what would be right, and without any secret.

Each table says: an option, words of the message, and the wrong values that it is written for.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
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
from tests.tables import every
from wallet_gateway import conf
from wallet_gateway.payments.maintenance import check_account

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
Wrong = list[tuple[str, str, list[Any]]]


def shop(gateway: Mapping[str, Any] = {}, **changed: Any) -> dict[str, Any]:
    """A right setting but for these options of its gateway, and of itself."""
    right = {"PUBLIC_ORIGIN": "https://shop.example", "FERNET_KEYS": [KEY]}
    return {**right, "GATEWAYS": {"default": {**GATEWAY, **gateway}}, **changed}


def told(settings: Settings, given: object) -> str:
    """Return what a call says of a setting; nothing where it is right."""
    settings.WALLET_GATEWAY = given
    try:
        conf.settings()
    except ImproperlyConfigured as refused:
        return str(refused)
    return ""


def is_told(settings: Settings, given: object, name: str, words: str) -> None:
    """See that exactly one setting is named, with these words."""
    said = told(settings, given)
    assert said.count("WALLET_GATEWAY[") == 1, said
    where, _, expected = said.partition(": ")
    assert where.endswith(f"[{name!r}]") or f"[{name!r}][" in where, said
    assert words in expected


def rows(table: Wrong) -> Iterator[tuple[str, str, Any]]:
    for name, words, values in table:
        yield from ((name, words, value) for value in values)


OF_SHOP: Wrong = [
    (
        "PUBLIC_ORIGIN",
        "scheme and host of the shop, such as 'https://shop.example'",
        [
            *(None, 7, "", "shop.example", "ftp://shop.example", "https://", "https://a@b.example"),
            *("https://shop.example/shop", "https://shop.example?x=1", "http://b:0", " https://shop.example"),
            *("https://thief.example\\.shop.example", "https://thief.example%2f.shop.example"),
            *("https://thief.example;.shop.example", "https://thief example.shop.example"),
            *("https://thief.example\u3002shop.example", "https://shop.ex\tample", "https://shop.example/\n"),
            *("https://[::1].shop.example", "https://*.shop.example", "https://.shop.example"),
            *("https://seven..shop.example", "https://shop.example:٤٤٣"),
        ],
    ),
    (
        "PUBLIC_ORIGIN",
        "https, because payment results come back to it",
        ["http://shop.example", "http://localhost.example"],
    ),
    ("GATEWAYS", "a dict with a gateway under 'default'", [None, {}, []]),
    ("GATEWAYS", "the dotted path of a mapping", ["default", "tests.conf.table.NOWHERE"]),
    ("HEALTH_TOKEN", "20 or more characters", ["short", "a" * 40, "changechangechangechange", 7, None]),
    (
        "RETENTION_DAYS",
        "a whole number of days above zero, at most 36500",
        [0, -1, 1.5, "400", None, 36_501, 10**9],
    ),
    (
        "CSP_REPORT_URL",
        "an https URL",
        [
            *("http://reports.example/", "reports", "https://a.example/;x", 'https://a.example/"'),
            *("https://a/, b", 7),
        ],
    ),
    ("ORDER_ADMIN_URL", "dotted path", ["shop.links.nothing_there", "tests.conf.table.PATH", "words"]),
    ("ORDER_ADMIN_URL", "a text", [7, None]),
    ("ACCESS_TOKEN_SECONDS", "60 to 86400", [0, 59, 86_401]),
    ("ACCESS_TOKEN_SECONDS", "a whole number", [60.5, "3600", True, None]),
    (
        "API_ORIGINS",
        "origins as browsers write them",
        [
            [origin]
            for origin in (
                *("https://*.shop.example", "*", "null", "https://app.shop.example/", "app.shop.example"),
                *("https://app.shop.example/path", "https://app.shop.example?q", "https://App.shop.example"),
                *("https://app.shop.example:443", "https://app.shop.example:", "ftp://app.shop.example"),
                *("https://user@app.shop.example", "https://äpp.shop.example", "http://app.shop.example"),
                *("http://localhost:80", "", None, 7),
            )
        ],
    ),
    ("PUBLIC_ORGIN", "unknown name; did you mean 'PUBLIC_ORIGIN'?", ["https://shop.example"]),
]


@every(("name", "words", "value"), rows(OF_SHOP))
def test_a_wrong_setting_of_the_shop_is_told(
    name: str, words: str, value: object, settings: Settings
) -> None:
    given: dict[str, Any] = {name: value}
    if name == "GATEWAYS" and isinstance(value, str):
        given["BASE_URLS"] = {"live": SCRIPT}
    is_told(settings, shop(**given), name, words)


OF_GATEWAY: Wrong = [
    *(
        (name, "a text that is not empty", [None, "", "  ", 7])
        for name in ("MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
    ),
    *(
        (name, "one line of 1 to 255 characters", ["x" * 256, "S\n7", "\0", "\ud800"])
        for name in ("MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
    ),
    ("BASE_URL", "an absolute https URL", ["gateway.example", "https://user@gateway.example", "https://"]),
    (
        "BASE_URL",
        "no step . or ..",
        [
            *("https://gateway.example/v5/..", "https://gateway.example/a/../b", "https://g.example/a/."),
            *("https://gateway.example/%2E%2e/", "https://g.example/a/%2E%2e/b"),
        ],
    ),
    (
        "BASE_URL",
        "https; plain http only for a loopback address in profile 'test'",
        ["http://gateway.example"],
    ),
    ("PROFILE", "'test' or 'prod'", ["production"]),
    ("PROFILE", "a text, not int", [7]),
    ("SKIN_ID", "one line of at most 255 characters", ["x" * 256]),
    ("PROVIDER_MERCHANT_ID", "one line of at most 255 characters", ["\r"]),
    ("BILLING_ADDRESS_REQUIRED", "True or False", ["required"]),
    ("BILLING_ADDRESS", "did you mean 'BILLING_ADDRESS_REQUIRED'?", ["required"]),
    ("CURRENCIES", "ISO 4217 codes such as ['EUR'], or None for all", [[], ["eur"], ["EUR", "XXQ"], [978]]),
    ("CURRENCIES", "a list, tuple or set, or None", ["EUR"]),
    ("REDIRECT_URL_TIMEOUT", "60 to 900", [0, 59, 901]),
    ("REDIRECT_URL_TIMEOUT", "a whole number", ["900", True]),
    *(
        (name, "seconds above zero, at most 120", [0, -1, 121, 1e300, 10**400, float("inf"), float("nan")])
        for name in ("CONNECT_TIMEOUT", "READ_TIMEOUT", "TOTAL_TIMEOUT")
    ),
    ("KEEPALIVE_IDLE", "0 to 3600 seconds", [-1, 3601, float("nan")]),
    ("KEEPALIVE_IDLE", "a number, not str", ["5"]),
    ("QUERY_RATE", "queries a second", [0, 0.01, 1e-300, 1e308]),
    ("QUERY_AGAIN_DAYS", "0 to 3650 days", [-1, 3651]),
    ("QUERY_AGAIN_DAYS", "a whole number", [1.5]),
    ("QUERY_WORKERS", "1 to 64", [0, 65]),
    ("QUERY_WORKERS", "a whole number", [2.5]),
    ("CAPTURE_WINDOW_DAYS", "above zero, at most 36500", [0, 36_501]),
    ("CAPTURE_WARNING_DAYS", "above zero", [-1]),
    ("CAPTURE_POLICY", "a text", [None]),
    ("CAPTURE_POLICY", "'ask', 'capture' or 'reverse'", ["hope"]),
    ("APPROVAL_DAYS", "above zero, at most 36500", [0, 1e9]),
    ("APPROVAL_LIMITS", "a dict", ["500.00"]),
    (
        "APPROVAL_LIMITS",
        "a currency's code and an amount of it as text, such as 'EUR': '500.00'",
        [
            *({"EUR": 500}, {"EUR": "500,00"}, {"EUR": "500.001"}, {"JPY": "500.5"}, {"eur": "500.00"}),
            {978: "500.00"},
        ],
    ),
    ("APPROVAL_DAY_LIMITS", "a dict", [["EUR"]]),
    ("APPROVAL_DAY_LIMITS", "a currency's code", [{"eur": "500.00"}]),
    ("GO_LIVE_MAX_AMOUNT", "a dict", ["5.00"]),
    ("GO_LIVE_MAX_AMOUNT", "an amount of it as text", [{"EUR": "5,00"}]),
    ("SENDING_ENABLED", "True or False", ["yes"]),
    ("NUMBERING", "a text", [7]),
    ("NUMBERING", "a name of 1 to 32 of a-z 0-9 _ -", ["Outlet shop"]),
    ("SHARES_REFERENCES", "True or False", [1]),
    ("IGNORED_RECORD_TYPES", "a list", ["chargeback"]),
    ("IGNORED_RECORD_TYPES", "none of which the interface names", [["Ecom.Sale"], [""]]),
    (
        "CLIENT_CLASS",
        "the dotted path of a subclass of wallet_gateway.client.gateway.Gateway",
        [*("no.such.Thing", "wallet_gateway.client.errors.NotSent", "wallet_gateway.gateways.gateway")],
    ),
    ("CLIENT_CLASS", "'shop.Client' cannot be imported: No module named 'shop'", ["shop.Client"]),
    ("CLIENT_CLASS", "a text", [7]),
    (
        "AUTH",
        "dotted path of a callable, such as 'shop.payments.sign'; 'no.such' cannot be imported",
        ["no.such"],
    ),
    ("AUTH", 'does not define a "sing" attribute/class', ["wallet_gateway.gateways.sing"]),
    ("AUTH", f"{NO_CALLABLE!r} is of type str", [NO_CALLABLE]),
    ("AUTH_SECRETS", "a dict", [["token"]]),
    ("AUTH_SECRETS", "a text under each name", [{"token": None}, {7: "x"}]),
    ("CA_FILE", "a path", [7]),
    ("CA_FILE", "authorities to trust; /no/such.pem: No such file", ["/no/such.pem", Path("/no/such.pem")]),
    ("CA_FILE", "/: Is a directory", ["/"]),
    ("CA_FILE", "null byte", ["a\0b"]),
    ("CA_FILE", "holds no certificate", [__file__]),
    ("CLIENT_CERT", "a path, or a pair of paths", [7]),
    ("CLIENT_CERT", "/no/such.pem: No such file or directory", ["/no/such.pem", (__file__, "/no/such.pem")]),
    (
        "CLIENT_CERT",
        "a pair is the path of the certificate and the path of its key",
        [*((__file__,), (__file__, ""), (__file__, __file__, __file__), (__file__, 7))],
    ),
    ("CLIENT_CERT", "do not fit, one of them is missing, or the key is encrypted", [__file__]),
    ("REDIRECT_HOSTS", "a list", ["pay.example"]),
    ("REDIRECT_HOSTS", "without scheme", [["https://pay.example"], [""]]),
    ("PATHS", "begins with /", [{"checkout": "api"}]),
    ("PATHS", "unknown name", [{"chekout": "/api"}]),
    (
        "PATHS",
        "no step . or ..",
        [*({"checkout": path} for path in ("/api/../v5", "/api/%2e%2e/v5", "/a/..\\b", "/a/."))],
    ),
    ("PUBLIC_ORIGIN", "scheme and host", ["seven.example"]),
    ("PUBLIC_ORIGIN", "https, because", ["http://seven.example"]),
    ("PUBLIC_ORIGIN", "a text", [7]),
    ("FERNET_KEYS", "not str", ["key"]),
    ("FERNET_KEYS", "generate_key", [["key"]]),
    ("TIMEOUT", "unknown name; known: BASE_URL, MERCHANT_ID, STORE_ID, USER_ID, PROVIDER, PROFILE", [3]),
    ("MERCHANTID", "unknown name; did you mean 'MERCHANT_ID'? known: BASE_URL, ", ["M-1"]),
    ("profile", "unknown name; did you mean 'PROFILE'? ", ["prod"]),
]


@every(("name", "words", "value"), rows(OF_GATEWAY))
def test_a_wrong_setting_of_a_gateway_is_told(
    name: str, words: str, value: object, settings: Settings
) -> None:
    is_told(settings, shop({name: value}), name, words)


OF_WALLET: Wrong = [
    ("COUNTRY", "the two letters of an ISO 3166 country", [None, "DEU", "de", "XX", 49]),
    ("MERCHANT_NO", "one line", ["\ud800"]),
    ("MERCHANT_NO", "a text", [12345678901234567890]),
    ("MERCHANT_NAME", "one line", ["Shop\n7"]),
    ("MERCHANT_NAME", "a text", [None]),
    ("BUTTON_LOCALE", "one line", ["de\0"]),
    ("BUTTON_LOCALE", "a text", [7]),
    ("GATEWAY_NAME", "the name", ["", "two words"]),
    ("CARD_NETWORKS", "VISA", [(), ["INTERAC"], [["VISA"]]]),
    ("CARD_NETWORKS", "a list, tuple or set", ["VISA"]),
    *(
        (name, "True or False", [1, "no", None])
        for name in (
            *("ALLOW_PREPAID", "ALLOW_CREDIT", "EXISTING_PAYMENT_METHOD_REQUIRED", "ACCEPT_UNAUTHENTICATED"),
            *("WALLET_JS_CORS", "EMAIL_REQUIRED", "SHIPPING_ADDRESS", "USE_WALLET_BUTTON"),
        )
    ),
    ("PAY_JS_URL", "https", ["http://pay.example/pay.js", "pay.js"]),
    ("WALLET_JS_URL", "https", ["http://cdn.example/wallet.js"]),
    (
        "WALLET_JS_INTEGRITY",
        "hashes",
        [
            *("sha384-" + "A" * 63, "sha384-" + "A" * 43 + "=", "md5-" + "A" * 22 + "=="),
            *("sha256-" + "A" * 43 + '="', f"{HASH}  {HASH}"),
        ],
    ),
    ("WALLET_JS_INTEGRITY", "a text", [["sha384"]]),
    ("TRUSTED_TYPES", "a list", ["goog#html"]),
    ("TRUSTED_TYPES", "names of policies", [["goog html"], ["x; script-src *"], [7]]),
    ("THREE_D_SECURE", "'redirect' or the dotted path", ["external", NO_CALLABLE]),
    ("PRICING", "the dotted path", [NO_CALLABLE]),
    ("BUTTON_OVERRIDES", "the dotted path", [NO_CALLABLE]),
    ("CALLBACKS", "SHIPPING_ADDRESS", [["PAYMENT_METHOD"], [{}]]),
    ("BILLING_ADDRESS", "'MIN'", ["full"]),
    ("BILLING_ADDRESS", "a text", [True]),
    ("BILLING_PHONE_REQUIRED", "True or False", ["yes"]),
    ("BILLING_PHONE_REQUIRED", "unless BILLING_ADDRESS", [True]),
    ("SHIPPING_PHONE_REQUIRED", "True or False", [1]),
    ("SHIPPING_PHONE_REQUIRED", "unless SHIPPING_ADDRESS", [True]),
    ("CHECKOUT_OPTION", "'COMPLETE_IMMEDIATE_PURCHASE'", ["CONTINUE_TO_REVIEW"]),
    ("TOTAL_PRICE_LABEL", "a text", [None]),
    ("TOTAL_PRICE_LABEL", "one line", ["To\npay"]),
    ("TOTAL_PRICE_LABEL", "at most 100", ["x" * 101]),
    ("SHIPPING_COUNTRIES", "ISO 3166", [["DEU"]]),
    ("BUTTON_COLOR", "'black'", ["pink"]),
    ("BUTTON_TYPE", "'buy'", ["steal"]),
    ("BUTTON_SIZE_MODE", "'fill'", ["huge"]),
    ("BUTTON_COLOUR", "unknown name", ["black"]),
    ("LIMITS", "a dict", [20]),
    ("LIMITS", "a whole number from 1 to 1000", [{"RESULTS": 0}, {"RESULTS": 1001}]),
    ("LIMITS", "a whole number, not", [{"SESSIONS": "20"}, {"ATTEMPTS": True}, {"PRICES": None}]),
    ("LIMITS", "unknown name; known: SESSIONS", [{"CARDS": 5}]),
]


@every(("name", "words", "value"), rows(OF_WALLET))
def test_a_wrong_setting_of_a_wallet_is_told(
    name: str, words: str, value: object, settings: Settings
) -> None:
    hosted = {} if name == "WALLET_JS_URL" else {"WALLET_JS_URL": SCRIPT}
    is_told(settings, shop({"WALLET": WALLET | hosted | {name: value}}), name, words)


@every(
    ("given", "where"),
    [
        (shop({"WALLET": "DE"}), ["WALLET"]),
        (shop({"WALLET": WALLET | {"WALLET_JS_INTEGRITY": HASH}}), ["WALLET_JS_INTEGRITY"]),
        (shop({"WALLET": WALLET | {"WALLET_JS_CORS": True}}), ["WALLET_JS_CORS"]),
        *((shop(GATEWAYS={alias: GATEWAY}), [alias]) for alias in ("", "A", "x" * 33, 1)),
        (shop(GATEWAYS={"default": "https://gateway.example"}), ["default"]),
        (shop({"WALLET": WALLET}, FERNET_KEYS=None), ["FERNET_KEYS"]),
        (shop({"WALLET": WALLET}, FERNET_KEYS=()), ["FERNET_KEYS"]),
        (shop(GATEWAYS={"default": {}}), [*GATEWAY, "BASE_URL"]),
        ({"GATEWAYS": {"default": GATEWAY}}, ["PUBLIC_ORIGIN"]),
        (None, ["PUBLIC_ORIGIN", "GATEWAYS"]),
        # Production
        (shop({**LIVE, "BASE_URL": "http://127.0.0.1:8001"}), ["BASE_URL", "BASE_URL"]),
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
            (shop({**LIVE, "WALLET": LIVE_WALLET | script}), list(script))
            for script in (
                {"PAY_JS_URL": "https://GATEWAY.example/wallet/pay.js"},
                {"PAY_JS_URL": "https://localhost/a.js?v=1"},
                {"WALLET_JS_URL": "https://localhost/a.js?v=1"},
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
    {"BILLING_PHONE_REQUIRED": True, "BILLING_ADDRESS": "MIN"},
    {"SHIPPING_PHONE_REQUIRED": True, "SHIPPING_ADDRESS": True},
    {"BILLING_PHONE_REQUIRED": True, "BUTTON_OVERRIDES": "operator.add"},
    {"WALLET_JS_URL": SCRIPT, "WALLET_JS_INTEGRITY": f"sha256-{'A' * 43}= {HASH}"},
    {
        "WALLET_JS_URL": "http://127.0.0.1:9/pay.js",
        "PAY_JS_URL": "https://pay.example/pay.js?v=7",
    },
    {"TRUSTED_TYPES": []},
    {"TRUSTED_TYPES": ("goog#html", "lit-html", "'allow-duplicates'"), "CALLBACKS": ["OFFER"]},
    {"LIMITS": {"RESULTS": 1, "SESSIONS": 1000}, "TOTAL_PRICE_LABEL": "x" * 100},
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
        (False, shop({"TOTAL_TIMEOUT": 120, "READ_TIMEOUT": 120, "CONNECT_TIMEOUT": 0.01})),
        (
            False,
            shop({"KEEPALIVE_IDLE": 0, "QUERY_RATE": 0.1, "QUERY_WORKERS": 64, "QUERY_AGAIN_DAYS": 3650}),
        ),
        (False, shop({"MERCHANT_ID": "x" * 255, "SKIN_ID": "ü" * 255, "CAPTURE_WINDOW_DAYS": 36_500})),
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
        "APPROVAL_LIMITS": {"EUR": "5.00"},
        "WALLET": {"ACCEPT_UNAUTHENTICATED": False},
    },
}
NOT_HERE = {
    "AUTH": "builtins.repr",
    "CLIENT_CLASS": "",
    "CA_FILE": "",
    "CLIENT_CERT": "",
    "PATHS": {},
    "REDIRECT_HOSTS": (),
}
NOT_IN_WALLET = (
    *("THREE_D_SECURE", "PRICING", "BUTTON_OVERRIDES", "PAY_JS_URL", "WALLET_JS_URL", "WALLET_JS_INTEGRITY"),
    *("WALLET_JS_CORS", "TRUSTED_TYPES"),
)


def judged(settings: Settings, given: Mapping[str, Any], **shop_has: Any) -> list[str]:
    """Return the settings that an account is refused for, by the end of their names."""
    settings.ALLOWED_HOSTS = shop_has.pop("ALLOWED_HOSTS", ["shop.example", ".tenants.example"])
    settings.SECRET_KEY = shop_has.pop("SECRET_KEY", "k" * 50)
    shop_of = {"PUBLIC_ORIGIN": "https://shop.example", "BASE_URLS": ADDRESSES, "FERNET_KEYS": [KEY]}
    settings.WALLET_GATEWAY = settings_of(**shop_of | shop_has)
    found = check_account("tenant-7", {**ACCOUNT, **given})
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
        ({"BASE_URL": "fixed", "APPROVAL_LIMITS": {}}, ["['APPROVAL_LIMITS']"]),
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
        ({"live": {"BASE_URL": SCRIPT, "TIMEOUT": 3}}, "['live']['TIMEOUT']", "unknown name"),
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
    code = re.compile(r"AUTH$|CLASS|_FILE|CERT|PATH|HOST|_URL$|_JS_|PRICING|OVERRIDES|SECURE|TRUSTED")
    assert {name for name in known if code.search(name)} - {"BASE_URL"} == set(NOT_HERE)
    assert {name for name in in_wallet if code.search(name)} == set(NOT_IN_WALLET)
