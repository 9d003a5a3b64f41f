"""`manage.py wallet_erase`: erase a customer's personal data from orders; the amounts remain."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from wallet_gateway.management.gateway_option import check_has_orders
from wallet_gateway.management.login_name import login_name
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import OperationRefused


class Command(BaseCommand):
    """Erase by the shop's references, or all orders of one e-mail address; a dry run by default."""

    help = "Erases a customer's personal data; references, amounts and states stay. Dry run without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("references", nargs="*", metavar="REFERENCE", help="the shop's own")
        parser.add_argument("--email", help="every order of this address")
        parser.add_argument("--gateway", metavar="ALIAS", help="its orders only")
        parser.add_argument("--reason", default="", help="why; kept as an event")
        parser.add_argument("--by", default="", help="who decides it; the login name or number if not given")
        parser.add_argument("--yes", action="store_true", help="erase, and not only say what would be")

    def handle(
        self,
        *,
        references: list[str],
        email: str | None,
        reason: str,
        by: str,
        yes: bool,
        **options: Any,
    ) -> None:
        if email is not None and not email.strip():
            raise CommandError("--email is empty")
        if not references and email is None:
            raise CommandError("say which orders: by their references, or by --email ADDRESS")
        orders = _found(references, email, options["gateway"])
        refused = [line for order in orders if (line := self._erase(order, by, reason, yes=yes))]
        self._sum_up(len(orders) - len(refused), yes=yes)
        if refused:
            raise CommandError("\n".join(refused))

    def _erase(self, order: PaymentOrder, by: str, reason: str, *, yes: bool) -> str:
        if not yes:
            self.stdout.write(f"{order.reference}: would be erased")
            return ""
        try:
            maintenance.erase_customer(order, by=by or login_name(), reason=reason)
        except OperationRefused as error:
            return f"{order.reference}: {error}"
        self.stdout.write(f"{order.reference}: erased")
        return ""

    def _sum_up(self, count: int, *, yes: bool) -> None:
        orders = "1 order" if count == 1 else f"{count} orders"
        done = "Erased." if yes else "Nothing was erased; add --yes to do it."
        self.stdout.write(f"{orders}. {done}")


def _found(references: Sequence[str], email: str | None, gateway: str | None) -> Sequence[PaymentOrder]:
    """Return the orders that are meant; raises `CommandError` if a reference or the address has none."""
    try:
        named = maintenance.orders_of(references=references, gateway=gateway)
        of_email = maintenance.orders_of(email=email, gateway=gateway) if email else ()
    except OperationRefused as error:
        raise CommandError(str(error)) from error
    missing = set(references) - {order.reference for order in named}
    if missing or (email and not of_email):
        check_has_orders(gateway)
    if missing:
        raise CommandError(f"no such order: {', '.join(sorted(missing))}")
    if email and not of_email:
        raise CommandError("no order has this e-mail address")
    found = {order.pk: order for order in (*named, *of_email)}
    return [found[pk] for pk in sorted(found)]
