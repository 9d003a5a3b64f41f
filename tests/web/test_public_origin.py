"""A shop that is looked at under another address than the one customers come back to says so once."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from wallet_gateway import payments
from wallet_gateway.web import public_origin
from wallet_gateway.web.public_origin import warn_of_other_origin


@pytest.fixture(autouse=True)
def _nothing_told() -> Iterator[None]:
    public_origin._told.clear()
    yield
    public_origin._told.clear()


@pytest.fixture
def assumed(settings: Settings) -> Settings:
    """A shop as the tutorial has it: nothing is set."""
    del settings.WALLET_GATEWAY
    settings.DEBUG = True
    return settings


EXPECTED = (
    "this page was opened at http://localhost:8080, but a customer who has paid comes back to "
    "http://127.0.0.1:8000: start the shop there, or set WALLET_GATEWAY['PUBLIC_ORIGIN'] to "
    "'http://localhost:8080', and with it GATEWAYS"
)


def test_another_origin_is_logged_once_with_what_to_set(
    assumed: Settings, rf: RequestFactory, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        warn_of_other_origin(rf.get("/", headers={"host": "localhost:8080"}))
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [("WARNING", EXPECTED)]


def test_the_assumed_origin_is_fine(
    assumed: Settings, rf: RequestFactory, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_other_origin(rf.get("/", headers={"host": "127.0.0.1:8000"}))
    assert caplog.records == []


def test_an_origin_that_is_set_is_meant(rf: RequestFactory, caplog: pytest.LogCaptureFixture) -> None:
    warn_of_other_origin(rf.get("/", headers={"host": "localhost:8080"}))
    assert caplog.records == []


@pytest.mark.django_db
def test_the_form_that_opens_the_payment_page_tells_it(
    assumed: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal(10))
    Client(headers={"host": "localhost:8080"}).post(reverse("wallet_gateway:checkout", args=[order.token]))
    assert EXPECTED in caplog.messages
