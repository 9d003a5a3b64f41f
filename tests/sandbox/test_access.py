"""Who may look in and steer: callers of this machine without a key, whoever knows it with one."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.sandbox.access import AccessMiddleware
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
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


@pytest.mark.parametrize("path", CLOSED)
@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer wrong", "Basic", "Basic !!!", "Basic /w==", basic("wrong"), "Digest open sesame"],
)
def test_nobody_comes_in_without_the_key(visitor: Merchant, path: str, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = visitor.send("GET", path, headers=headers)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Basic realm=")
    assert KEY not in answer.body.decode()


def test_the_key_opens_the_control_interface(keyed: SandboxServer) -> None:
    keyed.control.reset()
    assert keyed.control.journal() == []
    with pytest.raises(SandboxRefused, match="401"):
        SandboxControl(keyed.base_url).journal()


def test_the_key_as_a_password_opens_the_console_to_a_browser(visitor: Merchant) -> None:
    assert visitor.send("GET", "/", headers={"Authorization": basic(KEY)}).status == 200


def test_the_api_and_its_pages_need_no_key(visitor: Merchant) -> None:
    answer = visitor.checkout(new_reference())
    assert answer.status == 200
    path = answer.json["redirectUrl"].removeprefix(visitor.base_url)
    assert visitor.send("GET", path).status == 200
    assert visitor.send("GET", "/static/nothing.css").status == 404


def test_with_a_key_any_name_of_the_machine_is_right(visitor: Merchant) -> None:
    answer = visitor.send("GET", "/api/v5/nowhere", headers={"Host": "sandbox.internal:8001"})
    assert answer.status == 404


@pytest.mark.parametrize(
    ("address", "status"),
    [("127.0.0.1", 204), ("127.8.9.1", 204), ("::1", 204), ("192.0.2.7", 403), ("::ffff:192.0.2.7", 403)],
)
def test_without_a_key_other_machines_are_refused(settings: Any, address: str, status: int) -> None:  # noqa: ANN401
    settings.WALLET_SANDBOX_CONTROL_KEY = ""
    middleware = AccessMiddleware(lambda _: HttpResponse(status=204))
    request = RequestFactory().get("/_sandbox/journal", REMOTE_ADDR=address)
    assert middleware(request).status_code == status


def test_without_a_key_this_machine_is_let_in(merchant: Merchant) -> None:
    assert merchant.send("GET", "/").status == 200
    assert merchant.send("GET", "/_sandbox/journal").status == 200


@pytest.mark.parametrize("path", CLOSED)
def test_a_name_that_was_made_to_point_here_is_refused(merchant: Merchant, path: str) -> None:
    assert merchant.send("GET", path, headers={"Host": "rebound.example"}).status == 400
    headers = {"Host": "rebound.example", "Origin": "http://rebound.example"}
    assert merchant.send("POST", path, headers=headers).status == 400


@pytest.mark.parametrize("path", ["/_sandbox/reset", "/_sandbox/clock", "/faults/clear", "/"])
def test_a_page_of_another_site_cannot_make_a_browser_call(merchant: Merchant, path: str) -> None:
    answer = merchant.send("POST", path, b"{}", {"Origin": "https://evil.example"})
    assert answer.status == 403
    assert "evil.example" in answer.message


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_nor_can_a_page_that_hides_where_it_is_from(merchant: Merchant, origin: str) -> None:
    assert merchant.send("POST", "/_sandbox/reset", b"", {"Origin": origin}).status == 403


def test_its_own_pages_can(merchant: Merchant) -> None:
    assert merchant.send("POST", "/_sandbox/reset", b"", {"Origin": merchant.base_url}).status == 200
