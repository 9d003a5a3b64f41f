"""A gateway that answers at once: nginx with fixed answers where it is installed, elsewhere `bench.stub`."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.processes import running, started, wait_for
from bench.stub import answers
from proof.database_faults.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

NGINX = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 256; }}
http {{
    access_log off;
    default_type application/json;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    client_max_body_size 10m;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
{locations}
    }}
}}
"""


def has_nginx() -> bool:
    """Return whether nginx is installed."""
    return _nginx() is not None


def _nginx() -> str | None:
    # Debian has it where only root looks.
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextlib.contextmanager
def quick_gateway() -> Iterator[str]:
    """Give the address of a gateway that takes next to nothing of the cores."""
    if (program := _nginx()) is None:
        with stub_gateway() as origin:
            yield origin
        return
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "nginx.conf")
        settings.write_text(_settings(folder, port, origin), encoding="utf-8")
        with started([program, "-p", folder, "-c", str(settings)], stderr=subprocess.DEVNULL):
            wait_for(port)
            yield origin


@contextlib.contextmanager
def stub_gateway() -> Iterator[str]:
    """Give the address of a gateway in Python: it costs the caller's own thread nothing."""
    with running(["bench.stub"]) as process:
        assert process.stdout
        yield process.stdout.readline().strip()


def _settings(folder: str, port: int, origin: str) -> str:
    locations = "\n".join(
        f"        location = {path} {{ return 200 '{json.dumps(answer)}'; }}"
        for path, answer in answers(origin).items()
    )
    return NGINX.format(folder=folder, port=port, locations=locations)
