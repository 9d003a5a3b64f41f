"""The app that enables the mails."""

from __future__ import annotations

from django.apps import AppConfig


class MailsConfig(AppConfig):
    """Connects the receivers to the plugin's signals."""

    name = "wallet_gateway.contrib.mails"
    label = "wallet_gateway_mails"

    def ready(self) -> None:
        """Connect the receivers."""
        from wallet_gateway.contrib.mails import receivers

        receivers.connect()
