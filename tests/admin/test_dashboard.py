"""The dashboard: its figures in three forms, the emergency stop, the keys, and what is marked as a test."""

from __future__ import annotations

import pytest
from cryptography.fernet import Fernet
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import path
from pytest_django import Settings

from tests.admin.conftest import MakePerson
from tests.admin.pages import DASHBOARD, HOME, look, post
from tests.models.rows import a_transaction, an_order
from tests.reports.test_statistics import MAY, attempt
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayPause, WalletKey

pytestmark = pytest.mark.django_db

FIGURES = f"{DASHBOARD}figures/"
"""The page with its figures, as a browser without scripts shows it."""
STOP, RESUME = f"{DASHBOARD}default/stop/", f"{DASHBOARD}default/resume/"
KEYS, HEALTH = f"{DASHBOARD}keys/", f"{DASHBOARD}health/"

# Figures


def test_the_page_counts_nothing_and_leads_to_its_figures_which_take_few_statements(onlooker: Client) -> None:
    for number in range(30):
        a_transaction(state="UNKNOWN")
        attempt(minor=2000 + number)
    with CaptureQueriesContext(connection) as asked:
        page = look(onlooker, DASHBOARD, MAY)
    assert not [query["sql"] for query in asked if "SUM(" in query["sql"].upper()]
    query = "?first=2026-05-01&last=2026-05-31"
    assert page.links["Show the figures"] == f"{FIGURES}{query}#wallet-figures"
    assert f'data-wallet-figures="{FIGURES}part/{query.replace("&", "&amp;")}"' in page
    with CaptureQueriesContext(connection) as asked:
        page = look(onlooker, FIGURES, MAY)
    assert len(asked) <= 20
    page.says("€604.35", 'data-value="604.35"')
    last = {"first": "2026-01-01", "last": "2026-12-31"}
    assert "Today is not over yet." in look(onlooker, FIGURES, last)


@pytest.mark.every_database
@every(
    ("given", "said"),
    [
        ({"first": "2026-06-01", "last": "2026-05-01"}, "The first day is after the last."),
        ({"first": "2020-01-01", "last": "2026-05-01"}, "At most 366 days."),
        ({"first": "0001-01-01", "last": "0001-01-02"}, "There is nothing to show for these days."),
        ({"first": "9999-12-30", "last": "9999-12-31"}, "There is nothing to show for these days."),
        ({"first": "17.05.2026", "last": "2026-05-31"}, "Enter a valid date."),
        ({"first": "\0", "last": "2026-05-31"}, "Enter a valid date."),
        ({**MAY, "currency": "EUROS"}, "Ensure this value has at most 3 characters"),
    ],
)
def test_a_range_that_is_none_is_said_and_the_page_stands(
    given: dict[str, str], said: str, onlooker: Client
) -> None:
    assert said in look(onlooker, FIGURES, given)
    assert onlooker.get(f"{DASHBOARD}figures.csv", given).status_code == 200


# The stop


def test_a_stop_and_its_end_are_done_for_a_reason_named_and_logged(
    make_person: MakePerson, onlooker: Client, shop: Shop
) -> None:
    guard = make_person("stop_sending", name="gerda")
    assert look(guard, DASHBOARD).links["Stop all sending…"] == STOP
    assert STOP not in look(onlooker, DASHBOARD)
    assert post(guard, STOP, reason=" ").faults == ["This field is required."]
    assert not GatewayPause.objects.exists()
    order = shop.order()

    page = post(guard, STOP, reason="double captures")

    assert page.url == DASHBOARD
    assert "by gerda: double captures" in page
    assert page.links["Resume sending…"] == RESUME
    with pytest.raises(payments.errors.OperationError):
        payments.start_checkout(order)
    assert "double captures" in LogEntry.objects.latest("pk").change_message

    assert STOP in look(guard, post(guard, RESUME, reason="mended").url)
    assert payments.start_checkout(order).redirect_url


# The encryption keys

OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))


def with_keys(shop: Shop, settings: Settings, *given: str) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": list(given)}
    shop.configure()


@pytest.fixture
def keeper(make_person: MakePerson, shop: Shop, settings: Settings) -> Client:
    """Somebody who may rotate keys, where a key of the wallet is stored under an older one."""
    with_keys(shop, settings, OLD)
    payments.wallet.open_session(shop.order(cardholder_email=""), session="ada")
    assert WalletKey.objects.count() == 1
    with_keys(shop, settings, NEW, OLD)
    return make_person("rotate_keys")


