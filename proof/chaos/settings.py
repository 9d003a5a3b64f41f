"""Django settings of the shop under chaos: a database of its own and the sandbox, whatever the project is.

The run sets the environment variables. The three gateways are one sandbox with three merchants, which differ
in the settings that decide about money.
"""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from django.core.management.utils import get_random_secret_key

from proof.chaos.merchants import MERCHANTS

SECRET_KEY = os.environ.get("WALLET_CHAOS_SECRET_KEY") or get_random_secret_key()
DEBUG = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "wallet_gateway",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "proof.chaos.addresses"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
STATIC_URL = "/static/"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

DATABASES: dict[str, Any] = {
    "default": json.loads(os.environ.get("WALLET_CHAOS_DATABASE") or "{}")
    or {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
}
_SHARED: dict[str, Any] = {
    "BASE_URL": os.environ.get("WALLET_CHAOS_SANDBOX") or "http://127.0.0.1:8001",
    "PROFILE": "test",
    "CURRENCIES": ["EUR", "JPY", "KWD"],
    # The steps are many and the clock is ours: no question has to wait for another.
    "QUERIES": {"RATE": 1_000_000, "WORKERS": int(os.environ.get("WALLET_CHAOS_QUERY_WORKERS") or 1)},
    "TIMEOUT": {
        "CONNECT": 5.0,
        "READ": float(os.environ.get("WALLET_CHAOS_READ_TIMEOUT") or 30.0),
        "TOTAL": float(os.environ.get("WALLET_CHAOS_TOTAL_TIMEOUT") or 60.0),
    },
    "APPROVALS": {"LIMITS": {"EUR": "10.00", "JPY": "1000", "KWD": "10.000"}},
    "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Chaos shop"},
}
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {alias: _SHARED | merchant.settings for alias, merchant in MERCHANTS.items()},
    # The same in every process of a run, and of no use outside: the database is gone with the run.
    "FERNET_KEYS": [base64.urlsafe_b64encode(b"a key of a shop under chaos only").decode()],
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    # What goes wrong is planned; what goes wrong beside the plan is an exception of its step, or a check's.
    "handlers": {"nowhere": {"class": "logging.NullHandler"}},
    "root": {"handlers": ["nowhere"], "level": "CRITICAL"},
    "loggers": {
        name: {"handlers": ["nowhere"], "propagate": False}
        for name in ("django.request", "django.server", "django.security", "wallet_gateway")
    },
}
