"""`manage.py wallet_reconcile`: compare our records with the gateways' and report differences by type."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway.management.shared import with_progress
from wallet_gateway.models.fields import explanation_text
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import GatewayUnreachable

WHAT_CANNOT_BE_FOUND = (
    "Only records under references that we know can be found: a payment that was made under any other "
    "reference shows in the provider's portal alone."
)


_MOST_DAYS = 36_500


class Command(BaseCommand):
    """Query each transaction's status again and report differences; change nothing except in repair mode."""

    help = "Compare our books with the gateways' record by record. A dry run unless --repair is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--gateway", metavar="ALIAS", help="one gateway; all of them if not given")
        parser.add_argument("--days", type=int, default=40, help="what was made or moved since (40)")
        parser.add_argument("--repair", action="store_true", help="store what the gateway says as events")
        parser.add_argument("--by", default="", help="who answers for the repair; needed for it")
        parser.add_argument("--resume", action="store_true", help="go on where the last run was broken off")
        parser.add_argument(
            "--unsent", action="store_true", help="also what was not sent as far as we know: after a restore"
        )

    def handle(self, **options: Any) -> None:
        days, repair, by = options["days"], options["repair"], options["by"]
        if not 1 <= days <= _MOST_DAYS:
            raise CommandError(f"--days must be from 1 to {_MOST_DAYS}")
        if repair and not by.strip():
            raise CommandError("--repair needs --by: a repair names its author")
        resume, unsent = options["resume"], options["unsent"]
        found: Counter[str] = Counter()
        for alias in [options["gateway"]] if options["gateway"] else maintenance.gateway_aliases():
            try:
                comparison = maintenance.comparison(
                    alias, days=days, repair_as=by if repair else "", resume=resume, unsent=unsent
                )
            except ImproperlyConfigured as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{alias}: {comparison.total} transactions to compare")
            rows = with_progress(comparison.rows, total=comparison.total, out=self.stderr)
            try:
                for row in rows:
                    for difference in row.differences:
                        found[difference.kind] += 1
                        why = explanation_text(difference.explanation)
                        self.stdout.write(f"{row.transaction.reference}  {difference.kind}: {why}")
            except GatewayUnreachable as error:
                raise CommandError(f"{error} (wallet_reconcile --resume)") from error
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
        self.stdout.write(f"Differences: {counts or 'none'}.")
        if found:
            done = "Stored as events; see the differences." if repair else "Nothing was changed."
            self.stdout.write(done)
        self.stdout.write(WHAT_CANNOT_BE_FOUND)
