"""Settings of the shop of a history, simulated or real, and of the database of the gateway beside it."""

from __future__ import annotations

import os

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
    "gateway": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("PROOF_GATEWAY_DATABASE", ":memory:"),
        "OPTIONS": {"timeout": 60},
    },
}
if "PROOF_GATEWAY_DATABASE" in os.environ:
    # A sandbox in a process of its own makes its tables itself.
    MIGRATION_MODULES = {"wallet_sandbox": None}
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 60,
        # A killed process loses nothing that it has written; only a power cut would.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
    }
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
            "BASE_URL": os.environ.get("PROOF_GATEWAY_URL", "http://127.0.0.1:8001"),
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
