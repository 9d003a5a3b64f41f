"""The wallet's button and its scripts on a shop's page: drawn without network, and fit for any policy."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.template import RequestContext, Template
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tests.architecture.sources import PACKAGE
from tests.support.tables import every
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway import __version__
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db

BOTH = "{% load wallet_gateway %}{% wallet_scripts %}{% wallet_button order %}"


def draw(order: PaymentOrder | None = None, source: str = BOTH, **context: Any) -> Page:
    request = RequestFactory().get("/")
    return Page(Template(source).render(RequestContext(request, {"order": order} | context)))


def with_wallet(settings: Settings, **wallet: Any) -> None:
    changed = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= wallet
    settings.WALLET_GATEWAY = changed


def test_the_page_loads_one_module_and_all_that_it_imports_at_once() -> None:
    page = draw(an_order())
    [script] = page.all("script")
    assert (script.attributes["src"], script.attributes["type"]) == (
        f"/static/wallet_gateway/page.js?v={__version__}",
        "module",
    )
    assert preloaded(page) == [f"/static/wallet_gateway/{name}" for name in sorted(imported("page.js"))]


def test_the_button_is_hidden_until_the_wallet_is_there_and_tells_the_script_nothing_of_the_order(
    django_assert_num_queries: DjangoAssertNumQueries, settings: Settings
) -> None:
    settings.CSRF_HEADER_NAME = "HTTP_X_SHOP_TOKEN"
    order = an_order()
    # No sandbox runs: a request to it would fail.
    with django_assert_num_queries(0):
        page = draw(order, csp_nonce="n0nce")
    assert_nothing_inline(page)
    [place] = [one for one in page.all("div") if one.attributes.get("class") == "wallet-button__place"]
    assert "hidden" in place.attributes
    assert page.forms() == [f"/wallet/checkout/{order.token}/"]
    [button] = page.all("wallet-pay-button")
    told = button.attributes
    assert told["data-gateway-url"] == "http://127.0.0.1:8001"
    assert told["data-gateway-name"] == "examplegateway"
    assert told["data-pay-js-url"] == "http://127.0.0.1:8001/wallet/pay.js"
    assert told["data-wallet-csrf-header"] == "X-SHOP-TOKEN"
    said = " ".join(told.values())
    assert not [word for word in ("24.90", "A-1001", "ada@", "Lovelace") if word in said]
    nonces = {one.attributes.get("nonce") for name in ("script", "link") for one in page.all(name)}
    assert nonces == {told["nonce"]} == {"n0nce"}


@every(
    ("columns", "forms"),
    [
        ({"wallet_closed_at": timezone.now(), "wallet_limit": "RESULTS"}, 1),
        # A currency that wallets cannot write.
        ({"currency": "KWD"}, 1),
        *(({"state": state}, 0) for state in (OrderState.PAID, OrderState.PENDING, OrderState.FROZEN)),
    ],
)
def test_where_the_wallet_cannot_pay_there_is_no_button_and_the_form_if_that_can(
    django_assert_num_queries: DjangoAssertNumQueries, columns: dict[str, Any], forms: int
) -> None:
    order = an_order(**columns)
    with django_assert_num_queries(0):
        page = draw(order)
    assert (page.having("data-wallet-session"), len(page.forms())) == ([], forms)


def test_a_shop_whose_settings_are_wrong_still_shows_its_page(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {}
    assert len(draw(an_order()).forms()) == 1


def test_a_script_of_the_gateways_takes_the_place_of_ours_and_runs_before_the_module_that_calls_it(
    settings: Settings,
) -> None:
    with_wallet(settings, WALLET_JS="https://gateway.example/wallet.js?v=7")
    page = draw(an_order())
    hosted, script = page.all("script")
    assert hosted.attributes["src"] == "https://gateway.example/wallet.js?v=7"
    assert hosted.attributes["data-gateway-name"] == "examplegateway"
    assert "defer" in hosted.attributes
    assert script.attributes["type"] == "module"
    assert [url for url in preloaded(page) if "/wallet/" in url] == []
    [button] = page.all("wallet-pay-button")
    assert "data-wallet-hosted" in button.attributes
    assert "data-gateway-name" not in button.attributes
    assert [one.attributes["id"] for one in page.having("id")] == ["merchant-google-pay-button"]


def preloaded(page: Page) -> list[str]:
    return sorted(
        link.attributes["href"] for link in page.all("link") if link.attributes["rel"] == "modulepreload"
    )


def imported(name: str) -> set[str]:
    """The modules that a module imports, directly or not."""
    folder = PACKAGE / "static/wallet_gateway"
    found: set[str] = set()
    waiting = [folder / name]
    while waiting:
        module = waiting.pop()
        for path in re.findall(r"""(?:from |import\()["'](\.[^"']+)["']""", module.read_text("utf-8")):
            imported = (module.parent / path).resolve()
            if (relative := imported.relative_to(folder.resolve()).as_posix()) not in found:
                found.add(relative)
                waiting.append(imported)
    return found


class HashingStorage(StaticFilesStorage):
    """Gives names that change with the files."""

    def url(self, name: str | None) -> str:
        return super().url(name).replace(".js", ".0123456789ab.js")


class ImportRewritingStorage(HashingStorage):
    """Writes them into the importing files, too."""

    support_js_module_import_aggregation = True


class SigningStorage(StaticFilesStorage):
    """Gives addresses that nobody may add to."""

    def url(self, name: str | None) -> str:
        return f"{super().url(name)}?Signature=abc"


@every(
    ("storage", "script", "module"),
    [
        (HashingStorage, "page.0123456789ab.js", "page/view.js"),
        (ImportRewritingStorage, "page.0123456789ab.js", "page/view.0123456789ab.js"),
        (SigningStorage, "page.js?Signature=abc", "page/view.js"),
    ],
)
def test_names_of_a_storage_are_left_alone_and_modules_preloaded_as_they_are_imported(
    settings: Settings, storage: type[StaticFilesStorage], script: str, module: str
) -> None:
    backend = {"BACKEND": f"{storage.__module__}.{storage.__name__}"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": backend}
    page = draw(an_order())
    assert page.all("script")[0].attributes["src"] == f"/static/wallet_gateway/{script}"
    assert f"/static/wallet_gateway/{module}" in preloaded(page)


def test_the_scripts_are_fetched_with_cors_where_static_files_are_on_another_host(settings: Settings) -> None:
    def modes(*names: str) -> set[str | None]:
        elements = [one for name in names for one in draw(an_order()).all(name)]
        own = [one for one in elements if one.attributes.get("rel") != "preload"]
        return {one.attributes.get("crossorigin") for one in own}

    assert modes("script", "link") == {None}
    settings.STATIC_URL = "https://cdn.example/static/"
    assert modes("script", "link") == {"anonymous"}
    # The gateway's host may allow no CORS, and would then not be heard at all.
    with_wallet(settings, WALLET_JS="https://gateway.example/wallet.js?v=7")
    assert modes("script") == {None, "anonymous"}
    assert modes("link") == {"anonymous"}


HASH = f"sha384-{'A' * 64}"


@pytest.mark.parametrize(("stated", "integrity"), [({"INTEGRITY": HASH}, HASH), ({"CORS": True}, None)])
def test_a_hosted_script_is_fetched_with_cors_where_the_shop_states_a_hash_or_that_its_host_answers_it(
    settings: Settings, stated: dict[str, object], integrity: str | None
) -> None:
    with_wallet(settings, WALLET_JS={"URL": "https://gateway.example/wallet.js?v=7", **stated})
    page = draw(an_order())
    script = page.all("script")[0].attributes
    assert (script["crossorigin"], script.get("integrity")) == ("anonymous", integrity)
    # The wallet's own script never has a hash: it changes when its maker likes.
    (early,) = [one.attributes for one in page.all("link") if one.attributes["rel"] == "preload"]
    assert early["href"] == "http://127.0.0.1:8001/wallet/pay.js"
    assert not {"integrity", "crossorigin"} & set(early)
