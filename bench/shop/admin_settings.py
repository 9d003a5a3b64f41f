"""The measured shop with Django's admin, for the pages of operators."""

from __future__ import annotations

from bench.shop.settings import *  # noqa: F403
from bench.shop.settings import INSTALLED_APPS as OF_THE_SHOP

INSTALLED_APPS = ["django.contrib.admin", *OF_THE_SHOP, "django.contrib.staticfiles"]
ROOT_URLCONF = "bench.shop.admin_urls"
STATIC_URL = "/static/"
ALLOWED_HOSTS = ["testserver"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
