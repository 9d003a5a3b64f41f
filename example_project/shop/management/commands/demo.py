"""`manage.py demo`: shop and sandbox gateway side by side, or (`--once`) a scenario without a browser."""

from __future__ import annotations

import subprocess
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from example_project.shop.demo.runner import demo_services, run_until_ended, write_history
from example_project.shop.demo.services import HOST, ServiceFailed, environment_for, is_free, python
from example_project.shop.management.commands.seed_shop import STAFF_NAMES, STAFF_PASSWORD
from wallet_gateway.testing.sandbox import SandboxServer


class Command(BaseCommand):
    """Start all services that are needed to buy something."""

    help = (
        "Starts the example shop and a sandbox gateway; --once tells a whole story without a browser instead."
    )
    # The started shop runs all checks, and so does the scenario.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="Port of the shop (8000).")
        parser.add_argument("--gateway-port", type=int, default=8001, help="Port of the gateway (8001).")
        parser.add_argument(
            "--gateway-database",
            default=str(settings.BASE_DIR / "sandbox.sqlite3"),
            help="File in which the gateway remembers from one demo to the next.",
        )
        parser.add_argument(
            "--once",
            action="store_true",
            help="Buy, capture, refund and reverse against a sandbox and a database of its own, print a "
            "table and end; the exit code is 0 when the gateway says the same as our books.",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        port, gateway_port = options["port"], options["gateway_port"]
        if options["once"]:
            raise SystemExit(tell_story_once())
        if not settings.DEBUG:
            raise CommandError("The demo gives out a staff password, so it needs DEBUG on.")
        _check_ports(port, gateway_port)
        call_command("migrate", verbosity=0, interactive=False)
        call_command("seed_shop", stdout=StringIO())
        self._run(port, gateway_port, options["gateway_database"])

    def _run(self, port: int, gateway_port: int, database: str) -> None:
        with tempfile.TemporaryDirectory(prefix="wallet-demo-") as logs:
            services = demo_services(port, gateway_port, logs=Path(logs), database=database)
            try:
                run_until_ended(
                    services,
                    prepare=lambda: write_history(services),
                    on_ready=lambda: self._say_where(port, gateway_port),
                )
            except ServiceFailed as failure:
                raise CommandError(str(failure)) from failure
        self.stdout.write("Stopped.")

    def _say_where(self, port: int, gateway_port: int) -> None:
        shop = f"http://{HOST}:{port}"
        self.stdout.write(
            f"Shop     {shop}/\n"
            f"Gateway  http://{HOST}:{gateway_port}/\n"
            f"Staff    {shop}/admin/  user {' or '.join(STAFF_NAMES)}, password {STAFF_PASSWORD}\n"
            "Ctrl-C stops them."
        )
        self.stdout.flush()


def tell_story_once() -> int:
    """Run the scenario in a process with a sandbox and a database of its own; return its exit code."""
    with tempfile.TemporaryDirectory(prefix="wallet-story-") as folder, SandboxServer() as sandbox:
        database = f"sqlite:///{folder}/story.sqlite3"
        environment = environment_for(8000, sandbox.base_url, DATABASE_URL=database, DEBUG="true")
        command = python(str(settings.BASE_DIR / "manage.py"), "demo_story")
        return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603 - our own command


def _check_ports(port: int, gateway_port: int) -> None:
    if port == gateway_port:
        raise CommandError(
            f"Shop and gateway cannot both have port {port}. Choose with --port and --gateway-port."
        )
    for name, option, variable, number in (
        ("shop", "--port", "PORT", port),
        ("gateway", "--gateway-port", "GATEWAY_PORT", gateway_port),
    ):
        if not is_free(number):
            raise CommandError(
                f"Port {number}, meant for the {name}, is taken. Choose another with {option}, or with "
                f"`make demo {variable}={number + 10}`."
            )
