"""A gateway that answers at once: nginx with fixed answers."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import LeftOut
from bench.processes import started, wait_for
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


def _nginx() -> str | None:
    # Debian has it where only root looks.
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextlib.contextmanager
def quick_gateway() -> Iterator[str]:
    """Give the address of a gateway that takes next to nothing of the cores."""
    if (program := _nginx()) is None:
        raise LeftOut("nginx is not installed")
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "nginx.conf")
        settings.write_text(_settings(folder, port, origin), encoding="utf-8")
        with started([program, "-p", folder, "-c", str(settings)], stderr=subprocess.DEVNULL):
            wait_for(port)
            yield origin


def _settings(folder: str, port: int, origin: str) -> str:
    locations = "\n".join(
        f"        location = {path} {{ return 200 '{json.dumps(answer)}'; }}"
        for path, answer in answers(origin).items()
    )
    return NGINX.format(folder=folder, port=port, locations=locations)


def answers(origin: str) -> dict[str, dict[str, Any]]:
    """Return the answer of each path, the same for every request."""
    # The page must be on a host that the client trusts.
    page = f"{origin}/checkout/stub"
    session = {
        "id": f"cs_test_{VARIABLE}",
        "object": "checkout.session",
        "amount_total": 8820,
        "created": 1768471800,
        "currency": "eur",
        "customer": None,
        "livemode": False,
        "metadata": {},
        "mode": "payment",
        "payment_intent": None,
        "payment_status": "unpaid",
        "setup_intent": None,
        "status": "open",
        "subscription": None,
        "url": page,
    }
    account = {"id": "acct_1", "object": "account", "livemode": False, "metadata": {}, "settings": {}}
    return {
        "/api/v5/checkout": {"redirectUrl": page},
        # Stripe's, for the comparison with other packages.
        "/v1/checkout/sessions": session,
        "/v1/account": account,
    }


VARIABLE = "$request_id"
"""Stands for 32 hexadecimal digits that are others in every answer, as nginx has it."""
