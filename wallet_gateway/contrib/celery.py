"""The sweep as a task of Celery, and the entry by which its beat calls it.

Rows are the queue, a message is only a hint: one that is lost, late or delivered twice changes nothing. In
the shop's settings::

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
    """Sweep every gateway once; return how many status queries were asked."""
    # Beat reads the schedule from a shop's settings, when no model can be loaded yet.
    from wallet_gateway import payments

    return sum(report.asked for report in payments.sweep())


sweep: Final[Any] = shared_task(run_sweep, name=NAME, ignore_result=True)
"""The task; `sweep.delay()` asks any worker for a sweep now."""

BEAT_SCHEDULE: Final[dict[str, dict[str, Any]]] = {
    # A message that nobody took in time says nothing that the next one does not say.
    "wallet-gateway-sweep": {"task": NAME, "schedule": EVERY_SECONDS, "options": {"expires": EVERY_SECONDS}},
}
