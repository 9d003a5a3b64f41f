"""Prepares the measured shop: ``python -m bench.shop`` makes its tables.

``python -m bench.shop SERIES LINES FIRST COUNT`` makes so many orders of so many lines, numbered from the
first on.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import django
from django.core.management import call_command
from django.db import connection


def prepare(*makers: str) -> None:
    """Do what the command line asks for; orders are made by `make_orders` of these modules."""
    django.setup()
    if not sys.argv[1:]:
        call_command("migrate", run_syncdb=True, verbosity=0)
        return
    series, *numbers = sys.argv[1:]
    for maker in makers:
        import_module(maker).make_orders(series, *map(int, numbers))
    with connection.cursor() as cursor:
        # Now, and not by PostgreSQL itself in the middle of a round.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.shop.settings")
    prepare("bench.shop.views")
