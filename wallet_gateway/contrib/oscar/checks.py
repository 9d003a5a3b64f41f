"""System checks: without its setting oscar places orders that nobody pays, and says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.checks import CheckMessage, Error
from oscar.core.loading import get_class, get_model

from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.contrib.oscar.loading import EXTENDED, is_extended


def check_shop(**_rest: Any) -> list[CheckMessage]:
    """Check that oscar uses our classes, and knows the status of a paid order."""
    return [*_classes(), *_status()]


def _classes() -> Iterator[CheckMessage]:
    missing = [path for path in EXTENDED if not is_extended(path, get_class(*path.rsplit(".", 1)))]
    if missing:
        hint = "Set OSCAR_DYNAMIC_CLASS_LOADER = 'wallet_gateway.contrib.oscar.loading.class_loader'."
        yield Error(
            f"Oscar takes no wallet payments: {', '.join(missing)}", hint=hint, id="wallet_oscar.E001"
        )


def _status() -> Iterator[CheckMessage]:
    status = config().paid_status
    if status not in get_model("order", "Order").all_statuses():
        hint = "Add it to OSCAR_ORDER_STATUS_PIPELINE, or name another one as paid_status of the app."
        yield Error(
            f"A paid order is to become {status!r}, which is no status.", hint=hint, id="wallet_oscar.E002"
        )
