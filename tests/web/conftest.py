"""What the tests of the customer's door share: orders that can be paid, the six ways back, and a browser."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests.support.chromium import PATIENCE_MS
from tests.support.shop import MovedClock
from tests.web.rows import an_attempt
from wallet_gateway import gateways, payments, return_tokens
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page
    from pytest_django import Settings
    from pytest_django.live_server_helper import LiveServer

PAID_HEADING = "Your payment went through"
WAITING = "We have not yet heard whether your payment went through."
_numbers = itertools.count(1)


@pytest.fixture
def make_order() -> Callable[..., PaymentOrder]:
    """Create an order through the shop's own door."""

    def make(**given: object) -> PaymentOrder:
        keywords: dict[str, object] = {
            "reference": f"WEB-{next(_numbers)}",
            "currency": "EUR",
            "amount": Decimal("24.90"),
            "order_number": "A-1001",
            "cardholder_email": "ada@example.com",
        }
        return payments.create_order(**keywords | given)  # type: ignore[arg-type]

    return make


@pytest.fixture
def open_attempt(wallet_sandbox: object, make_order: Callable[..., PaymentOrder]) -> Payment:
    """An attempt whose payment page is open at the sandbox."""
    return payments.start_checkout(make_order())


@pytest.fixture
def nobody_sleeps() -> Iterator[MovedClock]:
    """Ask an ailing gateway as often as ever: the seconds between two tries pass on this clock only."""
    before, moved = gateways.clock(), MovedClock()
    gateways.use_clock(moved)
    yield moved
    gateways.use_clock(before)


def address(name: str, attempt: Payment, outcome: ReturnOutcome) -> str:
    """The path of a view for one attempt and one of the six URLs."""
    return reverse(f"wallet_gateway:{name}", args=[return_tokens.sign(attempt.reference, outcome)])


def path_of(location: str) -> str:
    """The path of an absolute URL, for the test client."""
    return urlsplit(location).path


def state_of(order: PaymentOrder) -> str:
    """The order's state as the row has it."""
    return PaymentOrder.objects.values_list("state", flat=True).get(pk=order.pk)


def follow(client: Client, location: str) -> str:
    """Follow the way back from the gateway to the page it ends at, and return the page's HTML."""
    response = client.get(path_of(location), follow=True)
    assert response.status_code == 200
    return response.content.decode()


def result_page(
    client: Client, order: PaymentOrder, outcome: ReturnOutcome = ReturnOutcome.SUCCESS, **extra: Any
) -> Answer:
    """Ask for the page that an order in this state ends at."""
    return client.get(address("result", an_attempt(order), outcome), **extra)


def kind_of(response: Answer) -> str:
    """The page that was shown, by its template, which shops replace by this name."""
    return Path(str(response.templates[0].name)).stem


def let_the_gateway_be_asked_again() -> None:
    """Forget when the gateway was asked, so that nobody waits two seconds."""
    GatewayTransaction.objects.update(last_queried_at=None)


# --- in a browser -----------------------------------------------------------------------------------------

BUTTON = "Buy with the wallet"
FORM = "Pay in another way"
# A wallet whose sheet is operated by the test: `approve(data)` and `closeSheet()` on the page.
PAY_JS = """
window.google = { payments: { api: { PaymentsClient: class {
  constructor(options) { this.callbacks = options.paymentDataCallbacks }
  isReadyToPay() { return Promise.resolve({ result: true, paymentMethodPresent: true }) }
  createButton({ onClick }) {
    const button = Object.assign(document.createElement("button"), { textContent: "Buy with the wallet" })
    button.addEventListener("click", onClick)
    button.style.height = "100%"
    return button
  }
  loadPaymentData() {
    return new Promise((resolve, reject) => {
      window.closeSheet = () => reject({ statusCode: "CANCELED", statusMessage: "closed" })
      window.approve = async (data) => {
        const result = await this.callbacks.onPaymentAuthorized(data)
        if (result.transactionState === "SUCCESS") resolve(data)
        return result
      }
    })
  }
} } } }
"""


@pytest.fixture
def shop(live_server: LiveServer, wallet_sandbox: SandboxControl, settings: Settings) -> str:
    """The address of a shop that the sandbox sends its customers back to, and whose origin it knows."""
    cache.clear()
    settings.ROOT_URLCONF = "tests.web.shop_urls"
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"PUBLIC_ORIGIN": live_server.url}
    know_origin(wallet_sandbox, live_server.url)
    return live_server.url


def know_origin(control: SandboxControl, origin: str) -> None:
    """Let the sandbox's wallet take buttons from pages of an origin."""
    account = {"merchant_id": "SANDBOX-MERCHANT", "store_id": "SANDBOX-STORE", "user_id": "sandbox-user"}
    control.add_merchant(**account, provider="ExampleWalletV2", origins=(origin,))


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained about."""
    return []


@pytest.fixture
def context(browser: Browser, complaints: list[str]) -> Iterator[BrowserContext]:
    """A customer's browser, as new, with a played wallet; whatever it complains about is collected."""

    def comment(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(message.text)

    with browser.new_context(locale="en") as context:
        context.on("console", comment)
        context.on("weberror", lambda fault: complaints.append(str(fault.error)))
        context.route("**/pay.js", lambda route: route.fulfill(content_type="text/javascript", body=PAY_JS))
        context.set_default_timeout(PATIENCE_MS)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """One tab."""
    return context.new_page()


def pay_page(shop: str, order: PaymentOrder) -> str:
    """The address of our page with the wallet's button."""
    return shop + reverse("wallet_gateway:pay", args=[order.token])


def open_sheet(page: Page) -> None:
    """Press the wallet's button, and wait until the sheet can be approved."""
    page.get_by_role("button", name=BUTTON).click()
    page.wait_for_function("!!window.approve")


def approve(page: Page, control: SandboxControl) -> None:
    """Approve with a card of the wallet."""
    page.evaluate("(data) => void approve(data)", control.wallet_payment_data(auth_method="CRYPTOGRAM_3DS"))


def bring_turbo(page: Page) -> None:
    """Put Turbo on the open page: it exchanges the content of pages without loading them."""
    file = Path(__file__).parents[1] / "js/node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js"
    if not file.exists():
        pytest.skip("Turbo is not installed: run npm ci in tests/js")
    page.add_script_tag(content=file.read_text(encoding="utf-8"))
    page.evaluate("window.isOneDocument = true")
