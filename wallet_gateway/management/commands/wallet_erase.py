"""`manage.py wallet_erase`: erase a customer's personal data from orders; the amounts remain."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway.management.shared import check_has_orders, login_name
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import OperationRefused


class Command(BaseCommand):
    """Erase by the shop's references, or all orders of one e-mail address; a dry run by default."""

    help = "Erases a customer's personal data; references, amounts and states stay. Dry run without --yes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("references", nargs="*", metavar="REFERENCE", help="the shop's own")
        parser.add_argument("--email", help="every order of this address")
        parser.add_argument("--gateway", metavar="ALIAS", help="its orders only")
        parser.add_argument("--reason", default="", help="why; kept as an event")
        parser.add_argument("--by", default="", help="who decides it; the login name or number if not given")
        parser.add_argument("--yes", action="store_true", help="erase, and not only say what would be")

    def handle(self, **options: Any) -> None:
        references, email, gateway = options["references"], options["email"], options["gateway"]
        if email is not None and not email.strip():
            raise CommandError("--email is empty")
        if not references and email is None:
            raise CommandError("say which orders: by their references, or by --email ADDRESS")
        try:
            named = maintenance.orders_of(references=references, gateway=gateway)
            of_email = maintenance.orders_of(email=email, gateway=gateway) if email else ()
        except OperationRefused as error:
            raise CommandError(str(error)) from error
        missing = set(references) - {order.reference for order in named}
        if missing or (email and not of_email):
            check_has_orders(gateway)
            names = ", ".join(sorted(missing))
            raise CommandError(f"no such order: {names}" if missing else "no order has this e-mail address")
        orders = {order.pk: order for order in (*named, *of_email)}
        refused = []
        for _pk, order in sorted(orders.items()):
            if not options["yes"]:
                self.stdout.write(f"{order.reference}: would be erased")
                continue
            try:
                maintenance.erase_customer(order, by=options["by"] or login_name(), reason=options["reason"])
            except OperationRefused as error:
                refused.append(f"{order.reference}: {error}")
            else:
                self.stdout.write(f"{order.reference}: erased")
        count = len(orders) - len(refused)
        done = "Erased." if options["yes"] else "Nothing was erased; add --yes to do it."
        self.stdout.write(f"{'1 order' if count == 1 else f'{count} orders'}. {done}")
        if refused:
            raise CommandError("\n".join(refused))
