"""Who may look in and steer: callers of this machine without a key, and with a key those who know it."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from tests.fuzzing.addresses import addresses_of
from tests.sandbox.merchant import Merchant
from tests.support.tables import every
from wallet_gateway.sandbox import settings as of_the_sandbox
from wallet_gateway.testing.sandbox import SandboxServer

KEY = "open sesame \u00e9"
CLOSED = ["/", "/_sandbox/journal", "/_sandbox/nowhere", "/anything"]


@pytest.fixture(scope="module")
def keyed() -> Iterator[SandboxServer]:
    """A sandbox whose control interface wants a key."""
    with SandboxServer(control_key=KEY) as server:
        yield server


@pytest.fixture
def visitor(keyed: SandboxServer) -> Iterator[Merchant]:
    with Merchant(keyed.base_url) as merchant:
        yield merchant


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anybody:{password}".encode()).decode()


@every("path", CLOSED)
@every(
    "authorization",
    ["", "Bearer", "Bearer wrong", "Basic", "Basic !!!", "Basic /w==", basic("wrong"), "Digest open sesame"],
)
def test_nobody_comes_in_without_the_key(visitor: Merchant, path: str, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = visitor.send("GET", path, headers=headers)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Basic realm=")
    assert KEY not in answer.body.decode()


def test_the_key_as_a_password_opens_the_console_to_a_browser(visitor: Merchant) -> None:
    assert visitor.send("GET", "/", headers={"Authorization": basic(KEY)}).status == 200


# Every address that is open to everybody, and why.
OPEN = {
    "^api/": "the service's interface, below v5; it has an authorization of its own",
    "checkout/<str:token>/": "the customer pays here, by an unguessable link that the shop hands on",
    "three-d-secure/<str:token>/": "the customer's card is checked here, by an unguessable link, too",
    "static/<path:path>": "what the customer's pages are drawn with",
    "wallet.js": "a shop's page loads the service's script",
    "^wallet/(?P<version>[0-9a-f]{12})/(?P<name>[a-z_]+)\\.js$": "the script loads its modules there",
    "wallet/pay.js": "a shop's page loads it",
    "wallet/sheet": "the frame that pay.js puts into a shop's page",
    "wallet/keys.json": "public keys, by which the wallet's tokens are verified",
    "wallet/api/payment-data": "the frame approves here, and pages of other sites may not",
    "wallet/api/price-texts": "the frame has its prices formatted here, and pages of other sites may not",
    "wallet/api/state": "the frame asks here for the made-up cards, and pages of other sites may not",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
NAMED = defaultdict(lambda: "1", {"version": "0123456789ab", "name": "main", "path": "x/y"})
ADDRESSES = {address.route: address for address in addresses_of("wallet_gateway.sandbox.urls")}


@every("method", METHODS)
@every("route", [route for route in ADDRESSES if route not in OPEN])
def test_whatever_is_not_said_to_be_open_wants_the_key(visitor: Merchant, route: str, method: str) -> None:
    answer = visitor.send(method, ADDRESSES[route].path(NAMED))
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Basic realm=")


@every(
    "path",
    [
        *("/api", "/api/", "/api/v4/checkout", "/apis/v5/checkout", "/API/v5/checkout"),
        *("/checkout/", "/checkout/x", "/checkout/x/y/", "/three-d-secure/", "/three-d-secure/x/y/"),
        *("/wallet", "/wallet/", "/wallet/?page=1", "/wallet/accounts/", "/wallet/pay.js/", "/wallet/pay_js"),
        *("/wallet.js/", "/wallet_js", "/wallet/main.js", "/wallet/0123456789ab/", "/wallet/0123/main.js"),
        *("/wallet/api/", "/wallet/api/state/", "/wallet/api/accounts", "/wallet/keys.json/x"),
        *("/static", "/static/", "/accounts/", "//accounts/", "/x/api/v5/", "/api/../_sandbox/journal"),
        *("/%61ccounts/", "/accounts/%3Fx=/api/v5/", "/_sandbox/journal?/api/v5/", "/accounts/;/static/x"),
    ],
)
def test_what_only_resembles_an_open_address_wants_the_key(visitor: Merchant, path: str) -> None:
    for method in ("GET", "POST"):
        assert visitor.send(method, path).status == 401


@every("path", CLOSED)
def test_a_name_that_was_made_to_point_here_is_refused(merchant: Merchant, path: str) -> None:
    assert merchant.send("GET", path, headers={"Host": "rebound.example"}).status == 400
    headers = {"Host": "rebound.example", "Origin": "http://rebound.example"}
    assert merchant.send("POST", path, headers=headers).status == 400


@every("path", ["/_sandbox/reset", "/_sandbox/clock", "/controls/reset/", "/"])
def test_a_page_of_another_site_cannot_make_a_browser_call(merchant: Merchant, path: str) -> None:
    answer = merchant.send("POST", path, b"{}", {"Origin": "https://evil.example"})
    assert answer.status == 403
    assert "evil.example" in answer.message


@every("path", ["/_sandbox/reset", "/controls/reset/"])
@every("sent_by", ["cross-site", "same-site"])
def test_a_browser_that_names_no_origin_is_known_by_what_else_it_says(
    merchant: Merchant, path: str, sent_by: str
) -> None:
    assert merchant.send("POST", path, b"", {"Sec-Fetch-Site": sent_by}).status == 403
    # A link from another site's page only shows something.
    assert merchant.send("GET", "/", headers={"Sec-Fetch-Site": sent_by}).status == 200


@every(
    ("address", "status"),
    [("127.0.0.1", 405), ("127.8.9.1", 405), ("::1", 405), ("192.0.2.7", 403), ("::ffff:192.0.2.7", 403)],
)
def test_without_a_key_other_machines_are_refused(settings: Settings, address: str, status: int) -> None:
    settings.WALLET_SANDBOX_CONTROL_KEY = ""
    settings.ROOT_URLCONF = of_the_sandbox.ROOT_URLCONF
    settings.MIDDLEWARE = [name for name in of_the_sandbox.MIDDLEWARE if name.endswith("AccessMiddleware")]
    answer = Client(REMOTE_ADDR=address).get("/_sandbox/reset", headers={"host": "127.0.0.1"})
    assert answer.status_code == status
