"""Fixtures for pytest, for this project's tests and for shops'.

pytest finds the plugin by its entry point and imports it in every project where this package is installed,
before Django is set up and before coverage is measured. So this module imports pytest and the standard
library only; everything else comes when a fixture is used. The fixtures need pytest-django's `settings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

    from wallet_gateway.models import PaymentOrder
    from wallet_gateway.testing.control import SandboxControl
    from wallet_gateway.testing.in_process import InProcessTransport
    from wallet_gateway.testing.sandbox import SandboxServer
    from wallet_gateway.testing.wallet_sheet import WalletSheet

_FIRST: Final = ("_wallet_defaults", "_wallet_settings")
"""Fixtures that point the settings elsewhere before any other fixture can use them."""
_PYTEST_PLAYWRIGHT: Final = "playwright"
"""The name by which pytest knows the plugin pytest-playwright."""
_NO_ADDRESS: Final = "https://gateway.example"
_PATIENCE_MS: Final = 60_000
"""Where a page is taken for a broken one and not for a busy machine."""


class _Settings(Protocol):
    """What pytest-django's ``settings`` is to this file; the name of its class differs between versions."""

    WALLET_GATEWAY: dict[str, Any]


@pytest.fixture(autouse=True)
def _wallet_first(request: pytest.FixtureRequest) -> None:
    """Point the settings elsewhere before a test's other fixtures, so that their order does not matter."""
    for name in _FIRST:
        if name in request.fixturenames:
            request.getfixturevalue(name)


@pytest.fixture(scope="session")
def wallet_sandbox_server() -> Iterator[SandboxServer]:
    """A sandbox gateway that runs as long as the tests do; with pytest-xdist, one for each worker."""
    from wallet_gateway.testing.sandbox import shared_sandbox, stop_shared_sandbox

    yield shared_sandbox()
    stop_shared_sandbox()


@pytest.fixture
def _wallet_settings(wallet_sandbox_server: SandboxServer, settings: _Settings) -> SandboxControl:
    control = wallet_sandbox_server.control
    control.reset()
    _use(control, settings)
    return control


@pytest.fixture
def wallet_sandbox(_wallet_settings: SandboxControl, settings: _Settings) -> SandboxControl:
    """A sandbox as new, with all gateways of the shop pointed at it for one test."""
    # Again: a fixture that stands before this one may have set gateways of its own.
    _use(_wallet_settings, settings)
    return _wallet_settings


def _use(control: SandboxControl, settings: _Settings) -> None:
    from wallet_gateway.testing.configuration import use_sandbox

    given = getattr(settings, "WALLET_GATEWAY", None)
    pointed = use_sandbox(control, given)
    if pointed != given:
        # Assigning through pytest-django clears the caches of what was made from the settings.
        settings.WALLET_GATEWAY = pointed


class WalletPay(Protocol):
    """What the fixture `wallet_pay` is."""

    def __call__(self, order: PaymentOrder, outcome: str = "success") -> PaymentOrder:
        """Decide an order on the gateway's page; return it as the gateway reports it."""
        ...


@pytest.fixture
def wallet_pay(wallet_sandbox: SandboxControl, db: None) -> WalletPay:  # noqa: ARG001 - gives the database
    """Pays an order of the test on the gateway's page, or lets it be refused there."""
    from wallet_gateway.testing import orders

    return partial(orders.pay, control=wallet_sandbox)


@pytest.fixture
def paid_order(wallet_pay: WalletPay) -> PaymentOrder:
    """An order of 25.00 EUR that is paid."""
    from wallet_gateway.testing import orders

    return wallet_pay(orders.create_order())


@pytest.fixture
def wallet_live(wallet_sandbox: SandboxControl, live_server: LiveServer, settings: _Settings) -> LiveServer:
    """The live server of pytest-django, to which customers come back from the gateway's page."""
    from wallet_gateway.testing.configuration import point_at

    given, address = settings.WALLET_GATEWAY, wallet_sandbox.base_url
    settings.WALLET_GATEWAY = point_at(address, given, public_origin=live_server.url)
    return live_server


@pytest.fixture(scope="session")
def wallet_browser_options() -> dict[str, Any]:
    """How the browser is started, as options of Playwright's `launch`; for a shop to override."""
    return {}


@pytest.fixture(scope="module")
def wallet_browser(wallet_browser_options: dict[str, Any]) -> Iterator[Browser]:
    """A Chromium that Playwright drives, for the tests of one file."""
    from wallet_gateway.testing.wallet_sheet import NoBrowser, browser

    try:
        with _database_beside_browser(), browser(wallet_browser_options) as started:
            yield started
    except NoBrowser as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def wallet_sheet(request: pytest.FixtureRequest, wallet_live: LiveServer) -> Iterator[WalletSheet]:
    """A page of the shop in a browser, with its wallet button and the wallet's sheet.

    With pytest-playwright it is that plugin's `page`, otherwise a page of `wallet_browser`.
    """
    from wallet_gateway.testing.wallet_sheet import WalletSheet

    if request.config.pluginmanager.has_plugin(_PYTEST_PLAYWRIGHT):
        with _database_beside_browser():
            yield WalletSheet(request.getfixturevalue("page"), origin=wallet_live.url)
        return
    started: Browser = request.getfixturevalue("wallet_browser")
    with started.new_context(locale="en") as context:
        context.set_default_timeout(_PATIENCE_MS)
        page: Page = context.new_page()
        yield WalletSheet(page, origin=wallet_live.url)


@contextmanager
def _database_beside_browser() -> Iterator[None]:
    """Let a test use its database though Playwright has an event loop in its thread, which Django refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


class WalletApplication(Protocol):
    """What the fixture `wallet_application` is."""

    def __call__(self, application: WSGIApplication, *, alias: str = "default") -> InProcessTransport:
        """Let a WSGI application answer in place of a gateway."""
        ...


@pytest.fixture
def _wallet_defaults(settings: _Settings) -> None:
    """Give a shop without settings a gateway, to which nothing connects."""
    from wallet_gateway.testing.configuration import point_at

    # Set in any case: of two that override settings the first restores them, and a live server is one.
    settings.WALLET_GATEWAY = getattr(settings, "WALLET_GATEWAY", None) or point_at(_NO_ADDRESS, None)


@pytest.fixture
def wallet_application(_wallet_defaults: None) -> Iterator[WalletApplication]:
    """Lets a WSGI application of the test answer in place of a gateway, in this process, for one test."""
    from wallet_gateway import conf, gateways
    from wallet_gateway.testing.in_process import InProcessTransport

    def answer(application: WSGIApplication, *, alias: str = "default") -> InProcessTransport:
        given = conf.gateway_settings(alias)
        auth = gateways.auth_of(given)
        transport = InProcessTransport(application, base_url=given.base_url, auth=auth)
        gateways.use_transport(transport, alias=alias)
        return transport

    yield answer
    gateways.forget_gateways()
