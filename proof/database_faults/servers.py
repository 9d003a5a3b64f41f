"""Database servers that the run starts itself, each with its own folder and port, and ends again.

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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from proof.kills.databases import NotRun, own_database

_PATIENCE = 60.0


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A server in the foreground of a process of its own."""

    def __init__(self, command: Sequence[str], *, url: str, port: int, user: str | None, log: Path) -> None:
        self._command, self.url, self.port, self._user, self._log = command, url, port, user, log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, user=self._user, stdout=log, stderr=log)
        deadline = time.monotonic() + _PATIENCE
        while not _answers(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise NotRun(f"{self._command[0]} did not start: {_tail(self._log)}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it in order, and by force when it does not end."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-400:]


def program(*names: str) -> str:
    """Return the path of the first of these programs that is installed; raises `NotRun`."""
    places = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/lib/postgresql"]
    folders = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    for name in names:
        found = shutil.which(name, path=os.pathsep.join([places[0], places[1], *folders]))
        if found:
            return found
    raise NotRun(f"{' or '.join(names)} is not installed")


def _service_user(*names: str) -> str | None:
    """Return whom a server runs as: some refuse to be root."""
    if os.geteuid() != 0:
        return None
    for name in names:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise NotRun(f"there is no user {' or '.join(names)} on this machine")


@contextmanager
def _folder(user: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wallet-gateway-proof-") as name:
        folder = Path(name)
        if user is not None:
            shutil.chown(folder, user)
        yield folder


class Postgres:
    """A PostgreSQL that any process of the run may restart."""

    def __init__(
        self, folder: Path, user: str | None, port: int, settings: Mapping[str, str] | None = None
    ) -> None:
        self.folder, self.port, self._user = folder, port, user
        options = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": folder,
            "max_connections": 100,
            # A restart is no power cut: the operating system keeps what was written.
            "fsync": "off",
            "deadlock_timeout": "100ms",
            **(settings or {}),
        }
        self._options = " ".join(f"-c {name}={value}" for name, value in options.items())

    @property
    def url(self) -> str:
        """The address of its first database."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._control("start", "-l", str(self.folder / "log"), "-o", self._options)

    def stop(self) -> None:
        """End it in order."""
        self._control("stop", "-m", "fast")

    def restart(self) -> None:
        """End it at once, as by SIGKILL, and start it again: what is not committed is lost."""
        self._control("stop", "-m", "immediate")
        self.start()

    def go_away_for(self, seconds: float) -> None:
        """End it at once; somebody else starts it later."""
        self._control("stop", "-m", "immediate")
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
                psycopg.connect(self.url.replace("postgres:", "postgresql:", 1)).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def _control(self, *words: str) -> None:
        command = [program("pg_ctl"), "-D", str(self.folder / "data"), "-w", "-s", *words]
        subprocess.run(
            command,
            user=self._user,
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


@contextmanager
def own_postgres(settings: Mapping[str, str] | None = None) -> Iterator[Postgres]:
    """Start a PostgreSQL of the run's own, with these settings, and an empty database. Raises `NotRun`."""
    initdb, user = program("initdb"), _service_user("postgres")
    with _folder(user) as folder:
        command = [
            initdb,
            "--pgdata",
            str(folder / "data"),
            "--username",
            "postgres",
            "--auth",
            "trust",
            "--no-sync",
        ]
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        server = Postgres(folder, user, free_port(), settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@dataclass(frozen=True, slots=True)
class File:
    """A database that has no server."""

    url: str


@contextmanager
def own_sqlite() -> Iterator[File]:
    """Give a file for a database of the run's own."""
    with own_database("sqlite") as url:
        yield File(url)


@contextmanager
def own_mariadb() -> Iterator[Server]:
    """Start a MariaDB of the run's own with an empty database. Raises `NotRun`."""
    install, mariadbd = program("mariadb-install-db", "mysql_install_db"), program("mariadbd", "mysqld")
    user = _service_user("mysql")
    with _folder(user) as folder:
        data, port = folder / "data", free_port()
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
        command, url = [mariadbd, "--no-defaults", *settings], f"mysql://root@127.0.0.1:{port}/shop"
        server = Server(command, url=url, port=port, user=user, log=folder / "log")
        server.start()
        try:
            _make_database(port)
            yield server
        finally:
            server.stop()


def _make_database(port: int) -> None:
    import MySQLdb  # type: ignore[import-untyped]

    connection = MySQLdb.connect(host="127.0.0.1", port=port, user="root")
    with connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE shop")
    connection.close()


@contextmanager
def own_pgbouncer() -> Iterator[Server]:
    """Start a PgBouncer in transaction mode before a PostgreSQL of its own. Raises `NotRun`."""
    pgbouncer, user = program("pgbouncer"), _service_user("postgres")
    with own_postgres() as postgres, _folder(user) as folder:
        port = free_port()
        (folder / "users").write_text('"postgres" ""\n', encoding="utf-8")
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
        settings = folder / "pgbouncer.ini"
        settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for path in (folder / "users", settings):
            path.chmod(0o644)
        url = f"postgres://postgres@127.0.0.1:{port}/postgres"
        server = Server([pgbouncer, str(settings)], url=url, port=port, user=user, log=folder / "log")
        server.start()
        try:
            yield server
        finally:
            server.stop()
