"""`manage.py demo_story`: the scenario of `demo --once`, run against the sandbox in the settings.

It migrates and fills the database of the settings; `demo --once` passes it a temporary one.
"""

from __future__ import annotations

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from example_project.shop.demo.gateway_log import GatewayTruth
from example_project.shop.demo.scenario import Step, Story
from example_project.shop.demo.table import aligned
from wallet_gateway.testing.sandbox import SandboxControl

HEAD = ("step", "our state", "gateway's state", "amount", "equal?")
AMOUNT_COLUMN = 3


class Command(BaseCommand):
    """Run the scenario and compare."""

    help = "Tells the demo's story against the configured sandbox; meant to be run by demo --once."

    def handle(self, *_args: Any, **_options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("seed_shop", stdout=StringIO())
        steps = list(_story().tell())
        for line in aligned(HEAD, [_cells(step) for step in steps], right=frozenset({AMOUNT_COLUMN})):
            self.stdout.write(line)
        different = sum(not step.is_equal for step in steps)
        self.stdout.write("")
        if different:
            self.stdout.write(f"{different} of {len(steps)} steps differ from the gateway.")
            raise SystemExit(1)
        self.stdout.write(f"{len(steps)} steps, and the gateway says the same of each.")


def _story() -> Story:
    wallet: dict[str, Any] = settings.WALLET_GATEWAY
    account = wallet["GATEWAYS"]["default"]
    truth = GatewayTruth(
        account["BASE_URL"], merchant_id=account["MERCHANT_ID"], store_id=account["STORE_ID"]
    )
    return Story(control=SandboxControl(account["BASE_URL"]), truth=truth)


def _cells(step: Step) -> tuple[str, ...]:
    return (step.name, step.ours, step.theirs, step.amount, "yes" if step.is_equal else "NO")
