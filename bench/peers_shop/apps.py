"""The app of the shop with peers."""

from __future__ import annotations

from django.apps import AppConfig


class BenchPeersConfig(AppConfig):
    """Names the app, so that its tables do not collide with a package's."""

    name = "bench.peers_shop"
    label = "bench_peers"
