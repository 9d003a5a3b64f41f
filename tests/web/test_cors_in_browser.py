"""A page of another origin pays with the code of docs/how-to/front-ends.md; one not listed cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.api.app import APP
from tests.docs.pages import steps
from tests.support.static_host import StaticHost
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CALLS = """async ([shop, given]) => {
    const { walletApi } = await import("/wallet_api.js")
    const api = walletApi(shop, given)
    try {
        const page = await api.openPage()
        const session = await api.openSession()
        const price = await api.price({ reference: session.reference })
        await api.report({ reference: session.reference, event: "READY" })
        return { ...page, ...price, ...await api.status(page.statusUrl), cookies: document.cookie }
    } catch (fault) {
        return { name: fault.name, code: fault.code }
    }
}"""


@pytest.fixture
def app(tmp_path: Path, browser: Browser) -> Iterator[Page]:
    """A page of an origin that is neither the shop's nor of its site."""
    (file,) = (
        step for step in steps("docs/how-to/front-ends.md") if step.directives.get("file") == "wallet_api.js"
    )
    (tmp_path / "wallet_api.js").write_text(file.text, encoding="utf-8")
    (tmp_path / "index.html").write_text("<!doctype html><title>App</title>", encoding="utf-8")
    with StaticHost(tmp_path, allows_all=False) as host, browser.new_page() as page:
        page.goto(host.url.replace("127.0.0.1", "localhost") + "index.html")
        yield page


def calls(app: Page, shop: str, order: PaymentOrder, token: str) -> dict[str, object]:
    answered: dict[str, object] = app.evaluate(CALLS, [shop, {"order": order.token, "accessToken": token}])
    return answered


def test_a_page_of_a_listed_origin_pays_without_cookies_and_one_that_is_not_listed_reads_nothing(
    app: Page,
    live_server: LiveServer,
    wallet_sandbox: SandboxControl,
    make_order: Callable[..., PaymentOrder],
    settings: Settings,
) -> None:
    order = make_order()
    token = payments.orders.access_token(order)
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": [APP]}
    assert calls(app, live_server.url, order, token) == {"name": "TypeError", "code": None}
    assert not order.payments.exists()
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"API_ORIGINS": [app.evaluate("location.origin")]}
    answered = calls(app, live_server.url, order, token)
    assert answered["redirectUrl"] == order.payments.earliest("pk").redirect_url
    assert (answered["state"], answered["total"], answered["cookies"]) == ("OPEN", "24.90", "")
    assert not app.context.cookies(live_server.url)
    refused = calls(app, live_server.url, order, "wg_of:nobody:x")
    assert refused == {"name": "Error", "code": "invalid_token"}
