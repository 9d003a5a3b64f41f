"""Settings of the measured shop: apps and middleware as a new project has them, for all that is compared."""

from __future__ import annotations

import environ

env = environ.Env()
SECRET_KEY = "bench-only"
DEBUG = False
USE_TZ = True
ALLOWED_HOSTS = ["testserver"]
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "wallet_gateway",
    "bench.shop.apps.BenchShopConfig",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "bench.shop.urls"
STATIC_URL = "/static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
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
DATABASES = {"default": env.db_url("BENCH_DATABASE_URL")}
DATABASES["default"]["CONN_MAX_AGE"] = None
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
WALLET_GATEWAY = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": env.str("BENCH_GATEWAY_URL"),
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
        },
    },
}
# That a bench is no shop is known.
SILENCED_SYSTEM_CHECKS = ["wallet_gateway.W003", "wallet_gateway.W008"]
