"""Sets Django up on a database of the run's own, beside a sandbox, once in a process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from proof.kills.world import World


@contextmanager
def shop_on(database_url: str, environment: Mapping[str, str] | None = None) -> Iterator[World]:
    """Give the world of a run: tables are made, the gateway answers. Once in a process."""
    with SandboxServer() as gateway:
        os.environ |= {
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "proof.kills.settings",
            "PROOF_GATEWAY_URL": gateway.base_url,
            **(environment or {}),
        }
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0)
        from proof.kills.world import make_world

        yield make_world(gateway.base_url)
        connections.close_all()
