"""The demo's panel: what is chosen is remembered, kept with the order, and said to the wallet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from example_project.shop.models import Order
from example_project.shop.sheet_choices import SHEET_KEY, SheetChoices, for_order
from wallet_gateway import payments
from wallet_gateway.conf import gateway_settings
from wallet_gateway.payments.wallet import WalletPolicy

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor

CHOSEN = {
    "sheet-drawn_by_wallet": "on",
    "sheet-color": "white",
    "sheet-type": "book",
    "sheet-locale": "fr",
    "sheet-billing": "FULL",
    "sheet-email": "on",
    "sheet-shipping": "on",
    "sheet-prices_open": "on",
}


@pytest.fixture
def debug(settings: Settings) -> Settings:
    settings.DEBUG = True
    return settings


def choose(client: Client, order: Order, **changed: str) -> Answer:
    return client.post(reverse("shop:sheet", args=[order.key]), CHOSEN | changed)


def policy(order: Order) -> WalletPolicy:
    usual = gateway_settings("default").wallet
    assert usual is not None
    return for_order(payments.get_order(order.number), usual)


@pytest.mark.usefixtures("debug")
def test_the_panel_is_kept_with_the_order_and_said_to_the_wallet(visitor: Visitor, client: Client) -> None:
    order = visitor.order()
    answer = choose(client, order)
    said = policy(order)

    assert answer.headers["Location"] == order.get_absolute_url()
    assert (said.use_wallet_button, said.button_color, said.button_type) == (True, "white", "book")
    assert (said.button_locale, said.billing_address) == ("fr", "FULL")
    assert (said.email_required, said.shipping_address) == (True, True)
    assert said.callbacks == ("SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER")


@pytest.mark.usefixtures("debug")
def test_the_next_order_begins_with_what_was_chosen_last(visitor: Visitor, client: Client) -> None:
    choose(client, visitor.order())
    page = client.get(visitor.order("first-light").get_absolute_url())

    assert page.context["sheet"].initial["color"] == "white"
    assert page.context["sheet"].initial["drawn_by_wallet"] == "on"
    assert SheetChoices.read(client.session).locale == "fr"


@pytest.mark.usefixtures("debug")
@pytest.mark.parametrize(
    "wrong", [{"sheet-color": "pink"}, {"sheet-type": ""}, {"sheet-locale": "xx"}, {"sheet-billing": "MAX"}]
)
def test_what_the_panel_does_not_offer_changes_nothing(
    visitor: Visitor, client: Client, wrong: dict[str, str]
) -> None:
    order = visitor.order()
    before = Order.objects.get().sheet
    choose(client, order, **wrong)

    assert Order.objects.get().sheet == before
    assert SHEET_KEY not in client.session


def test_outside_debug_mode_there_is_no_panel(visitor: Visitor, client: Client) -> None:
    order = visitor.order()

    assert choose(client, order).status_code == 404
    assert "sheet" not in client.get(order.get_absolute_url()).context


def test_an_order_that_is_not_the_shops_keeps_the_usual_button(visitor: Visitor) -> None:
    order = payments.create_order(
        reference="elsewhere", currency="EUR", amount=payments.Money.parse("1", "EUR")
    )
    usual = gateway_settings("default").wallet
    assert usual is not None

    assert for_order(order, usual) is usual


@pytest.mark.parametrize("stored", [{}, {"color": "black"}, {"of_a_later_version": 1}])
def test_what_another_version_stored_can_be_read(stored: dict[str, Any]) -> None:
    assert SheetChoices.of(stored).color == stored.get("color", "default")
