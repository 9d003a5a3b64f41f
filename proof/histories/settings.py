"""Settings of the simulated shop, and of the gateway beside it, which has a database of its own in memory."""

from __future__ import annotations

import environ

env = environ.Env()
SECRET_KEY = "simulation-only"
DEBUG = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
ALLOWED_HOSTS = ["127.0.0.1"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "wallet_gateway",
    "wallet_gateway.sandbox",
]
ROOT_URLCONF = "proof.histories.urls"
DATABASES = {
    # A shop's one connection: what a process leaves behind is undone on it, or the connection is closed.
    "default": env.db_url("DATABASE_URL", default="sqlite://:memory:"),
    "gateway": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"},
}
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"}
elif DATABASES["default"]["ENGINE"].endswith("postgresql"):
    DATABASES["default"]["OPTIONS"] = {"options": "-c synchronous_commit=off"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

WALLET_SANDBOX_CONTROL_KEY = ""
WALLET_SANDBOX_MERCHANTS_FILE = ""
WALLET_SANDBOX_MERCHANT_NAME = ""
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "http://127.0.0.1:8001",
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Simulated shop"},
            "QUERIES": {"RATE": 1000},
        },
    },
    "FERNET_KEYS": ["7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="],
}
LOGGING_CONFIG = None
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
