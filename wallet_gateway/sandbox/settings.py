"""Django settings of the sandbox gateway: its own process, its own database, nothing of the caller's project.

``python -m wallet_gateway.sandbox`` fills the environment variables from its arguments. Read on their own
(``django-admin ... --settings wallet_gateway.sandbox.settings``) they have working defaults.
"""

from __future__ import annotations

import os

from django.core.management.utils import get_random_secret_key

# Nothing that outlives the process is signed with it.
SECRET_KEY = get_random_secret_key()
DEBUG = False

WALLET_SANDBOX_CONTROL_KEY = os.environ.get("WALLET_SANDBOX_CONTROL_KEY", "")
"""What callers of the control interface and the console must know; empty means loopback callers only."""

WALLET_SANDBOX_MERCHANTS_FILE = os.environ.get("WALLET_SANDBOX_MERCHANTS", "")
"""A JSON list of merchants to start with beside the built-in one; empty for none."""

# Without a key only this machine may call, and a name that merely resolves to it is a DNS rebinding attack.
ALLOWED_HOSTS = ["*"] if WALLET_SANDBOX_CONTROL_KEY else ["127.0.0.1", "localhost", "[::1]"]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("WALLET_SANDBOX_DATABASE", "sandbox.sqlite3"),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A transaction that starts as a reader and then writes would fail at once instead of waiting.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # Losing play money to a power cut is fine; waiting for the disk at every request is not.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
        },
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"

INSTALLED_APPS = ["django.contrib.staticfiles", "wallet_gateway.sandbox"]
MIDDLEWARE = [
    "wallet_gateway.sandbox.access.AccessMiddleware",
    "wallet_gateway.sandbox.api.delayed_requests.DelayedRequestsMiddleware",
]
ROOT_URLCONF = "wallet_gateway.sandbox.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
STATIC_URL = "/static/"
LANGUAGE_CODE = "en"
USE_I18N = True

# Bodies are measured and cut by the API itself, which answers in the service's own words.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "crashes": {"()": "django.utils.log.CallbackFilter", "callback": lambda record: record.exc_info},
    },
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {
        # A refused request is an answer, not news, and so is a 500 that a fault was set for; a crash is.
        "django.request": {
            "handlers": ["console"],
            "filters": ["crashes"],
            "level": "ERROR",
            "propagate": False,
        },
        "django.security": {"handlers": ["console"], "level": "CRITICAL", "propagate": False},
    },
}
