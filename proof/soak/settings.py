"""Settings of the shop that is soaked: as under chaos, with one gateway and a database of the run."""

from __future__ import annotations

import environ

from proof.chaos.settings import *  # noqa: F403

env = environ.Env()
SECRET_KEY = "soak-only"
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "proof.soak.urls"
DATABASES = {"default": env.db_url("SOAK_DATABASE_URL", default="sqlite://:memory:")}
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 120,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
    }
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": env.str("SOAK_GATEWAY_URL", default="http://127.0.0.1:9"),
            "PROFILE": "test",
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            # An hour passes between two sweeps, so that a limit for each minute would hold up all questions.
            "QUERIES": {"RATE": 1_000_000},
            "TIMEOUT": {"CONNECT": 30.0, "READ": 60.0, "TOTAL": 120.0},
        },
    },
}
