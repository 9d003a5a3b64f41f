"""Databases that the run makes itself, servers with a folder and a port of their own, and ends again.

Nothing is ever done to a server that was there before.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proof.results import NotRun

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Database:
    """A database that nothing is done to but what the shop does."""

    url: str


@contextmanager
def own_sqlite() -> Iterator[Database]:
    """Give a file for a database."""
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as folder:
        yield Database(f"sqlite:///{Path(folder, 'shop.sqlite3')}")


def program(*names: str) -> str:
    """Return the path of the first of these programs that is installed; raises `NotRun`."""
    folders = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *folders])
    for name in names:
        if found := shutil.which(name, path=path):
            return found
    raise NotRun(f"{' or '.join(names)} is not installed")


@contextmanager
def _folder(user: str) -> Iterator[tuple[Path, str | None]]:
    """Give a folder, and whom its server runs as: some refuse to be root."""
    account = None
    if os.geteuid() == 0:
        try:
            account = pwd.getpwnam(user).pw_name
        except KeyError:
            raise NotRun(f"there is no user {user} on this machine") from None
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as name:
        if account is not None:
            shutil.chown(name, account)
        yield Path(name), account


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _served(command: Sequence[object], *, port: int, user: str | None, folder: Path) -> Iterator[None]:
    """Run a server in the foreground of a process, from when it takes connections; raises `NotRun`."""
    log = folder / "log"
    with log.open("ab") as output:
        process = subprocess.Popen(list(map(str, command)), user=user, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + _PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(encoding="utf-8", errors="replace")[-400:]
                raise NotRun(f"{command[0]} did not start: {said}")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Postgres:
    """A PostgreSQL that any process of the run may restart."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder, self.port, self._user = folder, _free_port(), user
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        options = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": folder,
            "max_connections": 100,
            # A restart is no power cut: the operating system keeps what was written.
            "fsync": "off",
            "deadlock_timeout": "100ms",
        }
        self._options = " ".join(f"-c {name}={value}" for name, value in options.items())

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._control("start", "-l", str(self.folder / "log"), "-o", self._options)

    def stop(self, mode: str = "fast") -> None:
        """End it in order; `immediate` is as by SIGKILL: what is not committed is lost."""
        self._control("stop", "-m", mode)

    def restart(self) -> None:
        """End it at once and start it again."""
        self.stop("immediate")
        self.start()

    def go_away_for(self, seconds: float) -> None:
        """End it at once; somebody else starts it later."""
        self.stop("immediate")
        if os.fork() == 0:
            time.sleep(seconds)
            self.start()
            os._exit(0)

    def wait(self) -> None:
        """Wait until it takes connections."""
        import psycopg

        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                connected(self.url).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _control(self, *words: str) -> None:
        command = [program("pg_ctl"), "-D", str(self.folder / "data"), "-w", "-s", *words]
        null = subprocess.DEVNULL
        subprocess.run(
            command, user=self._user, check=True, cwd=self.folder, stdin=null, stdout=null, stderr=null
        )


def connected(url: str) -> Any:  # noqa: ANN401 - the driver may be missing
    """Return a connection to a PostgreSQL, beside those of Django."""
    import psycopg

    return psycopg.connect(url.replace("postgres:", "postgresql:", 1), autocommit=True)


