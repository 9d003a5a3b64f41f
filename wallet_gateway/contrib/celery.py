"""The sweep as a Celery task, and the schedule entry for Celery beat.

The queue is in the database rows and a message is only a hint: a lost, late or duplicate message changes
nothing. In the shop's settings::

    from wallet_gateway.contrib.celery import BEAT_SCHEDULE

    CELERY_IMPORTS = ["wallet_gateway.contrib.celery"]
    CELERY_BEAT_SCHEDULE = {**BEAT_SCHEDULE}

Needs the extra `django-wallet-gateway[celery]`.
"""

from __future__ import annotations

from typing import Any, Final

from celery import shared_task

EVERY_SECONDS: Final = 30.0
NAME: Final = "wallet_gateway.sweep"


def run_sweep() -> int:
    """Sweep every gateway once and return the number of status queries sent."""
    # Beat reads the schedule from a shop's settings, before any model can be loaded.
    from wallet_gateway import payments

    return sum(report.queried + report.queried_again for report in payments.sweep())


sweep: Final[Any] = shared_task(run_sweep, name=NAME, ignore_result=True)
"""The task; `sweep.delay()` requests a sweep from any worker now."""

BEAT_SCHEDULE: Final[dict[str, dict[str, Any]]] = {
    # An expired message has no information that the next one does not have.
    "wallet-gateway-sweep": {"task": NAME, "schedule": EVERY_SECONDS, "options": {"expires": EVERY_SECONDS}},
}