def test_the_page_of_keys_shows_no_key_and_encrypts_anew_by_a_button(
    keeper: Client, shop: Shop, settings: Settings
) -> None:
    assert KEYS in look(keeper, DASHBOARD)
    page = look(keeper, KEYS)
    survey = payments.wallet.survey_keys()
    assert survey.waiting >= 2
    page.says(f"Still under an older key: {survey.waiting}.", "manage.py wallet_rotate_keys")
    for use in survey.keys:
        assert use.fingerprint in page
    stored = WalletKey.objects.get()
    for secret in (OLD, NEW, "api-key-1", "encryption-key-1", bytes(stored.api_key).decode()):
        assert secret not in page

    page = post(keeper, KEYS)

    assert f"Encrypted anew with the newest key: {survey.waiting}." in page
    assert "The older keys are needed no more, but by backups made before now." in page
    assert "Encrypt anew now" not in page
    assert f"newest key: {survey.waiting}." in LogEntry.objects.get().change_message
    with_keys(shop, settings, NEW)
    assert "Opened by none of the keys" not in look(keeper, KEYS)


def test_what_no_key_opens_is_left_as_it_is_and_many_secrets_to_the_command(
    keeper: Client, shop: Shop, settings: Settings
) -> None:
    with_keys(shop, settings, NEW)
    page = look(keeper, KEYS)
    assert "Opened by none of the keys: " in page
    assert "Encrypt anew now" not in page
    with_keys(shop, settings, NEW, OLD)

    row, *copies = WalletKey.objects.get(), *(WalletKey.objects.get() for _ in range(251))
    for number, copy in enumerate(copies):
        copy.pk, copy.account = None, f"{number:064}"
    WalletKey.objects.bulk_create(copies)
    assert "Encrypt anew now" not in look(keeper, KEYS)
    before = payments.wallet.survey_keys().waiting
    post(keeper, KEYS)
    assert payments.wallet.survey_keys().waiting == before
    WalletKey.objects.exclude(pk=row.pk).delete()


# Tests beside real money

STRIP = "No real money moves here"
BADGE = '<strong class="wallet-badge wallet-badge--test">TEST</strong>'


def test_beside_a_live_gateway_the_pages_rows_and_files_of_the_test_are_marked(
    make_person: MakePerson, settings: Settings
) -> None:
    watcher = make_person("view_health", "rotate_keys", "detached_refund")
    export = f"{HOME}migrateddeposit/export/{{}}/"
    test = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    live = test | {"PROFILE": "prod", "BASE_URL": "https://gateway.example", "MERCHANT_ID": "M-1"}
    del live["WALLET"]

    def name_gateways(*aliases: str) -> None:
        named = {alias: {"default": test, "live": live}[alias] for alias in aliases}
        given = {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": named}
        settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | given

    assert "migration-test.csv" in watcher.get(export.format("default"))["Content-Disposition"]
    name_gateways("default", "live")
    tested, real = (an_order(reference=alias, gateway=alias) for alias in ("default", "live"))
    for url, has_strip, badges in (
        (f"{HOME}paymentorder/", False, 1),
        (f"{HOME}paymentorder/{tested.pk}/change/", True, 0),
        (f"{HOME}paymentorder/{real.pk}/change/", False, 0),
        (DASHBOARD, False, 1),
    ):
        page = look(watcher, url)
        assert (STRIP in page) is has_strip, url
        assert has_strip or page.html.count(BADGE) == badges, url
    assert "migration.csv" in watcher.get(export.format("live"))["Content-Disposition"]

    name_gateways("live")
    tested.delete()
    for url in (f"{HOME}paymentorder/", DASHBOARD, HEALTH):
        page = look(watcher, url)
        page.lacks(STRIP, BADGE)


# A project without the package's own addresses

urlpatterns = [path("admin/", admin.site.urls)]


def test_health_has_its_page_without_the_monitors_view(superuser: Client, settings: Settings) -> None:
    assert "A monitor reads the same as JSON" in look(superuser, HEALTH)
    settings.ROOT_URLCONF = __name__
    assert "A monitor reads the same as JSON" not in look(superuser, HEALTH)
