"""The app of the measured shop."""

from __future__ import annotations

from django.apps import AppConfig


class BenchShopConfig(AppConfig):
    """Names the app, so that its table does not collide with the example shop's."""

    name = "bench.shop"
    label = "bench_shop"
