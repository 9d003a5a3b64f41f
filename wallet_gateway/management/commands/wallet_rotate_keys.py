"""`manage.py wallet_rotate_keys`: encrypt stored secrets, and hash e-mail addresses, under the newest key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from wallet_gateway import payments


class Command(BaseCommand):
    """Re-encrypt in batches; safe to interrupt, to repeat, and to run while the shop is open."""

    help = (
        "Encrypt secrets and hash e-mail addresses under the newest key; say whether older keys are needed."
    )

    def handle(self, **options: Any) -> None:  # noqa: ARG002
        done = payments.wallet.rotate_keys()
        self.stdout.write(f"{done.resealed} encrypted anew, {done.left} left, {done.unreadable} unreadable")
        if done.left:
            raise CommandError("something was written with an older key meanwhile: run this again")
        if done.unreadable:
            raise CommandError("some open with none of the FERNET_KEYS: put back the key they were made with")
        self.stdout.write("The older keys are needed no more, but by backups made before now.")
