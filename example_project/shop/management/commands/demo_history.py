"""`manage.py demo_history`: eight orders in different states, for a demo that starts for the first time."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from example_project.shop.demo.history import History, is_new
from example_project.shop.management.commands.seed_shop import STAFF_NAMES
from wallet_gateway.testing.sandbox import SandboxControl


class Command(BaseCommand):
    """Write the demo's history, once."""

    help = "Buys eight orders at the configured sandbox, unless there are orders; meant to be run by demo."
    # The shop beside it runs the checks.
    requires_system_checks = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        if is_new():
            wallet: dict[str, Any] = settings.WALLET_GATEWAY
            control = SandboxControl(wallet["GATEWAYS"]["default"]["BASE_URL"])
            History(control, staff=STAFF_NAMES[0]).write()
