"""A shop's Celery application, as its documentation says to write one."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.contrib.worker_settings")

app = Celery("shop", broker=os.environ["WORKER_BROKER"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_default_queue = os.environ["WORKER_QUEUE"]
app.conf.worker_prefetch_multiplier = 1
