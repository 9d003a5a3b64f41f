"""Django settings of the sandbox: a process and a database of its own, independent of the caller's project.

``python -m wallet_gateway.sandbox`` sets the environment variables from its arguments. Used alone
(``django-admin ... --settings wallet_gateway.sandbox.settings``) the settings have working defaults.
"""

from __future__ import annotations

import os

from django.core.management.utils import get_random_secret_key

from wallet_gateway.sandbox.public_url import read_public_url

# Nothing signed with it outlives the process.
SECRET_KEY = get_random_secret_key()
DEBUG = False

WALLET_SANDBOX_CONTROL_KEY = os.environ.get("WALLET_SANDBOX_CONTROL_KEY", "")
"""The key that callers of the control interface and the console must send; empty allows loopback only."""

WALLET_SANDBOX_MERCHANTS_FILE = os.environ.get("WALLET_SANDBOX_MERCHANTS", "")
"""Path of a JSON list of additional initial merchants; empty for none."""

WALLET_SANDBOX_MERCHANT_NAME = os.environ.get("WALLET_SANDBOX_MERCHANT_NAME", "")
"""The name of the built-in merchant on customers' pages; empty for its id."""

WALLET_SANDBOX_PUBLIC_URL = os.environ.get("WALLET_SANDBOX_PUBLIC_URL", "")
"""The address at which browsers reach this sandbox through a proxy; empty where there is no proxy."""
_PREFIX = read_public_url(WALLET_SANDBOX_PUBLIC_URL).path if WALLET_SANDBOX_PUBLIC_URL else ""
# The proxy takes the prefix off; links of pages need it.
FORCE_SCRIPT_NAME = _PREFIX or None

# Without a key only this machine may call; any other host name would be a DNS rebinding attack.
ALLOWED_HOSTS = ["*"] if WALLET_SANDBOX_CONTROL_KEY else ["127.0.0.1", "localhost", "[::1]"]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("WALLET_SANDBOX_DATABASE", ":memory:"),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A deferred transaction that starts with a read fails at its first write instead of waiting.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # The data is not real money: losing it in a power cut is acceptable, a disk sync per request is
            # not.
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
    "wallet_gateway.sandbox.api.DelayedRequestsMiddleware",
]
ROOT_URLCONF = "wallet_gateway.sandbox.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
STATIC_URL = f"{_PREFIX}/static/"
LANGUAGE_CODE = "en"
USE_I18N = True

# The API itself limits bodies and answers with the service's error body.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "crashes": {"()": "django.utils.log.CallbackFilter", "callback": lambda record: record.exc_info},
    },
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {
        # Refusals and injected errors are normal answers and are not logged; a crash is.
        "django.request": {
            "handlers": ["console"],
            "filters": ["crashes"],
            "level": "ERROR",
            "propagate": False,
        },
        "django.security": {"handlers": ["console"], "level": "CRITICAL", "propagate": False},
    },
}
