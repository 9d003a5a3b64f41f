"""`manage.py wallet_customer_data`: everything that is held about one e-mail address, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.management.shared import READER_GONE, check_has_orders, write_texts
from wallet_gateway.payments import orders


class Command(BaseCommand):
    """Answer a customer's request for their data."""

    help = "Writes everything that is held about an e-mail address as JSON, without secrets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the customer's address, in any letter case")
        parser.add_argument(
            "--gateway", metavar="ALIAS", help="what its orders hold; all of them if not given"
        )
        parser.add_argument("--output", metavar="FILE", help="standard output if not given")

    @sensitive_variables()
    def handle(self, *, email: str, output: str | None, **options: Any) -> None:
        data = orders.customer_data(email, gateway=options["gateway"])
        if not data["orders"]:
            check_has_orders(options["gateway"])
            raise CommandError("no order has this e-mail address")
        text = json.dumps(data, indent=2, ensure_ascii=False)
        if output is None:
            if not write_texts(self.stdout, [text, "\n"]):
                sys.exit(READER_GONE)
            return
        try:
            # Readable by its owner alone: it is all about one person.
            path = Path(output)
            path.touch(mode=0o600, exist_ok=False)
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}") from error
        count = len(data["orders"])
        self.stdout.write(f"{count} {'order' if count == 1 else 'orders'} written to {output}")
