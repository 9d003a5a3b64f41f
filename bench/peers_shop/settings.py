"""Settings of the shop with peers: those of the measured shop, and what the peers' documentation asks for."""

from __future__ import annotations

from bench.shop.settings import *  # noqa: F403
from bench.shop.settings import INSTALLED_APPS as OF_THE_SHOP
from bench.shop.settings import env

INSTALLED_APPS = [
    *OF_THE_SHOP,
    "django.contrib.sites",
    "payments",
    "djstripe",
    "bench.peers_shop.apps.BenchPeersConfig",
]
SITE_ID = 1
ROOT_URLCONF = "bench.peers_shop.urls"

PAYMENT_HOST = "127.0.0.1:8000"
PAYMENT_USES_SSL = False
PAYMENT_MODEL = "bench_peers.ShopPayment"
PAYMENT_VARIANTS: dict[str, tuple[str, dict[str, str]]] = {
    "default": ("bench.peers_shop.providers.ThinProvider", {})
}

STRIPE_API_HOST = env.str("BENCH_GATEWAY_URL")
STRIPE_TEST_SECRET_KEY = "_".join(("sk", "test", "0" * 24))
"""dj-stripe reads from the beginning that no money moves."""
STRIPE_LIVE_MODE = False
DJSTRIPE_FOREIGN_KEY_TO_FIELD = "id"
