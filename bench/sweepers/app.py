"""The Celery application of the measured shop."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.sweepers.settings")

app = Celery("shop", broker=os.environ["SWEEPERS_BROKER"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_default_queue = os.environ["SWEEPERS_QUEUE"]
app.conf.worker_prefetch_multiplier = 1
