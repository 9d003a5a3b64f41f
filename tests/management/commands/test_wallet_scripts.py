"""`manage.py wallet_scripts` against a shop that serves its pages, and a site of all kinds of scripts."""

from __future__ import annotations

import http.server
import re
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.support.local_server import LocalServer
from tests.web.rows import an_order
from wallet_gateway.domain.states import OrderState
from wallet_gateway.testing.control import SandboxControl

EMPTY = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
FILES = {
    "/page": '<!doctype html><script src="a.js?v=1" integrity="sha256-A"></script><script>go()</script>'
    '<link rel="modulepreload" href="/m.js"><link rel="icon" href="/i.png">'
    '<script src="/b/w.js" data-pay-js-url="/pay.js"></script><p>text</p>',
    "/a.js": "",
    "/m.js": "",
    "/b/w.js": "let a",
    "/pay.js": "",
    "/missing": '<script src="/nothing.js"></script>',
    "/elsewhere": '<script src="file:///etc/hosts"></script>',
}


def run(*words: str) -> str:
    printed = StringIO()
    call_command("wallet_scripts", *words, stdout=printed)
    return printed.getvalue()


@pytest.fixture
def site() -> Iterator[str]:
    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/page")
                self.end_headers()
                return
            body = FILES.get(self.path.partition("?")[0])
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write((body or "").encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with LocalServer(Site) as server:
        yield server.url


@pytest.mark.django_db(transaction=True)
def test_the_button_page_of_the_newest_order_has_these_scripts(
    live_server: LiveServer, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": live_server.url}
    an_order()
    printed = run()
    names = {name.rsplit("/", 1)[-1] for name in re.findall(r"^http[^?\n]+", printed, re.MULTILINE)}
    assert {"page.js", "pay.js", "main.js", "pay_button.js", "run.js", "payment.js", "pending.js"} <= names
    an_order()
    assert run() == printed, "two lists of one version differ"


@pytest.mark.django_db
def test_without_an_order_to_pay_a_page_is_asked_for() -> None:
    an_order(OrderState.PAID)
    with pytest.raises(CommandError, match="--page"):
        run()


def test_each_script_is_listed_with_its_hash_and_integrity(site: str) -> None:
    assert run("--page", f"{site}/page").splitlines() == [
        f"{site}/a.js?v=1",
        f"  {EMPTY}, integrity: sha256-A",
        f"{site}/m.js",
        f"  {EMPTY}, integrity: none",
        f"{site}/b/w.js",
        "  sha256-IfEXP/8HLuXoAiy0hZVrCAcjcLsZqYFpLOHDGj8enqE=, integrity: none",
        f"{site}/pay.js",
        f"  {EMPTY}, integrity: none",
        "inline",
        "  sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw=",
    ]


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_proxies_of_the_environment_are_not_asked(
    site: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9/")
    monkeypatch.delenv("no_proxy", raising=False)
    assert run("--page", f"{site}/page")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("{site}/moved", "/moved could not be fetched: it answered with status 302"),
        *((f"{{site}}/{path}", "could not be fetched") for path in ("no-page", "missing", "elsewhere")),
        *((address, "could not be fetched") for address in ("", "shop.example", "file:///etc/hosts")),
        *((address, "could not be fetched") for address in ("http://[", "http://127.0.0.1:9/")),
    ],
)
def test_what_cannot_be_fetched_is_said_and_no_redirect_is_followed(
    site: str, address: str, why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        run("--page", address.replace("{site}", site))
