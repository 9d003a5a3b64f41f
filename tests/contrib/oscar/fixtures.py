"""The people and settings of the oscar shop: a plugin of its flows, whose process has its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.test import Client
from oscar.core.loading import get_model
from oscar.test.factories import CountryFactory

from tests.contrib.oscar.shop import EMAIL_BACKEND, Order, pay, place_an_order

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl


@pytest.fixture(autouse=True)
def shop(wallet_sandbox: SandboxControl) -> SandboxControl:
    """A site, and a country that is shipped to; the sandbox stands for the gateway."""
    get_model("sites", "Site").objects.get_or_create(
        pk=1, defaults={"domain": "shop.example", "name": "shop"}
    )
    CountryFactory(iso_3166_1_a2="DE", iso_3166_1_a3="DEU", is_shipping_country=True)
    return wallet_sandbox


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """What a shop changes by a subclass, changed for one test."""

    def change(**names: object) -> None:
        for name, value in names.items():
            monkeypatch.setattr(apps.get_app_config("wallet_gateway_oscar"), name, value)

    return change


@pytest.fixture
def paid(client: Client, shop: SandboxControl) -> Any:  # noqa: ANN401
    """A guest's order of 25.00, paid."""
    place_an_order(client)
    pay(client, shop)
    return Order.objects.get()


@pytest.fixture
def clerk() -> Client:
    """Somebody of the shop's staff, who may see orders, and refund, capture and release."""
    user = User.objects.create_user("clerk", "clerk@example.com", "secret", is_staff=True)
    names = ("view_order", "refund_payment", "capture_payment", "reverse_payment")
    for app, model, name in [
        ("order", "order", names[0]),
        *(("wallet_gateway", "payment", n) for n in names[1:]),
    ]:
        content_type = get_model("contenttypes", "ContentType").objects.get_or_create(
            app_label=app, model=model
        )[0]
        user.user_permissions.add(
            Permission.objects.create(codename=name, content_type=content_type, name=name)
        )
    client = Client()
    client.force_login(user, EMAIL_BACKEND)
    return client
