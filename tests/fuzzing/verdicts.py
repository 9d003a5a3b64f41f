"""One request to the application as a server hands it on, and everything that must not come of it."""

from __future__ import annotations

import io
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import got_request_exception, request_finished, request_started
from django.db import close_old_connections, connection
from django.db import transaction as db_transaction
from django.dispatch import Signal

from tests.fuzzing.hostile import CANARY
from tests.fuzzing.requests import Request
from wallet_gateway.signals import gateway_called

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

MOST_SECONDS = 1.0
"""Of processor time: how busy the machine is does not count."""
_WRITE = re.compile(
    r"\s*(?:INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO)\s+[\"`]?(\w+)", re.I
)
_DIGITS = re.compile(r"[\s.-]")


@dataclass
class Outcome:
    """What came of one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0
    faults: list[BaseException] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    """The tables in which a row has changed, with what was written."""
    sent: int = 0
    """Calls of a gateway."""
    logged: list[str] = field(default_factory=list)

    def fail(self, **_: object) -> None:
        """Note an exception that Django has answered."""
        self.faults.append(sys.exc_info()[1] or RuntimeError("an exception that nobody names"))

    def send(self, **_: object) -> None:
        """Note a call of a gateway."""
        self.sent += 1

    @property
    def written(self) -> set[str]:
        """The tables in which a row has changed; sessions are Django's."""
        return {table for table, _ in self.values} - {"django_session"}


def carry_out(request: Request) -> Outcome:
    """Answer one request as a server would have it answered, and take back what it has written."""
    outcome = Outcome()
    cache.clear()
    savepoint = db_transaction.savepoint()
    with _watching(outcome):
        try:
            _call(request, outcome)
        except Exception as fault:  # noqa: BLE001  whatever it is, it is the finding
            outcome.faults.append(fault)
    db_transaction.savepoint_rollback(savepoint)
    return outcome


def watched() -> tuple[WSGIApplication, Outcome]:
    """The application for another client, and what will have come of the request that it answers."""
    outcome = Outcome()

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with _watching(outcome):
            answered = WSGIHandler()(environ, start_response)
            try:
                return [b"".join(answered)]
            finally:
                answered.close()

    return answer, outcome


def _call(request: Request, outcome: Outcome) -> None:
    def start(line: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
        outcome.status = int(line.split()[0])
        outcome.headers = {name.lower(): value for name, value in headers}
        return lambda part: None

    answer = WSGIHandler()(environ(request), start)
    try:
        outcome.body = b"".join(answer)
    finally:
        answer.close()


def environ(request: Request) -> dict[str, Any]:
    """Write a request as PEP 3333 has it."""
    given = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(request.path).decode("latin-1"),
        "QUERY_STRING": request.query.decode("latin-1"),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "CONTENT_LENGTH": str(len(request.body)) if request.body else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        given[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    return given


@contextmanager
def _watching(outcome: Outcome) -> Iterator[None]:
    begun = time.thread_time()
    with ExitStack() as stack:
        stack.enter_context(_connection_kept())
        stack.enter_context(connection.execute_wrapper(_writes_to(outcome)))
        stack.enter_context(_log_to(outcome))
        stack.enter_context(_heard(got_request_exception, outcome.fail))
        stack.enter_context(_heard(gateway_called, outcome.send))
        yield
    outcome.seconds = time.thread_time() - begun


@contextmanager
def _connection_kept() -> Iterator[None]:
    """Keep the test's connection, as the test client of Django does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def _writes_to(outcome: Outcome) -> Callable[..., object]:
    def look(
        execute: Callable[..., object], sql: str, params: object, many: bool, context: Mapping[str, Any]
    ) -> object:
        result = execute(sql, params, many, context)
        found = _WRITE.match(sql)
        # An INSERT that returns the key counts its row only when that is fetched.
        if found and (context["cursor"].rowcount or "RETURNING" in sql):
            outcome.values.append((found[1], repr(params)))
        return result

    return look


@contextmanager
def _log_to(outcome: Outcome) -> Iterator[None]:
    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # Django names the field that nobody may refer to.
            if not record.name.startswith("django.security"):
                outcome.logged.append(self.format(record))

    listener, root = Listener(), logging.getLogger()
    root.addHandler(listener)
    try:
        yield
    finally:
        root.removeHandler(listener)


@contextmanager
def _heard(signal: Signal, hear: Callable[..., object]) -> Iterator[None]:
    signal.connect(hear)
    try:
        yield
    finally:
        signal.disconnect(hear)


def is_bad_input(status: int) -> bool:
    """Whether a request was refused for what it is; 409 may be the gateway's word, or that of a row."""
    return 400 <= status < 500 and status != HTTPStatus.CONFLICT


def holds_canary(text: str) -> bool:
    """Whether a text holds the card number, however it is spaced."""
    return CANARY in _DIGITS.sub("", text)
