"""wallet.js in a real browser: under strict policies, from this host and another, in either kind of tag."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.storage import FileSystemStorage

from tests.support.chromium import PATIENCE_MS
from tests.support.local_server import LocalServer
from tests.support.static_host import StaticHost, collect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SCRIPT = "wallet_gateway/wallet.js"
PAY_JS = """
window.google = { payments: { api: { PaymentsClient: class {
  constructor(options) { window.nonceOfTheWallet = options.nonce }
  isReadyToPay() { return Promise.resolve({ result: true }) }
  loadPaymentData() {
    window.activated = navigator.userActivation.isActive
    const tokenizationData = { type: "PAYMENT_GATEWAY", token: '{"tag":"q\\\\u003d"}' }
    const paymentMethodData = { type: "CARD", description: "Visa 1111", info: {}, tokenizationData }
    return Promise.resolve({ apiVersion: 2, apiVersionMinor: 0, paymentMethodData })
  }
} } } }
"""
PAGE_JS = """
window.heard = []
function hear(...news) {
  heard.push(news)
  document.documentElement.dataset.heard = heard.length
}
addEventListener("securitypolicyviolation", (event) => hear("violation", event.violatedDirective))
function handleWalletPayReady() {
  hear("ready")
  document.getElementById("merchant-google-pay-button").hidden = false
}
function handlePaymentResult(event) { hear("result", event.detail) }
function handlePaymentError(event) { hear("error", event.detail) }
const begin = () => {
  document.querySelector("button").addEventListener("click", () => onMerchantButtonClick())
  runWalletPay("M", "S", "ORDER-1", ["PAN_ONLY", "CRYPTOGRAM_3DS"], ["VISA"], "DE", "EUR", "FINAL", "1.00",
    "test", "key", false, "", "Shop")
}
// Beside a classic script the page need not wait; a module has run when the document is ready.
if (window.runWalletPay) begin()
else addEventListener("DOMContentLoaded", begin)
"""
PAGE = """<!doctype html><html lang="en"><head><title>Pay</title>
<script nonce="abc" {kind} src="{script}?v=1" data-gateway-url="/gateway" data-pay-js-url="/pay.js"
  data-gateway-name="examplegateway"></script></head>
<body><div id="merchant-google-pay-button" hidden><button>Pay</button></div>
<script nonce="abc" src="/page.js"></script></body></html>"""
RESULT = {
    "clientSystemTransactionId": "ORDER-1",
    "transactionAccountId": "ACC-1",
    "transactionMethod": "WalletPay",
}


def shop(folder: Path, page: str, policy: str) -> LocalServer:
    """A shop of one page under a policy, and the gateway that it calls."""
    known = {"/": ("text/html", page), "/page.js": ("text/javascript", PAGE_JS)}
    known["/pay.js"] = ("text/javascript", PAY_JS)

    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            file = folder / path.removeprefix("/static/")
            if path.startswith("/static/") and file.is_file():
                known[path] = ("text/javascript", file.read_text(encoding="utf-8"))
            self._answer(200 if path in known else 404, *known.get(path, ("text/plain", "")))

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            token = sent["paymentData"]["paymentMethodData"]["tokenizationData"]["token"]
            right = (self.path, token) == ("/gateway/api/v5/paymentAccounts", '{"tag":"q\\u003d"}')
            # Neither the customer's cookie nor the address of the page is the gateway's business.
            right = right and self.headers["Cookie"] is None and self.headers["Referer"] is None
            account = {"transactionAccountId": "ACC-1"} if right else {}
            self._answer(200 if right else 400, "application/json", json.dumps(account))

        def _answer(self, status: int, kind: str, body: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Set-Cookie", "session=1; Path=/")
            own = "default-src 'none'; connect-src 'self'; base-uri 'none'"
            self.send_header("Content-Security-Policy", f"{own}; {policy}")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    return LocalServer(Shop)


def heard(browser: Browser, url: str, number: int) -> tuple[list[Any], list[Any]]:
    """Open the page and click the button once it is shown; give what was heard by then, and how it was."""
    with browser.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("html[data-heard]")
        if number > 1:
            page.click("button")
            page.wait_for_selector(f"html[data-heard='{number}']")
        return page.evaluate("heard"), page.evaluate("[window.activated, window.nonceOfTheWallet]")


TRUSTED = "require-trusted-types-for 'script'; trusted-types wallet-gateway"


@pytest.mark.parametrize(
    ("policy", "kind", "is_elsewhere"),
    [
        (f"script-src 'nonce-abc' 'strict-dynamic'; {TRUSTED}", "", False),
        (f"script-src 'nonce-abc' 'strict-dynamic'; {TRUSTED}", "crossorigin", True),
        ("script-src 'self'", 'type="module"', False),
    ],
)
def test_it_pays_under_a_strict_policy_without_a_violation(
    browser: Browser, tmp_path: Path, policy: str, kind: str, is_elsewhere: bool
) -> None:
    collect(tmp_path, FileSystemStorage, "*.js")
    with StaticHost(tmp_path, allows_all=True) as host:
        script = host.url + SCRIPT if is_elsewhere else f"/static/{SCRIPT}"
        with shop(tmp_path, PAGE.format(kind=kind, script=script), policy) as server:
            told, seen = heard(browser, f"{server.url}/", 2)
    assert told == [["ready"], ["result", RESULT]]
    assert seen == [True, "abc"]


def test_modules_of_a_host_that_allows_no_cors_are_an_error_of_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    collect(tmp_path, FileSystemStorage, "*.js")
    with StaticHost(tmp_path, allows_all=False) as host:
        page = PAGE.format(kind="", script=host.url + SCRIPT)
        with shop(tmp_path, page, f"script-src 'nonce-abc' 'strict-dynamic'; {TRUSTED}") as server:
            [[kind, words]], _ = heard(browser, f"{server.url}/", 1)
    assert kind == "error"
    # The address that was asked for, so that one knows which host to set up.
    assert words.startswith("wallet.js could not be loaded")
    assert f"{host.url}wallet_gateway/wallet/main.js" in words
