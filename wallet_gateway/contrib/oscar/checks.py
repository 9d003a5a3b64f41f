"""System checks: without its setting oscar places orders that nobody pays, and says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from oscar.core.loading import get_class, get_model

from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.contrib.oscar.loading import EXTENDED, is_extended


def check_shop(**_rest: Any) -> list[CheckMessage]:
    """Check that oscar uses our classes, and knows the statuses of paid and of unpaid orders."""
    found: list[CheckMessage] = []
    missing = [path for path in EXTENDED if not is_extended(path, get_class(*path.rsplit(".", 1)))]
    if missing:
        hint = "Set OSCAR_DYNAMIC_CLASS_LOADER = 'wallet_gateway.contrib.oscar.loading.class_loader'."
        text = f"Oscar takes no wallet payments: {', '.join(missing)}"
        found.append(Error(text, hint=hint, id="wallet_oscar.E001"))
    found += _status("E002", "A paid order", "paid_status")
    if config().minutes_to_pay is not None:
        found += _status("E003", "An order that is not paid in time", "cancelled_status")
    return found


def _status(code: str, order: str, name: str) -> Iterator[CheckMessage]:
    status = getattr(config(), name)
    if status not in get_model("order", "Order").all_statuses():
        hint = f"Add it to OSCAR_ORDER_STATUS_PIPELINE, or name another one as {name} of the app."
        text = f"{order} is to become {status!r}, which is no status."
        yield Error(text, hint=hint, id=f"wallet_oscar.{code}")
