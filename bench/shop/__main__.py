"""Prepares the measured shop: ``python -m bench.shop COUNT`` makes its tables and so many orders."""

from __future__ import annotations

import os
import sys

import django
from django.core.management import call_command

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.shop.settings")
    django.setup()
    from bench.shop.views import make_orders

    call_command("migrate", run_syncdb=True, verbosity=0)
    make_orders(int(sys.argv[1]))
