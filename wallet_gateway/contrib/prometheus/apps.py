"""The app that switches the metrics on."""

from __future__ import annotations

from django.apps import AppConfig


class PrometheusConfig(AppConfig):
    """Listens to calls, and offers what the rows say to every scrape."""

    name = "wallet_gateway.contrib.prometheus"
    label = "wallet_gateway_prometheus"

    def ready(self) -> None:
        """Measure from now on."""
        from wallet_gateway.contrib.prometheus import calls, rows

        calls.connect()
        rows.register()
