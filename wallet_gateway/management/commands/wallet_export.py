"""`manage.py wallet_export`: rows as CSV or JSON lines, streamed one after another."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date

from wallet_gateway import gateways
from wallet_gateway.management.shared import READER_GONE, write_texts
from wallet_gateway.reports.exports import EXPORTS, WITH_MONEY, By, as_csv, as_json, export_rows


class Command(BaseCommand):
    """Export orders, transactions, events or discrepancies, limited to a time range if given."""

    help = "Writes rows as CSV or JSON lines, in bounded memory; no cell is a formula."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=EXPORTS)
        parser.add_argument("--format", choices=("csv", "json"), default="csv")
        parser.add_argument("--since", metavar="YYYY-MM-DD", help="from the beginning of this day")
        parser.add_argument("--until", metavar="YYYY-MM-DD", help="before the beginning of this day")
        parser.add_argument(
            "--days",
            choices=("project", "utc"),
            default="project",
            help="whose days: those of TIME_ZONE, as on the dashboard (the default), or of UTC",
        )
        parser.add_argument(
            "--by",
            choices=tuple(By),
            help="the time that is limited: when money moved (approved, the default), or when a row was made",
        )
        parser.add_argument("--output", metavar="FILE", help="standard output if not given")

    def handle(self, **options: Any) -> None:
        what, by, output = options["what"], options["by"], options["output"]
        if by is not None and what not in WITH_MONEY:
            raise CommandError(f"--by is for {' and '.join(WITH_MONEY)}; {what} have one time only")
        write = as_csv if options["format"] == "csv" else as_json
        zone = UTC if options["days"] == "utc" else timezone.get_current_timezone()
        limits = {name: _day(f"--{name}", options[name], zone) for name in ("since", "until")}
        lines = write(*export_rows(what, is_test=gateways.is_test, **limits, by=By(by or By.APPROVED)))
        if output is not None:
            try:
                with Path(output).open("w", encoding="utf-8", newline="") as file:
                    file.writelines(lines)
            except OSError as error:
                raise CommandError(f"{output} cannot be written: {error.strerror}") from error
        elif not write_texts(self.stdout, lines):
            sys.exit(READER_GONE)


def _day(option: str, given: str | None, zone: tzinfo) -> datetime | None:
    if given is None:
        return None
    try:
        day = parse_date(given)
    except ValueError:
        day = None
    if day is None:
        raise CommandError(f"{option} must be a day such as 2026-05-31, not {given[:20]!r}")
    return datetime(day.year, day.month, day.day, tzinfo=zone)
