"""Settings of the measured shop. What both views pay for alike is left as small as Django allows."""

from __future__ import annotations

import environ

env = environ.Env()
SECRET_KEY = "bench-only"
DEBUG = False
USE_TZ = True
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["django.contrib.contenttypes", "wallet_gateway", "bench.shop.apps.BenchShopConfig"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "bench.shop.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": env.db_url("BENCH_DATABASE_URL")}
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
GATEWAY_URL = env.str("BENCH_GATEWAY_URL")
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": GATEWAY_URL,
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
        },
    },
}
