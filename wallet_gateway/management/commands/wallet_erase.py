"""`manage.py wallet_erase`: erase a customer's personal data from orders; the amounts remain."""

from __future__ import annotations

from argparse import ArgumentParser
from getpass import getuser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import OperationRefused


class Command(BaseCommand):
    """Erase by the shop's references, or all orders of one e-mail address; a dry run by default."""

    help = "Erases a customer's personal data; references, amounts and states stay. Dry run without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("references", nargs="*", metavar="REFERENCE", help="the shop's own")
        parser.add_argument("--email", default="", help="every order of this address (reads all orders)")
        parser.add_argument("--gateway", metavar="ALIAS", help="its orders only")
        parser.add_argument("--reason", default="", help="why; kept as an event")
        parser.add_argument("--by", default="", help="who decides it; the login name if not given")
        parser.add_argument("--yes", action="store_true", help="erase, and not only say what would be")

    def handle(
        self,
        *,
        references: list[str],
        email: str,
        reason: str,
        by: str,
        yes: bool,
        **options: Any,
    ) -> None:
        try:
            orders = maintenance.orders_of(references=references, email=email, gateway=options["gateway"])
        except OperationRefused as error:
            raise CommandError(str(error)) from error
        missing = set(references) - {order.reference for order in orders}
        if missing:
            raise CommandError(f"no such order: {', '.join(sorted(missing))}")
        refused = [line for order in orders if (line := self._erase(order, by, reason, yes=yes))]
        if not yes:
            count = f"{len(orders)} order{'' if len(orders) == 1 else 's'}"
            self.stdout.write(f"{count}. Nothing was erased; add --yes to do it.")
        if refused:
            raise CommandError("\n".join(refused))

    def _erase(self, order: PaymentOrder, by: str, reason: str, *, yes: bool) -> str:
        if not yes:
            self.stdout.write(f"{order.reference}: would be erased")
            return ""
        try:
            maintenance.erase_customer(order, by=by or getuser(), reason=reason)
        except OperationRefused as error:
            return f"{order.reference}: {error}"
        self.stdout.write(f"{order.reference}: erased")
        return ""
