"""A shop outside this repository, for what is shipped to its tests."""

from __future__ import annotations

import os

import pytest

from tests.docs.pages import ROOT
from tests.docs.tutorial_shop import write_metadata


@pytest.fixture
def shop(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project outside this repository, with the package installed and without settings for payments."""
    write_metadata(pytester.mkdir("installed"))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{pytester.path / 'installed'}")
    pytester.makepyfile(
        shop_settings="""
            SECRET_KEY = 'x'
            USE_TZ = True
            ROOT_URLCONF = "shop_urls"
            INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes"]
            INSTALLED_APPS += ["django.contrib.staticfiles", "wallet_gateway"]
            STATIC_URL = "/static/"
            MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
            TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
            DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.sqlite3"}}
            DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
            DATABASES["default"]["TEST"] = {"NAME": "test.sqlite3"}
        """,
        shop_urls="""
            from django.urls import include, path
            urlpatterns = [path("wallet/", include("wallet_gateway.urls"))]
        """,
    )
    return pytester
