"""The TEST mark: on every page and row about a gateway with which no real money moves, and nowhere else."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import MakePerson
from tests.admin.scenery import Scenery
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState

pytestmark = pytest.mark.django_db

STRIP = "No real money moves here"
BADGE = '<strong class="wallet-badge wallet-badge--test">TEST</strong>'


def add_live_gateway(settings: Settings, *, alone: bool = False) -> None:
    given = settings.WALLET_GATEWAY
    test = given["GATEWAYS"]["default"]
    live = {key: value for key, value in test.items() if key != "WALLET"} | {
        "PROFILE": "prod",
        "BASE_URL": "https://gateway.example",
        "MERCHANT_ID": "M-1",
        "STORE_ID": "S-1",
    }
    both = {"default": test, "live": live}
    settings.WALLET_GATEWAY = {
        **given,
        "PUBLIC_ORIGIN": "https://shop.example",
        "GATEWAYS": {"live": live} if alone else both,
    }


@pytest.fixture
def watcher(make_person: MakePerson) -> Client:
    """Somebody who may see everything that has a gateway."""
    return make_person("view_health", "rotate_keys", "detached_refund")


def text_of(client: Client, url: str) -> str:
    answer = client.get(url, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.usefixtures("permissions")
def test_with_tests_only_every_page_says_so(superuser: Client) -> None:
    unmarked = [
        name for name, url in Scenery().pages() if name != "history" and STRIP not in text_of(superuser, url)
    ]
    assert unmarked == []


def test_beside_a_live_gateway_the_pages_and_rows_of_the_test_are_marked(
    watcher: Client, settings: Settings
) -> None:
    add_live_gateway(settings)
    tested, real = (an_order(reference=alias, gateway=alias) for alias in ("default", "live"))
    listed = text_of(watcher, "/admin/wallet_gateway/paymentorder/")
    assert STRIP not in listed
    assert listed.count(BADGE) == 1
    assert STRIP in text_of(watcher, f"/admin/wallet_gateway/paymentorder/{tested.pk}/change/")
    assert STRIP not in text_of(watcher, f"/admin/wallet_gateway/paymentorder/{real.pk}/change/")
    dashboard = text_of(watcher, "/admin/wallet_gateway/dashboard/")
    assert STRIP not in dashboard
    assert dashboard.count(BADGE) == 1


def test_without_a_test_gateway_nothing_is_marked(watcher: Client, settings: Settings) -> None:
    add_live_gateway(settings, alone=True)
    order = an_order(gateway="live")
    for url in ("paymentorder/", f"paymentorder/{order.pk}/change/", "dashboard/", "dashboard/health/"):
        page = text_of(watcher, f"/admin/wallet_gateway/{url}")
        assert STRIP not in page
        assert BADGE not in page


def a_sale(alias: str, minor: int, **payment: Any) -> None:
    a_transaction(
        a_payment(an_order(gateway=alias), **payment),
        gateway=alias,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.APPROVED,
        amount_minor=minor,
        approved_minor=minor,
    )


def figures_of(client: Client) -> tuple[str, list[dict[str, Any]]]:
    answer = client.get("/admin/wallet_gateway/dashboard/figures.csv")
    body = b"".join(answer).decode()
    return answer["Content-Disposition"], list(csv.DictReader(body.splitlines()))


def test_tests_are_not_counted_among_real_money(watcher: Client, settings: Settings) -> None:
    a_sale("default", 9900)
    given = {"first": "2026-05-01", "last": "2026-05-31"}
    assert "€99.00" in watcher.get("/admin/wallet_gateway/dashboard/figures/", given).content.decode()

    add_live_gateway(settings)
    a_sale("live", 100)
    page = watcher.get("/admin/wallet_gateway/dashboard/figures/", given).content.decode()
    assert "<bdi>€1.00</bdi>" in page
    assert "Tests are not counted among real money: default." in page


def test_files_about_tests_are_named_so(watcher: Client, settings: Settings) -> None:
    name, _ = figures_of(watcher)
    assert "figures-test-" in name
    export = "/admin/wallet_gateway/migrateddeposit/export/{}/"
    assert "migration-test.csv" in watcher.get(export.format("default"))["Content-Disposition"]
    add_live_gateway(settings)
    name, _ = figures_of(watcher)
    assert "test" not in name
    assert "migration.csv" in watcher.get(export.format("live"))["Content-Disposition"]
