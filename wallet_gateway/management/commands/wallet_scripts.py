"""`manage.py wallet_scripts`: check that only approved scripts run on the payment pages."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from wallet_gateway import conf
from wallet_gateway.management import script_inventory
from wallet_gateway.management.page_visit import FetchedPage, PageNotFetched, visit
from wallet_gateway.management.script_inventory import BadInventory, Inventory
from wallet_gateway.models import PaymentOrder
from wallet_gateway.signals import page_scripts_changed

_CHANGED, _NOT_FETCHED = 1, 2
_NEWEST = 200


class Command(BaseCommand):
    """Fetch the payment pages like a browser and compare them with the approved inventory."""

    help = "List the scripts of the payment pages; exit code 1 if anything differs, 2 if it cannot be seen."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--page",
            action="append",
            default=[],
            metavar="URL",
            help="a page to look at; without one, the button page of the newest order that can be paid",
        )
        parser.add_argument("--inventory", type=Path, default=Path("scripts.json"), metavar="FILE")
        parser.add_argument("--approve", action="store_true", help="write down what is there as approved")
        parser.add_argument(
            "--reason", action="append", nargs=2, default=[], metavar=("URL", "WHY"), help="of a script"
        )

    def handle(
        self,
        *,
        page: list[str],
        inventory: Path,
        approve: bool,
        reason: list[list[str]],
        **options: Any,  # noqa: ARG002
    ) -> None:
        try:
            seen = dict(_visited(page or [_newest_button_page()]))
            approved = script_inventory.load(inventory)
            if approve:
                today = timezone.localdate().isoformat()
                reasons = {one[0]: one[1] for one in reason}
                approved = script_inventory.approve(seen, approved, reasons=reasons, date=today)
                script_inventory.save(approved, inventory)
        except (PageNotFetched, BadInventory) as error:
            raise CommandError(str(error), returncode=_NOT_FETCHED) from error
        self._list(seen, approved)
        self._report(tuple(approved.changes(seen)))

    def _list(self, seen: dict[str, FetchedPage], approved: Inventory) -> None:
        for name, one in seen.items():
            self.stdout.write(name)
            for url, hashed in one.scripts.items():
                known = approved.scripts.get(url)
                why = f"{known.owner}: {known.reason}" if known else "not approved"
                self.stdout.write(f"  {url}\n    {hashed}\n    {why}")

    def _report(self, changes: tuple[str, ...]) -> None:
        if not changes:
            self.stdout.write("Everything is as it was approved.")
            return
        page_scripts_changed.send_robust(sender=type(self), changes=changes)
        raise CommandError("\n".join(changes), returncode=_CHANGED)


def _visited(urls: list[str]) -> list[tuple[str, FetchedPage]]:
    # A page that can be fetched has an address that can be read.
    pages = [(visit(url), url) for url in urls]
    return [(_name_of(url), page) for page, url in pages]


def _name_of(url: str) -> str:
    """Return a page's name without the part that differs between orders: the token in our own URL."""
    parts = urlsplit(url)
    place = reverse("wallet_gateway:pay", args=["*"])
    before, _, after = place.partition("*")
    path = place if parts.path.startswith(before) and parts.path.endswith(after) else parts.path
    return f"{parts.scheme}://{parts.netloc}{path}"


def _newest_button_page() -> str:
    orders = PaymentOrder.objects.order_by("-pk")[:_NEWEST]
    order = next((order for order in orders if order.is_payable), None)
    if order is None:
        raise PageNotFetched("no order can be paid, so there is no page with a button; name one with --page")
    return conf.gateway_settings(order.gateway).public_origin + reverse(
        "wallet_gateway:pay", args=[order.token]
    )
