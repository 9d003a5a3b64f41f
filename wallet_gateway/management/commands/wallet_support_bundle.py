"""`manage.py wallet_support_bundle`: one order's full history as a zip without personal data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway import payments
from wallet_gateway.management.shared import check_has_orders
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import maintenance
from wallet_gateway.payments.errors import OperationRefused


class Command(BaseCommand):
    """Write the zip and print its path."""

    help = "Writes one order's full history as a zip that may be sent to support: no personal data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reference", metavar="REFERENCE", help="the shop's own reference of the order")
        parser.add_argument(
            "--gateway", metavar="ALIAS", help="that of the order, if several have the reference"
        )
        parser.add_argument("--output", metavar="FILE", help="where to write it; a name is made if not given")

    def handle(self, *, reference: str, output: str | None, **options: Any) -> None:
        try:
            order = payments.get_order(reference, gateway=options["gateway"])
        except PaymentOrder.DoesNotExist as error:
            check_has_orders(options["gateway"])
            raise CommandError(f"no order has the reference {reference[:64]!r}") from error
        except OperationRefused as error:
            raise CommandError(str(error)) from error
        # A shop's reference may contain characters that are not allowed in a file name.
        path = Path(output or f"wallet-order-{order.pk}.zip")
        try:
            path.write_bytes(maintenance.support_bundle(order))
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from error
        self.stdout.write(str(path))
