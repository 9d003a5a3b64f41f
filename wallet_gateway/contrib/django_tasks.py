"""The sweep as a Django task: `django.tasks` from Django 6.0 on, its backport `django-tasks` on 5.2.

The queue is in the database rows and a task is only a hint: a lost, late or repeated task changes nothing.
Django has no schedule of its own, so the shop's own scheduler calls::

    from wallet_gateway.contrib.django_tasks import sweep

    sweep.enqueue()

With Django's immediate backend this sweeps at once, in the calling thread, and must not happen inside a
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
    """Sweep every gateway once and return the number of status queries sent."""
    return sum(report.queried + report.queried_again for report in payments.sweep())
