"""The example shop's own settings on top of the suite's, a filled catalogue, and a visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from example_project import settings as shop_settings
from example_project.shop.models import Order
from example_project.shop.seeding import seed_catalogue

if TYPE_CHECKING:
    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from pytest_django import Settings

# What makes the pages; database, secrets and the wallet's settings stay the suite's.
NAMES = (
    "CONTENT_SECURITY_POLICY_MIDDLEWARE",
    "LANGUAGES",
    "LOCALE_PATHS",
    "MESSAGE_STORAGE",
    "MIDDLEWARE",
    "PERMISSIONS_POLICY",
    "ROOT_URLCONF",
    "SECURE_CSP",
    "SECURE_REFERRER_POLICY",
    "TEMPLATES",
)

ADDRESS = {
    "billing-email": "robin@example.com",
    "billing-first_name": "Robin",
    "billing-last_name": "Wren",
    "billing-phone": "+49 151 2345678",
    "billing-street": "Lerchenweg",
    "billing-house_number": "7",
    "billing-zip_postal_code": "20095",
    "billing-city": "Hamburg",
    "billing-country_code": "DEU",
    "billing-state": "Hamburg",
}


@pytest.fixture(autouse=True)
def example_settings(settings: Settings) -> Settings:
    for name in NAMES:
        setattr(settings, name, getattr(shop_settings, name))
    return settings


@pytest.fixture
def catalogue(db: None) -> int:
    return seed_catalogue()


@dataclass
class Visitor:
    """Somebody in the shop, as far as forms and links reach."""

    client: Client

    def add(self, slug: str, quantity: object = 1) -> Answer:
        address = reverse("shop:cart-line", args=[slug])
        return self.client.post(address, {"quantity": quantity, "action": "add"})

    def change(self, slug: str, quantity: object) -> Answer:
        return self.client.post(reverse("shop:cart-line", args=[slug]), {"quantity": quantity})

    def switch(self, currency: str, **data: str) -> Answer:
        return self.client.post(reverse("shop:currency"), {"currency": currency, **data})

    def give_address(self, **changed: str) -> Answer:
        return self.client.post(reverse("shop:address"), ADDRESS | changed)

    def review(self) -> Answer:
        return self.client.get(reverse("shop:review"))

    def choose(self, **choices: str) -> Answer:
        return self.client.post(reverse("shop:review"), {"action": "update", **choices})

    def place(self, **changed: str) -> Answer:
        shown = self.review().context
        answers = shown["answers"]
        form = {
            "shipping": answers.shipping,
            "code": answers.code,
            "order": answers.key,
            "total": shown["total_shown"],
            "action": "place",
        }
        return self.client.post(reverse("shop:review"), form | changed)

    def order(self, *slugs: str, currency: str = "EUR", code: str = "") -> Order:
        self.switch(currency)
        for slug in slugs or ("harbour-mug",):
            self.add(slug)
        self.give_address()
        self.choose(code=code)
        answer = self.place()
        assert answer.status_code == 302, answer.content.decode()
        return Order.objects.latest("pk")


@pytest.fixture
def visitor(client: Client, catalogue: int) -> Visitor:
    return Visitor(client)
