"""Shelf and product pages, the currency and language switches, and the catalogue behind them."""

from __future__ import annotations

import tomllib
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth import get_user_model
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.urls import reverse

from example_project.shop.models import Product
from example_project.shop.seeding import CATALOGUE
from tests.tables import every

if TYPE_CHECKING:
    from typing import Any

    from django.test import Client
    from pytest_django import Settings

    from tests.example_project.conftest import Visitor

LANGUAGES = ["en", "de", "fr", "es", "ar"]
PRODUCTS = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))["products"]


def page(client: Client, name: str, *arguments: str, language: str = "en") -> str:
    answer = client.get(reverse(name, args=arguments), headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_shelf_shows_every_product(client: Client, catalogue: int) -> None:
    shelf = page(client, "shop:shelf")

    assert catalogue == 12
    assert all(product.get_absolute_url() in shelf for product in Product.objects.all())


def test_a_category_shows_its_own_products_only(client: Client, catalogue: int) -> None:
    shown = client.get(reverse("shop:shelf") + "?category=brew").context["products"]

    assert [product.slug for product in shown] == ["first-light", "low-fog-tea"]


def test_an_empty_shelf_says_how_to_fill_it(client: Client, db: None) -> None:
    assert "python manage.py seed_shop" in page(client, "shop:shelf")


@pytest.mark.parametrize(
    ("currency", "price"), [("EUR", "€24.00"), ("JPY", "¥3,900"), ("KWD", "KWD\N{NO-BREAK SPACE}8.250")]
)
def test_a_product_is_priced_in_the_visitors_currency(
    visitor: Visitor, client: Client, currency: str, price: str
) -> None:
    visitor.switch(currency)

    assert price in page(client, "shop:product", "harbour-mug")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["shop:shelf", "shop:cart"])
def test_a_page_says_its_language_and_direction(
    client: Client, catalogue: int, name: str, language: str
) -> None:
    html = page(client, name, language=language)

    direction = "rtl" if language == "ar" else "ltr"
    assert f'<html lang="{language}" dir="{direction}">' in html


def test_a_product_is_described_in_the_readers_language(client: Client, catalogue: int) -> None:
    assert "Hafenbecher" in page(client, "shop:product", "harbour-mug", language="de")
    assert "24,00" in page(client, "shop:product", "harbour-mug", language="de")


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_the_currency_switch_leads_nowhere_else(visitor: Visitor, address: str) -> None:
    assert visitor.switch("JPY", next=address).headers["Location"] == "/"


def test_an_unknown_currency_is_refused_by_name(visitor: Visitor) -> None:
    answer = visitor.switch("XXX")

    assert answer.status_code == 400
    assert b"currency" in answer.content


@every("product", PRODUCTS, ids=[product["slug"] for product in PRODUCTS])
def test_a_product_of_the_catalogue_is_complete(product: dict[str, Any]) -> None:
    for texts in ("names", "taglines", "descriptions", "facts"):
        assert set(product[texts]) == set(LANGUAGES)
    assert set(product["price"]) == {"EUR", "JPY", "KWD"}
    picture = finders.find(f"shop/products/{product['slug']}.svg")
    assert picture, "every product has its picture"
    assert ET.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.django_db
def test_seeding_makes_a_staff_user_once(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    settings.DEBUG = True
    call_command("seed_shop")
    staff = get_user_model().objects.get(username="staff")
    staff.set_password("their own")
    staff.save()
    call_command("seed_shop")

    assert get_user_model().objects.get(username="staff").check_password("their own")
    assert "12 products" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_known_password_is_given_out_in_debug_mode_only(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DEBUG = False
    call_command("seed_shop")

    assert not get_user_model().objects.exists()
    assert "--staff-password" in capsys.readouterr().out
