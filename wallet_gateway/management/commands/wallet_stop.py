"""`manage.py wallet_stop`: the emergency stop. Nothing new is sent until a person resumes sending."""

from __future__ import annotations

from argparse import ArgumentParser
from getpass import getuser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from wallet_gateway import payments
from wallet_gateway.payments import maintenance


class Command(BaseCommand):
    """Stop or resume sending to one gateway or to all of them."""

    help = "Emergency stop: nothing new is sent to the gateways, status queries go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--resume", action="store_true", help="let requests leave again")
        parser.add_argument("--status", action="store_true", help="only say what is stopped")
        parser.add_argument("--gateway", metavar="ALIAS", help="one gateway; all of them if not given")
        parser.add_argument("--reason", default="", help="why; shown to everybody who is kept waiting")
        parser.add_argument("--by", default="", help="who decides it; the login name if not given")

    def handle(
        self,
        *,
        resume: bool,
        status: bool,
        gateway: str | None,
        reason: str,
        by: str,
        **options: Any,  # noqa: ARG002
    ) -> None:
        if not status:
            self._decide(
                payments.maintenance.resume_sending if resume else payments.maintenance.stop_sending,
                aliases=[gateway] if gateway else list(maintenance.gateway_aliases()),
                words={"by": by or getuser(), "reason": reason},
            )
        self._say()

    def _decide(self, decide: Any, *, aliases: list[str], words: dict[str, str]) -> None:  # noqa: ANN401
        refused = []
        for alias in aliases:
            try:
                decide(alias, **words)
            except payments.errors.OperationRefused as error:
                refused.append(f"{alias}: {error}")
        if refused:
            raise CommandError("\n".join(refused))

    def _say(self) -> None:
        pauses = payments.maintenance.sending_pauses()
        if not pauses:
            self.stdout.write("requests leave to every gateway")
        for pause in pauses:
            who = f"stopped by {pause.by}" if pause.by else f"paused until {pause.until}"
            self.stdout.write(f"{pause.gateway}: {who}: {pause.reason}")
