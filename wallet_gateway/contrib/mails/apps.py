"""The app that switches the mails on."""

from __future__ import annotations

from django.apps import AppConfig


class MailsConfig(AppConfig):
    """Connects the receivers of our own signals."""

    name = "wallet_gateway.contrib.mails"
    label = "wallet_gateway_mails"

    def ready(self) -> None:
        """Listen from now on."""
        from wallet_gateway.contrib.mails import receivers

        receivers.connect()
