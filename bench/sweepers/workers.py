"""Starts Celery workers on a queue of their own, gives them sweeps to do, and reads what it cost them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from celery import Celery

from bench.measure import LeftOut
from wallet_gateway.contrib.celery import NAME

BROKER = os.environ.get("BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
_TICKS = os.sysconf("SC_CLK_TCK")


class Workers:
    """Some Celery workers of one process each, and the shop's side of their queue."""

    def __init__(self, queue: Celery, processes: list[subprocess.Popen[bytes]]) -> None:
        self._queue, self._processes = queue, processes

    def sweep(self, times: int) -> None:
        """Request so many sweeps."""
        for _ in range(times):
            self._queue.send_task(NAME)

    def cpu_seconds(self) -> float:
        """Return the processor time of all of them since they began."""
        return sum(map(_cpu_seconds, (worker.pid for worker in self._processes)))


def _cpu_seconds(process: int) -> float:
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / _TICKS


@contextlib.contextmanager
def workers(count: int, environment: Mapping[str, str]) -> Iterator[Workers]:
    """Start so many workers, end them and remove their queue; raises `LeftOut` without a broker."""
    with _queue() as queue, tempfile.TemporaryFile() as log:
        name = queue.conf.task_default_queue
        environment = {**os.environ, **environment, "SWEEPERS_BROKER": BROKER, "SWEEPERS_QUEUE": name}
        command = [sys.executable, "-m", "celery", "-A", "bench.sweepers.app", "worker", "--pool", "solo"]
        command += ["--without-gossip", "--without-mingle"]
        hosts = [f"w{number}@{name}" for number in range(count)]
        processes = [
            subprocess.Popen([*command, "--hostname", host], env=environment, stdout=log, stderr=log)
            for host in hosts
        ]
        try:
            _wait_for(queue, hosts)
            yield Workers(queue, processes)
        finally:
            for worker in processes:
                worker.terminate()
            for worker in processes:
                worker.wait(60)


def _wait_for(queue: Celery, hosts: Sequence[str]) -> None:
    for _ in range(60):
        # Others may have workers at the same broker.
        if len(queue.control.ping(destination=hosts, timeout=2, limit=len(hosts))) == len(hosts):
            return
    raise LeftOut(f"{len(hosts)} Celery workers did not start")


@contextlib.contextmanager
def _queue() -> Iterator[Celery]:
    queue = Celery("shop", broker=BROKER)
    queue.conf.task_default_queue = f"wallet-bench-{uuid.uuid4().hex[:12]}"
    try:
        with queue.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1)
            yield queue
            broker.default_channel.queue_delete(queue.conf.task_default_queue)
    except queue.connection_for_write().connection_errors as silent:
        raise LeftOut("RabbitMQ does not answer") from silent
    finally:
        queue.close()
