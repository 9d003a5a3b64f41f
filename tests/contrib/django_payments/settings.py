"""A shop with django-payments, and then the lines of our guide."""

from __future__ import annotations

from typing import Any

from tests.contrib import hosted_only
from tests.contrib.page_blocks import add_to
from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as TESTED

WALLET_GATEWAY = hosted_only.WALLET_GATEWAY
INSTALLED_APPS = [
    *(app for app in TESTED if app != "wallet_gateway"),
    "payments",
    "tests.contrib.django_payments",
]
PAYMENT_HOST = "127.0.0.1:8000"
PAYMENT_USES_SSL = False
PAYMENT_MODEL = "django_payments.Payment"
PAYMENT_VARIANTS: dict[str, Any] = {"default": ("payments.dummy.DummyProvider", {})}
ROOT_URLCONF = "tests.contrib.django_payments.urls"

add_to(globals(), "docs/how-to/django-payments.md", "settings.py")
PAYMENT_VARIANTS["reserving"] = (PAYMENT_VARIANTS["wallet"][0], {"capture": False})
