"""A sandbox behind a proxy: every link of it leads to the address that browsers know."""

from __future__ import annotations

import re
import ssl
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser as ChromiumBrowser
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.client.certificates import Certificate, make_certificate
from tests.sandbox.reverse_proxy import ReverseProxy
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.sandbox.__main__ import main
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.orders import create_order
from wallet_gateway.testing.sandbox import SandboxServer
from wallet_gateway.testing.wallet_sheet import WalletSheet

KEY = "open-sesame"
PLAIN_CARD = "Visa •••• 1881"
OWNER = f"Basic {b64encode(f'anna:{KEY}'.encode()).decode()}"


@every(
    "text",
    [
        "staging.example",
        "ftp://staging.example",
        "https://",
        "https://:8443",
        "https://anna@staging.example",
        "https://staging.example?x=1",
        "https://staging.example/#x",
        "https://staging.example/a//b",
        "https://staging.example/a b",
        "https://staging.example:port",
        "https://staging.example:99999",
        'https://staging.example"',
    ],
)
def test_what_is_no_address_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--port", "0", "--control-key", KEY, "--public-url", text])
    assert "argument --public-url" in capsys.readouterr().err


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of the proxy, for this machine."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def server(certificate: Certificate) -> Iterator[tuple[ReverseProxy, SandboxServer]]:
    """A sandbox that browsers reach over TLS, below a prefix."""
    proxy = ReverseProxy(certificate.server_context(), prefix="/pay-service")
    with proxy, SandboxServer("--public-url", proxy.url, control_key=KEY) as sandbox:
        proxy.target = sandbox.base_url
        yield proxy, sandbox


@pytest.fixture
def proxy(server: tuple[ReverseProxy, SandboxServer]) -> ReverseProxy:
    return server[0]


@pytest.fixture
def control(server: tuple[ReverseProxy, SandboxServer]) -> SandboxControl:
    """The control interface, past the proxy and as new."""
    control = server[1].control
    control.reset()
    return control


class Browser:
    """Asks through the proxy, and follows a redirect as a browser does."""

    def __init__(self, certificate: Certificate) -> None:
        tls = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=str(certificate.file)))
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), tls)

    def open(self, url: str, *, body: bytes | None = None, **headers: str) -> tuple[str, str]:
        """Return the address at which it ends, and what is there."""
        request = urllib.request.Request(url, body, headers)
        with self._opener.open(request, timeout=60) as answer:
            return answer.url, answer.read().decode()


@pytest.fixture
def browser_outside(certificate: Certificate) -> Browser:
    return Browser(certificate)


@pytest.fixture
def shop(control: SandboxControl, proxy: ReverseProxy, certificate: Certificate, settings: Settings) -> None:
    """A shop whose gateway is the sandbox behind the proxy."""
    given: dict[str, Any] = settings.WALLET_GATEWAY
    gateway = given["GATEWAYS"]["default"] | {"BASE_URL": proxy.url, "CA_FILE": str(certificate.file)}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": gateway}}


@pytest.mark.django_db
def test_a_shop_pays_on_the_page_behind_the_proxy(
    shop: None, control: SandboxControl, proxy: ReverseProxy, browser_outside: Browser
) -> None:
    order = create_order()
    attempt = payments.start_checkout(order)
    assert attempt.redirect_url.startswith(f"{proxy.url}/checkout/")
    page = browser_outside.open(attempt.redirect_url)[1]
    files = re.findall(r'(?:href|src)="(/[^"]+\.(?:css|js|svg))"', page)
    assert files
    for file in files:
        browser_outside.open(f"{proxy.origin}{file}")

    control.complete_checkout(attempt.reference, "success")
    assert payments.reconcile(order).is_paid


@pytest.mark.browser
def test_the_customer_pays_with_the_wallet_and_passes_3d_secure_behind_the_proxy(
    wallet_live: LiveServer, shop: None, proxy: ReverseProxy, browser: ChromiumBrowser
) -> None:
    order = create_order()
    with browser.new_context(locale="en", ignore_https_errors=True) as context:
        sheet = WalletSheet(context.new_page(), origin=wallet_live.url)
        sheet.visit(reverse("wallet_gateway:pay", args=[order.token]))
        sheet.open()
        sheet.choose("card", PLAIN_CARD)
        sheet.approve()
        sheet.page.wait_for_url(f"{proxy.url}/three-d-secure/**")
        sheet.page.get_by_role("button", name="Approve").click()
        sheet.page.get_by_text("Your payment went through").wait_for()
        assert sheet.page.url.startswith(wallet_live.url)
    assert payments.get_order(order.reference).is_paid


def test_the_consoles_forms_work_from_its_own_pages(
    proxy: ReverseProxy, control: SandboxControl, browser_outside: Browser
) -> None:
    page = browser_outside.open(f"{proxy.url}/controls/", Authorization=OWNER)[1]
    (action, *_) = re.findall(r'action="(/[^"]+/controls/set-fault/)"', page)
    assert action == "/pay-service/controls/set-fault/"
    (back, *_) = re.findall(r'name="back" value="([^"]+)"', page)
    assert back == "/pay-service/controls/"

    fields = f"back={back}&operation=capture&fault=drop_after".encode()
    at, controls = browser_outside.open(
        f"{proxy.origin}{action}", body=fields, Origin=proxy.origin, Authorization=OWNER
    )
    assert at.partition("#")[0] == f"{proxy.url}/controls/"
    assert "drop_after</strong> on" in controls