@contextmanager
def own_postgres() -> Iterator[Postgres]:
    """Start a PostgreSQL with an empty database; raises `NotRun`."""
    initdb = program("initdb")
    with _folder("postgres") as (folder, user):
        command = [initdb, "--pgdata", str(folder / "data"), "--username", "postgres", "--auth", "trust"]
        subprocess.run([*command, "--no-sync"], user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        server = Postgres(folder, user)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def own_mariadb() -> Iterator[Database]:
    """Start a MariaDB with an empty database; raises `NotRun`."""
    install, mariadbd = program("mariadb-install-db", "mysql_install_db"), program("mariadbd", "mysqld")
    with _folder("mysql") as (folder, user):
        data, port = folder / "data", _free_port()
        command = [install, "--no-defaults", f"--datadir={data}", "--skip-test-db"]
        command += ["--auth-root-authentication-method=normal"]
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = {
            "datadir": data,
            "port": port,
            "socket": folder / "socket",
            "bind-address": "127.0.0.1",
            "innodb-flush-log-at-trx-commit": 2,
            "character-set-server": "utf8mb4",
        }
        settings = [f"--{name}={value}" for name, value in options.items()]
        with _served([mariadbd, "--no-defaults", *settings], port=port, user=user, folder=folder):
            import MySQLdb  # type: ignore[import-untyped]

            connection = MySQLdb.connect(host="127.0.0.1", port=port, user="root")
            with connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE shop")
            connection.close()
            yield Database(f"mysql://root@127.0.0.1:{port}/shop")


@contextmanager
def own_pgbouncer() -> Iterator[Database]:
    """Start a PgBouncer in transaction mode before a PostgreSQL; raises `NotRun`."""
    pgbouncer = program("pgbouncer")
    with own_postgres() as postgres, _folder("postgres") as (folder, user):
        port = _free_port()
        lines = [
            "[databases]",
            f"* = host=127.0.0.1 port={postgres.port} user=postgres",
            "[pgbouncer]",
            "listen_addr = 127.0.0.1",
            f"listen_port = {port}",
            "unix_socket_dir =",
            "auth_type = any",
            f"auth_file = {folder / 'users'}",
            "pool_mode = transaction",
            "default_pool_size = 8",
            "ignore_startup_parameters = extra_float_digits,options",
        ]
        for name, text in (("users", '"postgres" ""'), ("settings", "\n".join(lines))):
            (folder / name).write_text(f"{text}\n", encoding="utf-8")
            (folder / name).chmod(0o644)
        with _served([pgbouncer, folder / "settings"], port=port, user=user, folder=folder):
            yield Database(f"postgres://postgres@127.0.0.1:{port}/postgres")


@dataclass(frozen=True, slots=True)
class SmallPostgres:
    """A PostgreSQL whose tables lie on a small file system, and what fills that."""

    url: str
    filling: Path

    def fill(self) -> None:
        """Leave not one byte."""
        with contextlib.suppress(OSError), self.filling.open("wb", buffering=0) as filling:
            while True:
                try:
                    filling.write(b"\0" * 65_536)
                except OSError:
                    filling.write(b"\0" * 4_096)

    def empty(self) -> None:
        """Give the room back."""
        self.filling.unlink(missing_ok=True)


@contextmanager
def small_postgres() -> Iterator[SmallPostgres]:
    """Start a PostgreSQL on a small disk; raises `NotRun` where none can be mounted, which only root may."""
    if os.geteuid() != 0:
        raise NotRun("only root mounts a small file system to fill")
    with own_postgres() as server, _mounted(server.folder / "disk", megabytes=96) as disk:
        with connected(server.url) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}/tables'".encode())
            connection.execute(b"CREATE DATABASE small TABLESPACE small")
        small = SmallPostgres(server.url.removesuffix("/postgres") + "/small", disk / "filling")
        try:
            yield small
        finally:
            small.empty()
            server.restart()
            with connected(server.url) as connection:
                connection.execute(b"DROP DATABASE small WITH (FORCE)")
                connection.execute(b"DROP TABLESPACE small")


@contextmanager
def _mounted(disk: Path, *, megabytes: int) -> Iterator[Path]:
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)]
    mounting = subprocess.run(command, check=False, capture_output=True, text=True)
    if mounting.returncode:
        raise NotRun(f"no small file system can be mounted: {mounting.stderr.strip()}")
    try:
        (disk / "tables").mkdir()
        shutil.chown(disk / "tables", "postgres")
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
