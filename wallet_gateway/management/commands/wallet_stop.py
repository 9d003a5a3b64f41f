"""`manage.py wallet_stop`: the emergency stop, for a time or until a person resumes sending."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from wallet_gateway import gateways
from wallet_gateway.management.shared import login_name
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import OperationRefused

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_DURATION = re.compile(r"([1-9][0-9]{0,4})([mhd])")


def _duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ArgumentTypeError("a number of minutes, hours or days, such as 30m, 2h or 1d")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _instant(text: str) -> datetime:
    try:
        instant = parse_datetime(text)
    except ValueError:
        instant = None
    if instant is None:
        raise ArgumentTypeError("an instant such as 2026-05-04T18:00, with +02:00 for another time zone")
    return instant if instant.tzinfo else timezone.make_aware(instant)


class Command(BaseCommand):
    """Stop or resume sending to one gateway or to all of them."""

    help = "Emergency stop: nothing new is sent to the gateways, status queries go on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--resume", action="store_true", help="let requests leave again")
        parser.add_argument("--status", action="store_true", help="only say what is stopped")
        end = parser.add_mutually_exclusive_group()
        end.add_argument("--for", dest="lasts", type=_duration, metavar="TIME", help="as 30m, 2h or 1d")
        end.add_argument("--until", type=_instant, metavar="INSTANT", help="as 2026-05-04T18:00")
        parser.add_argument("--gateway", metavar="ALIAS", help="one gateway; all of them if not given")
        parser.add_argument("--reason", default="", help="why; shown to everybody who is kept waiting")
        parser.add_argument("--by", default="", help="who decides it; the login name or number if not given")

    def handle(self, **options: Any) -> None:
        resume, status, gateway = options["resume"], options["status"], options["gateway"]
        lasts, until = options["lasts"], options["until"]
        if (resume or status) and (lasts or until):
            raise CommandError("--for and --until say how long a stop lasts")
        if not status:
            words = {"by": options["by"] or login_name(), "reason": options["reason"]}
            if not resume:
                words["until"] = gateways.clock().now() + lasts if lasts else until
            # Those whose account is wrong at the moment, too.
            wrong = (alias for alias in maintenance.wrong_accounts() if alias)
            aliases = [gateway] if gateway else [*maintenance.gateway_aliases(), *wrong]
            refused = []
            for alias in aliases:
                try:
                    if resume:
                        maintenance.resume_sending(alias, **words)
                    else:
                        maintenance.stop_sending(alias, **words)
                except (OperationRefused, ImproperlyConfigured) as error:
                    refused.append(f"{alias}: {error}")
            if refused:
                raise CommandError("\n".join(refused))
        pauses = maintenance.sending_pauses()
        if not pauses:
            self.stdout.write("requests leave to every gateway")
        for pause in pauses:
            who = f"stopped by {pause.by}" if pause.by else "paused"
            end = ""
            if pause.until:
                end = f" until {timezone.localtime(pause.until).isoformat(sep=' ', timespec='seconds')}"
            self.stdout.write(f"{pause.gateway}: {who}{end}: {pause.reason}")
