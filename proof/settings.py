"""Settings of the shop of a history, simulated or real, and of the database of the gateway beside it."""

from __future__ import annotations

import os

import environ

env = environ.Env()
SECRET_KEY = "proof-only"
DEBUG = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "wallet_gateway",
    "wallet_gateway.sandbox",
]
ROOT_URLCONF = "proof.urls"
STATIC_URL = "/static/"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES = {
    # A shop's one connection: what a process leaves behind is undone on it, or the connection is closed.
    "default": env.db_url("DATABASE_URL", default="sqlite://:memory:"),
    "gateway": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("PROOF_GATEWAY_DATABASE", ":memory:"),
        "OPTIONS": {"timeout": 60},
    },
}
if "PROOF_GATEWAY_DATABASE" in os.environ:
    # A sandbox in a process of its own makes its tables itself.
    MIGRATION_MODULES = {"wallet_sandbox": None}
# A level's name, such as `repeatable read`; Django's own without one.
ISOLATION = os.environ.get("PROOF_ISOLATION", "")
SHOP = DATABASES["default"]
SHOP["CONN_MAX_AGE"] = None
if SHOP["ENGINE"].endswith("sqlite3"):
    SHOP["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        # A killed process loses nothing that it has written; only a power cut would.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
    }
elif SHOP["ENGINE"].endswith("postgresql"):
    # A server that is ended in the midst must not forget what it has committed.
    SHOP["OPTIONS"] = {"options": f"-c synchronous_commit={os.environ.get('PROOF_COMMIT', 'off')}"}
    if ISOLATION:
        from psycopg import IsolationLevel

        SHOP["OPTIONS"]["isolation_level"] = IsolationLevel[ISOLATION.upper().replace(" ", "_")]
elif ISOLATION:
    SHOP["OPTIONS"] = {"isolation_level": ISOLATION}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

WALLET_SANDBOX_CONTROL_KEY = ""
WALLET_SANDBOX_MERCHANTS_FILE = ""
WALLET_SANDBOX_MERCHANT_NAME = ""
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": os.environ.get("PROOF_GATEWAY_URL", "http://127.0.0.1:8001"),
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Simulated shop"},
            # The clock is the run's and the gateway this machine's: no query waits for another.
            "QUERIES": {"RATE": 1_000},
        },
    },
    "FERNET_KEYS": ["7zvQvZ2mJ0pHqQe3w1m8b6uYx4sT9rKfA5cLdNgEiWo="],
}
# What goes wrong is provoked, and what comes of it is compared; nobody reads of it in a log.
LOGGING_CONFIG = None
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
