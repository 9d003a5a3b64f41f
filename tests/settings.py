"""Settings of the test suite: this app, and the tables of the example shop beside it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import environ

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = "tests-only"
DEBUG = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "wallet_gateway",
    "example_project.shop",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tests.urls"
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
STATIC_URL = "/static/"
DATABASES = {"default": env.db_url("DATABASE_URL", default="sqlite://:memory:")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        # Readers do not wait for the writer. No test pulls the plug, so nothing waits for the disk.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
    }
    # Files, which every thread opens for itself: threads that share a connection share its transactions, and
    # one that closes it under another ends the process. A live server that starts before the first table is
    # made looks at the first name, so it must not be in memory either.
    file = Path(tempfile.gettempdir(), f"wallet-gateway-{os.getpid()}.sqlite3")
    if DATABASES["default"]["NAME"] == ":memory:":
        DATABASES["default"]["NAME"] = str(file)
    DATABASES["default"]["TEST"] = {"NAME": str(file.with_stem(f"{file.stem}-tests"))}
elif DATABASES["default"]["ENGINE"].endswith("postgresql"):
    # No test pulls the plug; waiting for the disk at every commit is most of the suite's time.
    # tests/test_pools.py has further options, in which shops connect differently.
    DATABASES["default"]["OPTIONS"] = {
        "options": "-c synchronous_commit=off",
        **env.json("DATABASE_OPTIONS", default={}),
    }
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "http://127.0.0.1:8001",
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Test shop"},
        },
    },
    "FERNET_KEYS": ["7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="],
}
# No test is about how hard a password is to guess; to hash one as in production takes a third of a second.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Django 6.1 wants its mailers named; in tests each of them keeps what it is given.
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
# Tests that look at every module import the bridge to django-payments, which asks for its host then.
PAYMENT_HOST = "127.0.0.1:8000"
# As a project may choose for its own API: none of it may reach the addresses of this package. REST framework
# reads most of it when it is imported, so that a single test could not show it.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.BasicAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAdminUser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.StaticHTMLRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.FormParser"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"anon": "1/day"},
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "rest_framework.negotiation.BaseContentNegotiation",
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.AcceptHeaderVersioning",
    "ALLOWED_VERSIONS": ["9"],
    "EXCEPTION_HANDLER": "no.such.handler",
}
