"""A WSGI application that stands for a gateway."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
