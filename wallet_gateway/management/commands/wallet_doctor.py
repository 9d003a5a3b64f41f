"""`manage.py wallet_doctor`: reports what is wrong with payments in this shop, and what to do about it."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from wallet_gateway.doctor.examination import is_well, run_checks
from wallet_gateway.doctor.work import UnableToRecord, record_payment
from wallet_gateway.findings import Level
from wallet_gateway.management.shared import check_has_orders, login_name, write_texts
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.errors import OperationRefused

_SIGNS = {Level.OK: "ok     ", Level.WARNING: "warning", Level.ERROR: "ERROR  "}


class Command(BaseCommand):
    """Check settings, keys, clock, database, gateways and the sweep; exit code 1 for an error."""

    help = "Checks payments and reports problems. Sends each gateway one harmless status query."
    # The doctor's own checks must report a problem, so the system checks must not stop the command.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs: a list of objects")
        parser.add_argument("--go-live", action="store_true", help="also demand what a live shop needs")
        parser.add_argument(
            "--record-payment", metavar="REFERENCE", help="note that you compared it with the bank statement"
        )
        parser.add_argument("--amount", default="", help="what the bank statement shows, such as 5.00")
        parser.add_argument("--gateway", metavar="ALIAS", help="that of the recorded order")
        parser.add_argument("--by", default="", help="who compared it; the login name or number if not given")

    def handle(self, *, go_live: bool, gateway: str | None, by: str, **options: Any) -> None:
        if reference := options["record_payment"]:
            try:
                record_payment(reference, amount=options["amount"], by=by or login_name(), gateway=gateway)
            except PaymentOrder.DoesNotExist as error:
                check_has_orders(gateway)
                raise CommandError(f"no order has the reference {reference[:64]!r}") from error
            except (UnableToRecord, OperationRefused) as error:
                raise CommandError(str(error)) from error
        found = run_checks(go_live=go_live)
        if options["json"]:
            text = json.dumps([finding.as_dict() for finding in found], indent=2)
        else:
            lines = []
            for finding in found:
                lines.append(f"{_SIGNS[finding.level]}  {finding.subject}: {finding.text}")
                further = (finding.advice, f"See {finding.docs}" if finding.docs else "")
                lines += [f"         {line}" for line in further if line]
            text = "\n".join(lines)
        # The exit code is that of the findings, whether or not anybody reads all of them.
        write_texts(self.stdout, [text, "\n"])
        if not is_well(found):
            sys.exit(1)
