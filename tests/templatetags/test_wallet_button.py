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
from tests.web.page_reader import Page, assert_nothing_inline
from tests.web.rows import an_order
from wallet_gateway import __version__
from wallet_gateway.domain.lifecycle import OrderState
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


def test_the_button_is_hidden_until_the_wallet_is_there_and_the_form_is_not() -> None:
    order = an_order()
    page = draw(order)
    [place] = [one for one in page.all("div") if one.attributes.get("class") == "wallet-button__place"]
    assert "hidden" in place.attributes
    assert page.forms() == [f"/wallet/checkout/{order.token}/"]


def test_nothing_is_inline_and_nothing_is_asked(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    order = an_order()
    # No sandbox runs: a request to it would fail.
    with django_assert_num_queries(0):
        assert_nothing_inline(draw(order))


def test_an_order_whose_button_a_limit_has_closed_has_the_form_alone_and_asks_nothing(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    order = an_order(wallet_closed_at=timezone.now(), wallet_limit="RESULTS")
    with django_assert_num_queries(0):
        page = draw(order)
    assert page.having("data-wallet-session") == []
    assert page.forms() == [f"/wallet/checkout/{order.token}/"]


def test_no_amount_and_no_person_is_in_what_the_script_reads() -> None:
    [button] = draw(an_order()).having("data-wallet-session")
    said = " ".join(button.attributes.values())
    assert not [word for word in ("24.90", "A-1001", "ada@", "Lovelace") if word in said]


def test_the_page_loads_one_module_and_all_that_it_imports_at_once() -> None:
    page = draw(an_order())
    [script] = page.all("script")
    assert (script.attributes["src"], script.attributes["type"]) == (
        f"/static/wallet_gateway/page.js?v={__version__}",
        "module",
    )
    assert preloaded(page) == [f"/static/wallet_gateway/{name}" for name in sorted(imported("page.js"))]


def test_beside_a_script_of_the_gateways_the_modules_of_ours_are_not_fetched(settings: Settings) -> None:
    with_wallet(settings, WALLET_JS_URL="https://gateway.example/wallet.js?v=7")
    page = draw(an_order())
    hosted, script = page.all("script")
    assert hosted.attributes["src"] == "https://gateway.example/wallet.js?v=7"
    # It runs before the module that calls it, and the page is parsed meanwhile.
    assert "defer" in hosted.attributes
    assert script.attributes["type"] == "module"
    assert [url for url in preloaded(page) if "/wallet/" in url] == []


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


def test_the_element_is_told_gateway_and_wallet() -> None:
    [button] = draw(an_order(), csp_nonce="n0nce").all("wallet-pay-button")
    assert button.attributes["data-gateway-url"] == "http://127.0.0.1:8001"
    assert button.attributes["data-gateway-name"] == "examplegateway"
    assert button.attributes["data-pay-js-url"] == "http://127.0.0.1:8001/wallet/pay.js"
    assert button.attributes["nonce"] == "n0nce"
    assert "data-account-path" not in button.attributes


def test_a_script_of_the_gateways_is_told_them_instead_and_finds_the_place_by_its_id(
    settings: Settings,
) -> None:
    with_wallet(settings, WALLET_JS_URL="https://gateway.example/wallet.js?v=7")
    page = draw(an_order())
    assert page.all("script")[0].attributes["data-gateway-name"] == "examplegateway"
    [button] = page.all("wallet-pay-button")
    assert "data-wallet-hosted" in button.attributes
    assert "data-gateway-name" not in button.attributes
    assert [one.attributes["id"] for one in page.having("id")] == ["merchant-google-pay-button"]


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


@pytest.mark.parametrize(
    ("storage", "ending"),
    [(HashingStorage, "page.0123456789ab.js"), (SigningStorage, "page.js?Signature=abc")],
)
def test_a_storage_with_versions_of_its_own_is_left_alone(
    settings: Settings, storage: type[StaticFilesStorage], ending: str
) -> None:
    backend = {"BACKEND": f"{storage.__module__}.{storage.__name__}"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": backend}
    assert draw(an_order()).all("script")[0].attributes["src"] == f"/static/wallet_gateway/{ending}"


def test_the_scripts_are_fetched_with_cors_where_static_files_are_on_another_host(settings: Settings) -> None:
    def modes(*names: str) -> set[str | None]:
        elements = [one for name in names for one in draw(an_order()).all(name)]
        own = [one for one in elements if one.attributes.get("rel") != "preload"]
        return {one.attributes.get("crossorigin") for one in own}

    assert modes("script", "link") == {None}
    settings.STATIC_URL = "https://cdn.example/static/"
    assert modes("script", "link") == {"anonymous"}
    # The gateway's host may allow no CORS, and would then not be heard at all.
    with_wallet(settings, WALLET_JS_URL="https://gateway.example/wallet.js?v=7")
    assert modes("script") == {None, "anonymous"}
    assert modes("link") == {"anonymous"}


@pytest.mark.parametrize(
    ("storage", "name"),
    [
        (HashingStorage, "/static/wallet_gateway/page/view.js"),
        (ImportRewritingStorage, "/static/wallet_gateway/page/view.0123456789ab.js"),
    ],
)
def test_modules_are_preloaded_under_the_names_by_which_they_are_imported(
    settings: Settings, storage: type[StaticFilesStorage], name: str
) -> None:
    backend = {"BACKEND": f"{storage.__module__}.{storage.__name__}"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": backend}
    assert name in preloaded(draw(an_order()))


HASH = f"sha384-{'A' * 64}"


@pytest.mark.parametrize(
    ("stated", "integrity"), [({"WALLET_JS_INTEGRITY": HASH}, HASH), ({"WALLET_JS_CORS": True}, None)]
)
def test_a_hosted_script_is_fetched_with_cors_where_the_shop_states_a_hash_or_that_its_host_answers_it(
    settings: Settings, stated: dict[str, object], integrity: str | None
) -> None:
    with_wallet(settings, WALLET_JS_URL="https://gateway.example/wallet.js?v=7", **stated)
    script = draw(an_order()).all("script")[0].attributes
    assert (script["crossorigin"], script.get("integrity")) == ("anonymous", integrity)


def test_the_wallets_own_script_never_has_a_hash_for_it_changes_when_its_maker_likes(
    settings: Settings,
) -> None:
    url = "https://gateway.example/wallet.js"
    with_wallet(settings, WALLET_JS_URL=url, WALLET_JS_INTEGRITY=HASH)
    (early,) = [one for one in draw(an_order()).all("link") if one.attributes["rel"] == "preload"]
    assert early.attributes["href"] == "http://127.0.0.1:8001/wallet/pay.js"
    assert not {"integrity", "crossorigin"} & set(early.attributes)


@pytest.mark.parametrize("nonce", ["n0nce", None])
def test_the_nonce_is_on_every_script(nonce: str | None) -> None:
    context = {"csp_nonce": nonce} if nonce else {}
    page = draw(an_order(), **context)
    assert {one.attributes.get("nonce") for name in ("script", "link") for one in page.all(name)} == {nonce}


def test_the_projects_own_header_for_the_token_is_used(settings: Settings) -> None:
    settings.CSRF_HEADER_NAME = "HTTP_X_SHOP_TOKEN"
    [button] = draw(an_order()).having("data-wallet-session")
    assert button.attributes["data-wallet-csrf-header"] == "X-SHOP-TOKEN"


def test_a_currency_that_wallets_cannot_write_has_the_form_alone() -> None:
    page = draw(an_order(currency="KWD"))
    assert (page.having("data-wallet-session"), len(page.forms())) == ([], 1)


@pytest.mark.parametrize("state", [OrderState.PAID, OrderState.PENDING, OrderState.FROZEN])
def test_an_order_that_must_not_be_paid_has_neither_button_nor_form(state: OrderState) -> None:
    page = draw(an_order(state))
    assert (page.having("data-wallet-session"), page.forms()) == ([], [])


def test_a_shop_whose_settings_are_wrong_still_shows_its_page(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WALLET_GATEWAY = {}
    assert len(draw(an_order()).forms()) == 1
    assert "not configured" in caplog.text
