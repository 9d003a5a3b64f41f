"""The sweep as a task of Django: `django.tasks` from Django 6.0 on, its backport `django-tasks` on 5.2.

Rows are the queue, a task is only a hint: one that is lost, late or run twice changes nothing. Django has no
schedule of its own, so whatever schedules tasks in the shop calls::

    from wallet_gateway.contrib.django_tasks import sweep

    sweep.enqueue()

With Django's immediate backend that sweeps at once, in the calling thread, and must not happen inside a
database transaction. On 5.2 it needs the extra `django-wallet-gateway[tasks]`.
"""

from __future__ import annotations

try:
    from django.tasks import task
except ImportError:  # Django 5.2
    from django_tasks import task  # type: ignore[no-redef]

from wallet_gateway import payments


@task
def sweep() -> int:
    """Sweep every gateway once; return how many status queries were asked."""
    return sum(report.asked for report in payments.sweep())
