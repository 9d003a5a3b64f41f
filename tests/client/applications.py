"""WSGI applications that stand for a gateway, and a server that makes them a gateway over real sockets."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, cast
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


@dataclass
class Application:
    """Answers every request with the same words, and remembers what it was asked."""

    body: bytes = b"{}"
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    error: BaseException | None = None
    requests: list[WSGIEnvironment] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.requests.append(environ)
        self.bodies.append(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        if self.error is not None:
            raise self.error
        given = {name.lower() for name, _ in self.headers}
        usual = [("Content-Type", "application/json"), ("Content-Length", str(len(self.body)))]
        start_response(self.status, [*self.headers, *(one for one in usual if one[0].lower() not in given)])
        return [self.body]


class _QuietHandler(ServerHandler):
    def log_exception(self, exc_info: object) -> None:
        """Print nothing: the tests let applications fail on purpose."""


class _QuietRequestHandler(WSGIRequestHandler):
    def handle(self) -> None:
        self.raw_requestline = self.rfile.readline(65_537)
        if self.parse_request():
            handler = _QuietHandler(
                self.rfile, cast(IO[bytes], self.wfile), self.get_stderr(), self.get_environ()
            )
            handler.request_handler = self  # type: ignore[attr-defined]
            handler.run(self.server.get_app())  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing."""


@contextlib.contextmanager
def served(application: Application) -> Iterator[str]:
    """Serve an application on a free port, and give its address."""
    with make_server("127.0.0.1", 0, application, handler_class=_QuietRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
