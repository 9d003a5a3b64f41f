"""The Django app of the sandbox gateway."""

from __future__ import annotations

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """Registers the sandbox's tables, pages and static files under the label ``wallet_sandbox``."""

    name = "wallet_gateway.sandbox"
    label = "wallet_sandbox"
    verbose_name = "Sandbox gateway"
    default_auto_field = "django.db.models.BigAutoField"
