"""The instants of an operation at which its process may be killed: counted in a first run, met in the others.

They lie before everything that leaves the process: each statement, each COMMIT, connecting to the database,
each step of a request to the gateway. What is after one of them is before the next, or at the end.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from wallet_gateway.client.connection import Connection, GatewayAdapter

_WORDS = 40
"""How much of a statement names its instant."""


def die() -> NoReturn:
    """End this process at once, as the operating system would: nothing is rolled back, flushed or told."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody survives SIGKILL")


@dataclass
class Instants:
    """Counts the instants that are reached, and lets something happen at the one that is `fatal`."""

    fatal: int | str | None = None
    """Its number or its name."""
    happens: Callable[[], object] = die
    """The end of the process, or another misfortune."""
    reached: list[str] = field(default_factory=list)
    # Again by the same thread, where what happens has statements of its own.
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def reach(self, name: str, last_act: Callable[[], object] | None = None) -> None:
        """Pass an instant. `last_act` is what a process that dies here has still done."""
        with self._lock:
            self.reached.append(name)
            if self.fatal in (len(self.reached) - 1, name):
                if last_act is not None and self.happens is die:
                    last_act()
                self.happens()

    def watch(self) -> None:
        """Let every statement and request pass by here. There is no way back: the process is forked."""
        self._watch_statements()
        self._watch_commits()
        self._watch_requests()

    def _before(self, owner: type, method: str, name: str) -> None:
        original = getattr(owner, method)

        def pass_by(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the method returns
            self.reach(name)
            return original(*args, **kwargs)

        setattr(owner, method, pass_by)

    def _watch_statements(self) -> None:
        cursor_class: Any = CursorWrapper
        original = cursor_class._execute_with_wrappers

        def execute(cursor: CursorWrapper, sql: str, *rest: Any, **options: Any) -> Any:  # noqa: ANN401
            self.reach(f"before {' '.join(str(sql).split())[:_WORDS]}")
            return original(cursor, sql, *rest, **options)

        cursor_class._execute_with_wrappers = execute

    def _watch_commits(self) -> None:
        self._before(BaseDatabaseWrapper, "_commit", "before COMMIT")
        self._before(BaseDatabaseWrapper, "_rollback", "before ROLLBACK")
        self._before(BaseDatabaseWrapper, "connect", "before connecting to the database")

    def _watch_requests(self) -> None:
        self._before(Connection, "connect", "before connecting to the gateway")
        original, heard, exchange = Connection.send, Connection.getresponse, GatewayAdapter.exchange

        def send(connection: Connection, data: bytes) -> None:
            if connection.sock is None:
                connection.connect()
            self._pass_sending(connection, data)
            original(connection, data)

        def getresponse(connection: Connection) -> Any:  # noqa: ANN401
            self.reach("request sent")
            self.reach("answer on its way", lambda: _first_byte_of_answer(connection))
            return heard(connection)

        def whole(adapter: GatewayAdapter, *given: Any) -> Any:  # noqa: ANN401
            answer = exchange(adapter, *given)
            self.reach("answer read")
            return answer

        Connection.send = send  # type: ignore[method-assign, assignment]
        Connection.getresponse = getresponse  # type: ignore[method-assign, assignment]
        GatewayAdapter.exchange = whole  # type: ignore[method-assign, assignment]

    def _pass_sending(self, connection: Connection, message: bytes) -> None:
        self.reach("before the first byte")
        self.reach("after the first byte", lambda: connection.sock.sendall(message[:1]))
        self.reach("half of the request sent", lambda: connection.sock.sendall(message[: len(message) // 2]))


def _first_byte_of_answer(connection: Connection) -> None:
    select.select([connection.sock], [], [], 30.0)
