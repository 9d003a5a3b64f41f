"""The app that switches the spans on."""

from __future__ import annotations

from django.apps import AppConfig


class OpenTelemetryConfig(AppConfig):
    """Listens to calls."""

    name = "wallet_gateway.contrib.opentelemetry"
    label = "wallet_gateway_opentelemetry"

    def ready(self) -> None:
        """Trace from now on."""
        from wallet_gateway.contrib.opentelemetry import spans

        spans.connect()
