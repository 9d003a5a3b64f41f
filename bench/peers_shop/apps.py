"""The app of the shop with peers, and of the provider that django-getpaid finds by its app."""

from __future__ import annotations

from django.apps import AppConfig


class BenchPeersConfig(AppConfig):
    """Names the app, and registers the provider as django-getpaid's documentation asks for."""

    name = "bench.peers_shop"
    label = "bench_peers"

    def ready(self) -> None:
        from getpaid.registry import registry

        from bench.peers_shop.providers import GetpaidProcessor

        registry.register(GetpaidProcessor)
