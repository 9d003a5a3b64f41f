"""Settings of the example shop, read from the environment and an optional `.env` beside `manage.py`.

Without any settings, the shop runs in debug mode against the sandbox gateway; no wallet setting is needed.
Your own shop needs only: the app, its URL line, and, outside debug mode, `WALLET_GATEWAY`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
import environ

from wallet_gateway.conf.environment import wallet_gateway_from_environment

BASE_DIR = Path(__file__).resolve().parent.parent
PROJECT_DIR = BASE_DIR / "example_project"

env = environ.Env()
env.read_env(str(BASE_DIR / ".env"))

DEBUG = env.bool("DEBUG", default=True)
# The key below is public: outside debug mode there is no default, and a missing key prevents the start.
SECRET_KEY = env.str("SECRET_KEY", default="only-for-the-demo-shop") if DEBUG else env.str("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "example_project.shop",
    "wallet_gateway",
]

# Django 6 sends the policy itself; on Django 5.2, a middleware of the shop reads the same setting.
CONTENT_SECURITY_POLICY_MIDDLEWARE = (
    "django.middleware.csp.ContentSecurityPolicyMiddleware"
    if django.VERSION >= (6, 0)
    else "example_project.shop.middleware.ContentSecurityPolicyMiddleware"
)
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    CONTENT_SECURITY_POLICY_MIDDLEWARE,
    "example_project.shop.middleware.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
if not env.bool("DEBUG_404", default=False):
    MIDDLEWARE.append("example_project.shop.middleware.NotFoundPageMiddleware")

ROOT_URLCONF = "example_project.urls"
WSGI_APPLICATION = "example_project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Project templates come first: they put the wallet's result pages into the shop's layout.
        "DIRS": [PROJECT_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "example_project.shop.context_processors.shop",
            ],
        },
    },
]

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'demo.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # In SQLite's deferred mode, a read that becomes a write fails at once, whatever the timeout.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # A transaction must be on disk before its first byte leaves.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    # One writer at a time is enough for a shop with one visitor.
    SILENCED_SYSTEM_CHECKS = ["wallet_gateway.W003"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("ar", "العربية"),
]
LOCALE_PATHS = [PROJECT_DIR / "shop" / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
# Shops often share a host with other sites: a cookie with our own name is not overwritten by theirs.
SESSION_COOKIE_NAME = "lark_and_loam"
CSRF_COOKIE_NAME = "lark_and_loam_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEBUG
# Outside debug mode, https alone. A browser remembers that for the time below, subdomains included, so the
# deployment checks ask for a year; begin with an hour (3600) while the certificates are new.
SECURE_SSL_REDIRECT = not DEBUG
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=0 if DEBUG else 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not DEBUG
if env.bool("BEHIND_PROXY", default=False):
    # Only behind a proxy that sets this header itself: otherwise every visitor could claim to use https.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# The wallet's page may post the customer back to us, and a browser does not send a session cookie marked
# Lax then. The result pages need no session; they link to the shop's own pages, where Lax is enough.
SESSION_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# The wallet: what the environment says, over the sandbox's built-in merchant. Outside debug mode the account
# and the origin have no default, and the system checks name what is missing.
SANDBOX: dict[str, Any] = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "http://127.0.0.1:8001",
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            # What one person may refund alone: try a larger refund, and let the second user agree.
            "APPROVALS": {"LIMITS": {"EUR": "50.00", "JPY": "8000", "KWD": "17.000"}},
        },
    },
}
WALLET_GATEWAY = wallet_gateway_from_environment(SANDBOX if DEBUG else {"GATEWAYS": {"default": {}}})
WALLET_GATEWAY["ORDER_ADMIN_URL"] = "example_project.shop.order_links.order_admin_url"
if DEBUG or WALLET_GATEWAY.get("FERNET_KEYS"):
    # Without encryption keys there is no wallet button, only the hosted page.
    WALLET_GATEWAY["GATEWAYS"]["default"]["WALLET"] = {
        "COUNTRY": "DE",
        "MERCHANT_NAME": "Lark & Loam",
        "PRICING": "example_project.shop.sheet_pricing.price_sheet",
        "BUTTON_OVERRIDES": "example_project.shop.sheet_choices.for_order",
    }

# The pay button posts to us and we redirect to the gateway's page: browsers apply `form-action` to the
# whole chain, so the gateway's origin is named here. The wallet button loads the wallet's script and
# its sheet, and sends its card to the gateway. No other request leaves the shop, and no script runs inline.
_GATEWAY = urlsplit(WALLET_GATEWAY["GATEWAYS"]["default"].get("BASE_URL", ""))
GATEWAY_ORIGIN = f"{_GATEWAY.scheme}://{_GATEWAY.netloc}"
SECURE_CSP: dict[str, list[str]] = {
    "default-src": ["'none'"],
    "base-uri": ["'none'"],
    "connect-src": ["'self'", GATEWAY_ORIGIN],
    "font-src": ["'self'"],
    "form-action": ["'self'", GATEWAY_ORIGIN],
    "frame-ancestors": ["'none'"],
    "frame-src": [GATEWAY_ORIGIN],
    "img-src": ["'self'"],
    "manifest-src": ["'self'"],
    "object-src": ["'none'"],
    "script-src": ["'self'", GATEWAY_ORIGIN],
    "style-src": ["'self'"],
}
# Neither the shop's scripts nor the wallet's need more of the browser than payments.
PERMISSIONS_POLICY = f'payment=(self "{GATEWAY_ORIGIN}"), camera=(), geolocation=(), microphone=(), usb=()'
# A wallet may open its sheet in a separate window, which must find the page that opened it.
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin-allow-popups"
SECURE_CONTENT_TYPE_NOSNIFF = True
# The address of the result page contains a return token: no other site may read it from the Referer.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
