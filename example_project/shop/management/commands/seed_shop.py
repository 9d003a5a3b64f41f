"""`manage.py seed_shop`: create the catalogue and two staff users. Running it again is harmless."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from example_project.shop.seeding import seed_catalogue, seed_staff

STAFF_NAMES = ("staff", "colleague")
"""Two, because a refund above a limit needs a second person."""
# Public, because it is in this file; so it is used in debug mode only.
STAFF_PASSWORD = "clay-and-larks"  # noqa: S105 - the demo's printed login, no secret


class Command(BaseCommand):
    """Fill the catalogue and create the staff users."""

    help = "Fills the catalogue and makes two staff users; running it again changes nothing that is sold."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--staff-password", default="", help="Needed outside debug mode, where no default is given."
        )

    def handle(self, *_args: Any, staff_password: str, **_options: Any) -> None:
        count = seed_catalogue()
        self.stdout.write(f"{count} products in the catalogue.")
        password = staff_password or (STAFF_PASSWORD if settings.DEBUG else "")
        if not password:
            self.stdout.write("No staff users made: give --staff-password outside debug mode.")
            return
        for name in STAFF_NAMES:
            seed_staff(name, password, is_reset=bool(staff_password))
        self.stdout.write(f"Staff users {' and '.join(STAFF_NAMES)} are ready.")
