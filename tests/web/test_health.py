"""The health view: who may see it, what it says, and what it never says."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import JobPosition

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-a-monitor-0123456789"
URL = "/wallet/health/"


@pytest.fixture
def monitor(client: Client, settings: Settings) -> Client:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "HEALTH_TOKEN": TOKEN}
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    return client


def test_a_monitor_sees_that_all_is_well_or_what_is_wrong_without_names_and_reasons(monitor: Client) -> None:
    payments.sweep()
    response = monitor.get(URL)
    assert (response.status_code, response.json()["problems"]) == (200, [])
    assert "no-store" in response.headers["Cache-Control"]

    payments.maintenance.stop_sending("default", by="anna", reason="customer Meier is wrong")
    response = monitor.get(URL)
    assert response.status_code == 503
    (problem,) = response.json()["problems"]
    assert (problem["code"], problem["level"]) == ("sending_paused", "warning")
    assert (problem["params"], problem["text"]) == ({"gateway": "default"}, "nothing is sent to default")
    assert not [word for word in ("anna", "Meier") if word in response.text]


@every("given", ["", "Bearer", "Bearer ", "Bearer wrong", TOKEN, "Bearer ä"])
def test_a_wrong_token_is_a_page_that_is_not_there(given: str, monitor: Client, settings: Settings) -> None:
    assert monitor.get(URL, HTTP_AUTHORIZATION=given).status_code == 404
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "HEALTH_TOKEN": ""}
    assert monitor.get(URL, HTTP_AUTHORIZATION=given).status_code == 404
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "HEALTH_TOKEN": TOKEN}


def test_a_person_needs_the_permission(client: Client) -> None:
    user = User.objects.create_user("anna")
    client.force_login(user)
    assert client.get(URL).status_code == 404
    # Tests with real commits empty this table, too, and Django remembers what was in it.
    ContentType.objects.clear_cache()
    content_type = ContentType.objects.get_for_model(JobPosition)
    user.user_permissions.add(
        Permission.objects.get_or_create(codename="view_health", content_type=content_type)[0]
    )
    assert client.get(URL).status_code == 503


@every("given", [{}, None, "x", {"PUBLIC_ORIGIN": "http://shop.example", "HEALTH_TOKEN": TOKEN}])
def test_while_the_settings_are_wrong_it_says_that_and_not_what_they_hold(
    given: object, client: Client, settings: Settings
) -> None:
    settings.WALLET_GATEWAY = given

    response = client.get(URL)

    assert response.status_code == 503
    (problem,) = response.json()["problems"]
    assert (problem["code"], problem["level"], problem["params"]) == ("not_configured", "error", {})
    assert problem["text"].startswith("payments are not set up: manage.py check")
