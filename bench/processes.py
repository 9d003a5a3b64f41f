"""Starts the other parties of a measurement as processes of their own, and ends them."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PATIENCE = 30.0


@contextlib.contextmanager
def running(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run a Python module for as long as the block lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout
        process.stdout.close()


@contextlib.contextmanager
def stub_gateway() -> Iterator[str]:
    """Give the address of a gateway that answers at once."""
    with running(["bench.stub"]) as process:
        assert process.stdout
        yield process.stdout.readline().strip()


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Wait until somebody listens on a port."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")
