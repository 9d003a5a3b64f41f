"""The sweep as a Celery task: its name, its place in the beat, and a schedule that loads no model.

That several workers share the rows and one that is killed loses none is tested with processes of the sweep's
own: tests/money/polling/test_several_workers.py.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from celery import Celery

from wallet_gateway.contrib import celery as adapter


@pytest.mark.django_db(transaction=True)
def test_a_shops_beat_calls_the_task_by_its_name_and_it_says_how_many_were_asked() -> None:
    (entry,) = adapter.BEAT_SCHEDULE.values()
    assert entry["task"] == "wallet_gateway.sweep"
    assert entry["options"]["expires"] <= entry["schedule"], "a late message is as good as the next one"
    shop = Celery("shop")
    shop.conf.task_always_eager = True
    assert shop.tasks[entry["task"]].delay().get() == 0


def test_a_schedule_can_be_read_before_any_model_is_loaded() -> None:
    code = "from wallet_gateway.contrib.celery import BEAT_SCHEDULE; print(list(BEAT_SCHEDULE))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "['wallet-gateway-sweep']\n"
