"""Prepares the shop with peers, as `bench.shop` does its own; each order is made for the plugin as well."""

from __future__ import annotations

import os

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.peers_shop.settings")
    from bench.shop.__main__ import prepare

    prepare("bench.shop.views", "bench.peers_shop.views")
