"""The page that Prometheus scrapes: the same door as the health view's, every metric behind it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import path
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from wallet_gateway.contrib.prometheus import calls, rows
from wallet_gateway.contrib.prometheus.views import metrics

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-a-monitor-0123456789"
urlpatterns = [path("metrics", metrics)]


@pytest.fixture(autouse=True)
def mounted(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "HEALTH_TOKEN": TOKEN}


def test_a_monitor_with_the_token_reads_calls_and_rows(client: Client) -> None:
    calls.CALLS.labels("default", "status", "answered", "").inc()
    collector = rows.register()
    try:
        response = client.get("/metrics", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")
    finally:
        REGISTRY.unregister(collector)
        rows.register.cache_clear()
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    names = {family.name for family in text_string_to_metric_families(response.text)}
    assert {"wallet_gateway_calls", "wallet_gateway_call_seconds", "wallet_gateway_unknown_outcomes"} <= names


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", TOKEN])
def test_strangers_find_no_such_page(client: Client, given: str) -> None:
    assert client.get("/metrics", HTTP_AUTHORIZATION=given).status_code == 404


def test_while_the_settings_are_wrong_it_says_so(client: Client, settings: Settings) -> None:
    settings.WALLET_GATEWAY = {}

    response = client.get("/metrics")

    assert response.status_code == 503
    assert "payments are not set up" in response.text
