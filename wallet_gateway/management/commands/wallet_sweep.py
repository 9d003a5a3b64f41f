"""`manage.py wallet_sweep`: run all background work once or in a loop."""

from __future__ import annotations

import logging
import math
import signal
import threading
from argparse import ArgumentTypeError
from collections.abc import Mapping
from types import FrameType, MappingProxyType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import Error as DatabaseFault
from django.db import close_old_connections

from wallet_gateway import payments
from wallet_gateway.reports.health import unfinished_elsewhere

logger = logging.getLogger("wallet_gateway.sweep")


_LEAST_PAUSE, _LONGEST_PAUSE = 0.1, 86_400.0


def _pause(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    # Nothing compares with a number that is none, so that is refused as well.
    if not _LEAST_PAUSE <= seconds <= _LONGEST_PAUSE:
        raise ArgumentTypeError(f"a number of seconds from {_LEAST_PAUSE} to {_LONGEST_PAUSE:.0f}")
    return seconds


class Command(BaseCommand):
    """Query the gateways about all transactions that are not final, and deliver events to the shop."""

    waiting_elsewhere: Mapping[str, int] = MappingProxyType({})
    """What was last printed of gateways that the settings do not have: a loop repeats only news."""
    help = "Recovery of unknown outcomes, expiry of pages, unsent requests, the outbox and batches."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--loop", action="store_true", help="go on until interrupted or terminated")
        parser.add_argument(
            "--every", type=_pause, default=5.0, metavar="SECONDS", help="pause between two sweeps (5)"
        )

    def handle(self, *, loop: bool, every: float, verbosity: int, **options: Any) -> None:  # noqa: ARG002
        if not loop:
            self.sweep(verbosity)
            return
        stop = threading.Event()

        def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
            stop.set()

        signal.signal(signal.SIGTERM, on_signal)
        signal.signal(signal.SIGINT, on_signal)
        while not stop.is_set():
            close_old_connections()
            try:
                self.sweep(verbosity)
            except DatabaseFault as error:
                # A temporary loss of the database does not end the loop.
                fault = type(error).__name__
                logger.error("the database does not answer, the sweep is tried again: %s", fault)
            stop.wait(every)

    def sweep(self, verbosity: int) -> None:
        """Sweep once and print what was done, if anything."""
        for report in payments.sweep():
            if report.did_something or verbosity > 1:
                self.stdout.write(
                    f"{report.gateway}: {report.queried} queried, {report.leases_ended} silent senders, "
                    f"{report.pages_given_up} pages given up, {report.buttons_expired} buttons expired, "
                    f"{report.sent_again} sent again, {report.events_delivered} events delivered, "
                    f"{report.queried_again} queried again, {report.batch_rows} rows of batches"
                )
        waiting = unfinished_elsewhere(payments.maintenance.gateway_aliases())
        if waiting != self.waiting_elsewhere:
            for alias, count in waiting.items():
                self.stdout.write(
                    f"{alias}: {count} unfinished transactions wait; the settings have no such gateway"
                )
        self.waiting_elsewhere = waiting
        # Without a flush, the output of a loop would appear in a pipe hours later.
        self.stdout.flush()
