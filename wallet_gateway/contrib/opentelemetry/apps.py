"""The app that enables the spans."""

from __future__ import annotations

from django.apps import AppConfig


class OpenTelemetryConfig(AppConfig):
    """Connects the spans to the signal for calls."""

    name = "wallet_gateway.contrib.opentelemetry"
    label = "wallet_gateway_opentelemetry"

    def ready(self) -> None:
        """Start tracing."""
        from wallet_gateway.contrib.opentelemetry import spans

        spans.connect()
