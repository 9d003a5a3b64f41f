"""wallet.js in a real browser: under strict policies, from hashing storages, in either kind of tag."""

from __future__ import annotations

import http.server
import itertools
import json
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import FileSystemStorage

from tests.chromium import PATIENCE_MS
from tests.exhaustive import one_of
from tests.static_host import StaticHost, collect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SCRIPT = "wallet_gateway/wallet.js"
PAY_JS = """
window.google = { payments: { api: { PaymentsClient: class {
  constructor(options) { window.nonceOfTheWallet = options.nonce }
  isReadyToPay() { return Promise.resolve({ result: true }) }
  loadPaymentData() {
    window.activated = navigator.userActivation.isActive
    document.documentElement.dataset.sheets = Number(document.documentElement.dataset.sheets ?? 0) + 1
    if (window.isSilent) return new Promise(() => {})
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
TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types wallet-gateway"
POLICIES = {
    "nonce-strict-dynamic": f"script-src 'nonce-abc' 'strict-dynamic'; {TRUSTED_TYPES}",
    "nonce-only": "script-src 'nonce-abc'",
    "self": "script-src 'self'",
}
KINDS = ("", 'type="module"')


def _collected(folder: Path, storage: type[FileSystemStorage]) -> str:
    """Collect the scripts; give the URL of wallet.js."""
    made = collect(folder, storage, "*.js")
    return (
        str(made.url(SCRIPT, force=True))
        if isinstance(made, ManifestStaticFilesStorage)
        else made.url(SCRIPT)
    )


@contextmanager
def _shop(folder: Path, script: str, *, policy: str, kind: str) -> Iterator[str]:
    page = f"""<!doctype html><html lang="en"><head><title>Pay</title>
    <script nonce="abc" {kind} src="{script}?v=1" data-gateway-url="/gateway" data-pay-js-url="/pay.js"
      data-gateway-name="examplegateway"></script></head>
    <body><div id="merchant-google-pay-button" hidden><button>Pay</button></div>
    <script nonce="abc" src="/page.js"></script></body></html>"""
    account = {"transactionAccountId": "ACC-1"}

    class Shop(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = {"/": ("text/html", page), "/page.js": ("text/javascript", PAGE_JS)}
            known["/pay.js"] = ("text/javascript", PAY_JS)
            path = self.path.partition("?")[0]
            file = folder / path.removeprefix("/static/")
            if path in known:
                self._answer(200, *known[path])
            elif path.startswith("/static/") and file.is_file():
                self._answer(200, "text/javascript", file.read_text(encoding="utf-8"))
            else:
                self._answer(404, "text/plain", "")

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            token = sent["paymentData"]["paymentMethodData"]["tokenizationData"]["token"]
            right = (self.path, token) == ("/gateway/api/v5/paymentAccounts", '{"tag":"q\\u003d"}')
            # Neither the customer's cookie nor the address of the page is the gateway's business.
            right = right and self.headers["Cookie"] is None and self.headers["Referer"] is None
            self._answer(200 if right else 400, "application/json", json.dumps(account if right else {}))

        def _answer(self, status: int, kind: str, body: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Set-Cookie", "session=1; Path=/")
            self.send_header(
                "Content-Security-Policy",
                f"default-src 'none'; connect-src 'self'; base-uri 'none'; {policy}",
            )
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _opened(browser: Browser, url: str) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    try:
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("html[data-heard]")
        yield page
    finally:
        context.close()


def _paid(browser: Browser, url: str) -> tuple[list[Any], dict[str, Any]]:
    """Opens the page, clicks the button once it is shown, waits for news; gives what was heard."""
    with _opened(browser, url) as page:
        page.click("button")
        page.wait_for_selector("html[data-heard='2']")
        return page.evaluate("heard"), page.evaluate("({activated, nonceOfTheWallet})")


RESULT = {
    "clientSystemTransactionId": "ORDER-1",
    "transactionAccountId": "ACC-1",
    "transactionMethod": "WalletPay",
}


@pytest.mark.parametrize(("policy", "kind"), one_of(itertools.product(POLICIES.values(), KINDS)))
def test_it_pays_under_a_strict_policy_without_a_violation(
    browser: Browser, tmp_path: Path, policy: str, kind: str
) -> None:
    script = _collected(tmp_path, FileSystemStorage)
    with _shop(tmp_path, script, policy=policy, kind=kind) as url:
        heard, seen = _paid(browser, url)
    assert heard == [["ready"], ["result", RESULT]]
    assert seen == {"activated": True, "nonceOfTheWallet": "abc"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", one_of(reversed(KINDS)))
def test_a_hashed_name_of_the_script_finds_the_modules_under_their_plain_names(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    script = _collected(tmp_path, ManifestStaticFilesStorage)
    assert script != f"/static/{SCRIPT}"
    with _shop(tmp_path, script, policy=POLICIES["nonce-strict-dynamic"], kind=kind) as url:
        assert _paid(browser, url)[0] == [["ready"], ["result", RESULT]]


@pytest.mark.parametrize(
    ("policy", "kind"), one_of(itertools.product(POLICIES.values(), ["crossorigin", *KINDS]))
)
def test_a_tag_that_names_another_host_works_with_crossorigin_and_without(
    browser: Browser, tmp_path: Path, policy: str, kind: str
) -> None:
    _collected(tmp_path, FileSystemStorage)
    with StaticHost(tmp_path, allows_all=True) as host:
        allowed = policy.replace("'self'", f"'self' {host.url}")
        with _shop(tmp_path, host.url + SCRIPT, policy=allowed, kind=kind) as url:
            assert _paid(browser, url)[0] == [["ready"], ["result", RESULT]]


@pytest.mark.exhaustive
def test_modules_of_a_host_that_allows_no_cors_are_an_error_of_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    _collected(tmp_path, FileSystemStorage)
    with StaticHost(tmp_path, allows_all=False) as host:
        policy = POLICIES["nonce-strict-dynamic"]
        with (
            _shop(tmp_path, host.url + SCRIPT, policy=policy, kind="") as url,
            _opened(browser, url) as page,
        ):
            [[kind, words]] = page.evaluate("heard")
    assert kind == "error"
    # The address that was asked for, so that one knows which host to set up.
    assert words.startswith("wallet.js could not be loaded")
    assert f"{host.url}wallet_gateway/wallet/main.js" in words


NEXT_PAGE = """() => {
  const body = document.createElement("body")
  body.innerHTML = '<div id="merchant-google-pay-button" hidden><button>Pay again</button></div>'
  document.body.replaceWith(body)
  begin()
}"""


@pytest.mark.exhaustive
def test_a_page_that_took_the_place_of_one_with_an_open_sheet_can_be_paid_from(
    browser: Browser, tmp_path: Path
) -> None:
    script = _collected(tmp_path, FileSystemStorage)
    with (
        _shop(tmp_path, script, policy=POLICIES["self"], kind="") as url,
        _opened(browser, url) as page,
    ):
        page.evaluate("window.isSilent = true")
        page.click("button")
        page.wait_for_selector("html[data-sheets='1']")
        page.evaluate(NEXT_PAGE)
        page.wait_for_selector("html[data-heard='2']")
        page.evaluate("window.isSilent = false")
        page.click("text=Pay again")
        page.wait_for_selector("html[data-heard='3']")
        assert page.evaluate("heard") == [["ready"], ["ready"], ["result", RESULT]]
