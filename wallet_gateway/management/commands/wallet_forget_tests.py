"""`manage.py wallet_forget_tests`: delete the orders that were tests, once their number was typed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway.management.shared import check_has_orders
from wallet_gateway.payments import maintenance


class Command(BaseCommand):
    """Count the tests, let their number be typed, and delete them; a hash of each reference stays."""

    help = "Deletes orders of which every payment was a test. Shows their number, which must be typed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--gateway", metavar="ALIAS", help="its orders only")
        parser.add_argument("--yes", metavar="NUMBER", help="the number of orders, and no question")

    def handle(self, *, gateway: str | None, yes: str | None, **options: Any) -> None:  # noqa: ARG002
        tests = maintenance.forget_tests(gateway=gateway, dry_run=True)
        if not tests.deleted and not tests.kept:
            check_has_orders(gateway)
            raise CommandError(
                "Nothing was deleted: no order has only payments that are marked as tests. A payment that is "
                "live or of unknown mode is never deleted."
            )
        self.stdout.write(f"Orders of which every payment was a test, to be deleted: {tests.deleted}")
        if tests.kept:
            self.stdout.write(f"Kept, because an attempt or operation has not ended: {tests.kept}")
        if not tests.deleted:
            return
        typed = input("Type their number to delete them: ") if yes is None else yes
        if typed.strip() != str(tests.deleted):
            raise CommandError(f"Nothing was deleted: the number is {tests.deleted}, not {typed.strip()!r}.")
        done = maintenance.forget_tests(gateway=gateway)
        self.stdout.write(f"Deleted: {done.deleted}. Kept: {done.kept}.")
