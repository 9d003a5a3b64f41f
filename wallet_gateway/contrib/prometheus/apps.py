"""The app that enables the metrics."""

from __future__ import annotations

from django.apps import AppConfig


class PrometheusConfig(AppConfig):
    """Connects the call metrics, and registers the row metrics for every scrape."""

    name = "wallet_gateway.contrib.prometheus"
    label = "wallet_gateway_prometheus"

    def ready(self) -> None:
        """Start measuring."""
        from wallet_gateway.contrib.prometheus import calls, rows

        calls.connect()
        rows.register()
