"""The shop of docs/how-to/asgi.md, served by a process of each ASGI server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

from tests.docs.pages import ROOT, steps
from tests.support.waiting import eventually
from wallet_gateway.conf import SANDBOX

LOG = "server.log"
PAGE = "docs/how-to/asgi.md"
SERVERS = {
    "uvicorn": ["--host", "127.0.0.1", "--port", "{port}", "shop_asgi:application"],
    "daphne": ["-b", "127.0.0.1", "-p", "{port}", "shop_asgi:application"],
    "granian": ["--interface", "asgi", "--host", "127.0.0.1", "--port", "{port}", "shop_asgi:application"],
}
_SETTINGS = """
from tests.settings import *

ROOT_URLCONF = "shop_urls"
WALLET_GATEWAY = WALLET_GATEWAY | {sandbox!r}
"""


def write_shop(folder: Path, *, gateway: str, origin: str) -> None:
    """Write the files of the page, and settings for the tests' database and the sandbox at an address."""
    for step in steps(PAGE):
        if name := step.directives.get("file"):
            (folder / name).write_text(step.text, encoding="utf-8")
    given = SANDBOX["GATEWAYS"]["default"] | {"BASE_URL": gateway}
    sandbox = {"PUBLIC_ORIGIN": origin, "GATEWAYS": {"default": given}}
    (folder / "shop_settings.py").write_text(_SETTINGS.format(sandbox=sandbox), encoding="utf-8")


@contextmanager
def served_shops(folder: Path, *, gateway: str) -> Iterator[dict[str, str]]:
    """Serve the shop by all servers at once until the block ends; give their addresses by name."""
    with ExitStack() as stack:
        started = {
            server: stack.enter_context(_served(server, folder / server, gateway)) for server in SERVERS
        }
        yield {
            server: _when_up(process, port, folder / server) for server, (process, port) in started.items()
        }


@contextmanager
def _served(server: str, folder: Path, gateway: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder.mkdir()
    write_shop(folder, gateway=gateway, origin=f"http://127.0.0.1:{port}")
    command = [sys.executable, "-m", server, *(word.format(port=port) for word in SERVERS[server])]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "shop_settings",
        "DATABASE_URL": _tests_database(),
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
    }
    with (folder / LOG).open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        yield process, port
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tests_database() -> str:
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def _when_up(process: subprocess.Popen[bytes], port: int, folder: Path) -> str:
    came_up = eventually(lambda: process.poll() is not None or _answers(port))
    log = (folder / LOG).read_text()
    assert came_up, log
    assert process.poll() is None, log
    return f"http://127.0.0.1:{port}"


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
