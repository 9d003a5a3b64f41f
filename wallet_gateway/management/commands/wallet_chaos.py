"""`manage.py wallet_chaos`: a shop under chaos, in processes and a database of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from django.core.management.base import BaseCommand

CHAOS: Final = "wallet_gateway.testing.chaos"


class Command(BaseCommand):
    """Hand the command line on to a process with other settings: the project's database is not touched."""

    help = "Worker processes of a shop against a faulty sandbox; then both ledgers are compared to the cent."
    requires_system_checks: tuple[str, ...] = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """Run, and end with the exit code of the run: 0 if all holds, 1 if not, 2 if it was refused."""
        sys.exit(self.run(*argv[2:]))

    def print_help(self, prog_name: str, subcommand: str) -> None:  # noqa: ARG002
        """Print the help of the run."""
        self.run("--help")

    def handle(self, *args: str, **options: object) -> None:  # noqa: ARG002
        """Run with the defaults, or with what `call_command` was given as plain texts."""
        if code := self.run(*args):
            sys.exit(code)

    def run(self, *arguments: str) -> int:
        """Run in a process of its own and return its exit code."""
        command = [sys.executable, "-m", CHAOS, *arguments]
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own command, no shell
