"""The app that keeps the payments of django-payments in step."""

from __future__ import annotations

from django.apps import AppConfig


class DjangoPaymentsConfig(AppConfig):
    """Connects the receivers."""

    name = "wallet_gateway.contrib.django_payments"
    label = "wallet_gateway_django_payments"

    def ready(self) -> None:
        """Connect the receivers."""
        from wallet_gateway.contrib.django_payments import receivers

        receivers.connect()
