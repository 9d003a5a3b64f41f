"""Child processes of the demo: start them, wait until they answer, stop them cleanly. No shop, no payment."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.fernet import Fernet

HOST = "127.0.0.1"
SECONDS_TO_ANSWER = 60.0
SECONDS_TO_END = 10.0
LINES_OF_LOG = 15


class ServiceFailed(RuntimeError):
    """A service ended by itself or never answered; the message contains the end of its log."""


@dataclass(kw_only=True)
class Service:
    """One child process with a log file; `port` is where its readiness is checked."""

    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    port: int | None = None
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process in its own session, so that Ctrl-C reaches only the demo."""
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours, no shell reads it
                self.command,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def check(self) -> None:
        """Raise `ServiceFailed` when the process has ended."""
        if self._process is None or self._process.poll() is not None:
            raise ServiceFailed(f"The {self.name} has ended.\n{self._end_of_log()}")

    def answers(self) -> bool:
        """Return whether the service answers an HTTP request, with any status."""
        self.check()
        return self.port is None or _answers(self.port)

    def stop(self) -> None:
        """Terminate the process, and kill it if it does not end."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _end_of_log(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LINES_OF_LOG:])


def wait_until_all_answer(services: list[Service]) -> None:
    """Return when every service answers; raises `ServiceFailed` when one ends or takes too long."""
    give_up_at = time.monotonic() + SECONDS_TO_ANSWER
    for service in services:
        while not service.answers():
            if time.monotonic() > give_up_at:
                raise ServiceFailed(
                    f"The {service.name} does not answer after {SECONDS_TO_ANSWER:.0f} seconds."
                )
            time.sleep(0.1)


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port that was just released counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def python(*arguments: str) -> list[str]:
    """Return a command line for the current Python."""
    return [sys.executable, *arguments]


def environment_for(shop_port: int, gateway_url: str, **more: str) -> dict[str, str]:
    """Return our environment, with the shop's settings pointing at a sandbox's built-in merchant."""
    account = {
        "BASE_URL": gateway_url,
        "MERCHANT_ID": "SANDBOX-MERCHANT",
        "STORE_ID": "SANDBOX-STORE",
        "USER_ID": "sandbox-user",
        "PROVIDER": "ExampleWalletV2",
    }
    return {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "WALLET_GATEWAY__PUBLIC_ORIGIN": f"http://{HOST}:{shop_port}",
        **{f"WALLET_GATEWAY__GATEWAYS__DEFAULT__{name}": value for name, value in account.items()},
        # One key for shop and sweep; data encrypted with an earlier demo's key is fetched again.
        "WALLET_GATEWAY__FERNET_KEYS": Fernet.generate_key().decode(),
        **more,
    }


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
