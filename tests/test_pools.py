"""Shops connect through pools: a whole order through psycopg's, bound by the server, and behind PgBouncer.

Both need the PostgreSQL of `POSTGRES_URL`; a machine without it, or without PgBouncer, says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from wallet_gateway.testing.sandbox import SandboxServer

pytestmark = [pytest.mark.wire, pytest.mark.slow]
psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
POSTGRES = os.environ.get("POSTGRES_URL") or "postgres://postgres@127.0.0.1:5432/test"
POOL = {"pool": {"min_size": 1, "max_size": 4}, "server_side_binding": True}


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a database of these tests' own: the first walk makes the tables."""
    name = f"wallet_gateway_pools_{uuid.uuid4().hex}"
    server = urlsplit(POSTGRES)._replace(scheme="postgresql", path="/postgres").geturl()
    try:
        connection = psycopg.connect(server, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as silent:
        pytest.skip(f"PostgreSQL does not answer at {urlsplit(POSTGRES).netloc}: {silent}")
    with contextlib.closing(connection):
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlsplit(POSTGRES)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def walk(database: str, options: dict[str, object], gateway: str) -> list[object]:
    command = [sys.executable, "-m", "tests.support.whole_order", gateway]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database,
        "DATABASE_OPTIONS": json.dumps(options),
    }
    walked = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert walked.returncode == 0, walked.stderr
    told: list[object] = json.loads(walked.stdout.splitlines()[-1])
    return told


@contextlib.contextmanager
def pgbouncer(server: str) -> Iterator[int]:
    """Run a PgBouncer in transaction mode before a server; give its port."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed (Debian: pgbouncer)")
    # It refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    url = urlsplit(server)
    login = (url.username or "postgres") + (f" password={url.password}" if url.password else "")
    with tempfile.TemporaryDirectory() as folder:
        # The other user reads it.
        Path(folder).chmod(0o755)
        settings = Path(folder) / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={url.hostname} port={url.port or 5432} user={login}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            "auth_type = any\n"
            "pool_mode = transaction\nignore_startup_parameters = extra_float_digits,options\n",
            encoding="utf-8",
        )
        with subprocess.Popen([program, settings], user=user, stderr=subprocess.PIPE, text=True) as process:
            try:
                while not _answers(port):
                    assert process.poll() is None, process.communicate()[1]
                    time.sleep(0.1)
                yield port
            finally:
                process.terminate()
                process.communicate()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("behind", [None, "pgbouncer"])
def test_a_whole_order_is_paid_through_a_pool(
    behind: str | None, database: str, wallet_sandbox_server: SandboxServer
) -> None:
    with contextlib.ExitStack() as stack:
        options: dict[str, object] = POOL
        if behind:
            port = stack.enter_context(pgbouncer(POSTGRES))
            # A cursor of the server's belongs to a connection, and the next transaction has another one.
            there = urlsplit(database)._replace(netloc=f"postgres@127.0.0.1:{port}").geturl()
            database, options = f"{there}?disable_server_side_cursors=True", {}
        walked = walk(database, options, wallet_sandbox_server.base_url)
    assert walked == ["PART_REFUNDED", 1000, 250]
