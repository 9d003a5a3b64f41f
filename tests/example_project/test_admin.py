"""The admin is the shop's by name and look, and what the staff type is checked before it is shown again."""

from __future__ import annotations

import re

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import ValidationError
from django.test import Client

from example_project.shop.models import Order, ShippingMethod
from example_project.shop.order_links import order_admin_url
from tests.models.rows import an_order
from tests.tables import every


@every("names", [1.5, "Mug", [], {}, {"de": "Becher"}, {"en": ""}, {"en": 1}, {"en": "Mug", "de": None}])
def test_a_name_is_a_text_for_each_language(names: object) -> None:
    method = ShippingMethod(code="post", names=names, promises={"en": "Soon"})
    with pytest.raises(ValidationError) as refused:
        method.clean_fields()
    assert set(refused.value.message_dict) == {"names"}


@pytest.mark.django_db
def test_the_wallets_page_of_an_order_leads_to_the_shops_own() -> None:
    order = Order.objects.create(currency="EUR", email="a@b.example", billing_address={}, total_minor_units=1)
    assert order_admin_url(an_order(reference=order.number)) == f"/admin/shop/order/{order.pk}/change/"
    with pytest.raises(Order.DoesNotExist):
        order_admin_url(an_order(reference="of another shop"))


@pytest.mark.django_db
def test_the_admin_and_its_login_are_the_shops(client: Client, admin_client: Client) -> None:
    for page in (client.get("/admin/login/"), admin_client.get("/admin/")):
        text = page.content.decode()
        assert "Django administration" not in text
        assert "Django site admin" not in text
        assert "Lark &amp; Loam" in text
        icon = re.search(r'<link rel="icon" href="/static/([^"]+)"', text)
        assert icon, "a browser would ask for /favicon.ico, which is not there"
        assert finders.find(icon[1])
