"""A transport that calls a WSGI application in this process, for tests that need no sockets."""

from __future__ import annotations

import http.client
import io
import sys
from collections.abc import Mapping
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any, Final, Self, cast
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.util import setup_testing_defaults

from wallet_gateway.client.errors import AnswerTooLarge
from wallet_gateway.client.transport import Auth, BaseTransport, Limits, RequestDeadline

if TYPE_CHECKING:
    from types import TracebackType
    from wsgiref.types import WSGIApplication, WSGIEnvironment

    from requests import PreparedRequest
    from urllib3 import HTTPResponse

    ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

_PORTS: Final = {"http": 80, "https": 443}
# CGI names these two without the prefix that all other headers have.
_CGI_NAMES: Final = {"CONTENT_TYPE", "CONTENT_LENGTH"}


class InProcessTransport(BaseTransport):
    """Calls a WSGI application as `HttpTransport` calls a gateway: each request once, in the caller's thread.

    An exception of the application is an OutcomeUnknown, for it may have done its work before.
    So is an answer that is cut off, too large, not HTTP, or late. Such a call returns only when the
    application does: it cannot be interrupted.

    :param application: the WSGI application that answers in place of a gateway.
    :param base_url: the address that the application sees; nothing connects to it.
    :param total_timeout: seconds after which an answer is late.
    :param max_answer_bytes: length above which an answer is too large.
    :param auth: may set headers of each request, and nothing else; none if not given.
    """

    def __init__(
        self,
        application: WSGIApplication,
        *,
        base_url: str = "https://gateway.invalid",
        total_timeout: float = 30.0,
        max_answer_bytes: int = 1_048_576,
        auth: Auth | None = None,
    ) -> None:
        url = urlsplit(base_url)
        if url.scheme not in _PORTS or not url.hostname:
            raise ValueError("base_url is not a web address; give https://host[:port][/path]")
        limits = Limits(total=total_timeout, max_answer_bytes=max_answer_bytes)
        super().__init__(f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}", limits, auth)
        self._application = application
        self._url = url

    def exchange(
        self,
        request: PreparedRequest,
        deadline: RequestDeadline,
        *,
        fresh: bool,  # noqa: ARG002
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Call the application once."""
        # Here, because requests takes long to import.
        from wallet_gateway.client.connection import read_body

        environ, answer = self._environ(request), _Answer(limit=self._limits.max_answer_bytes)
        deadline.doing = "calling the application"
        deadline.mark_sent()
        parts = self._application(environ, answer.start)
        # PEP 3333: what the application returns is closed if it can be, read to its end or not.
        with closing(cast(Any, parts)) if hasattr(parts, "close") else nullcontext():
            for part in parts:
                answer.write(part)
        deadline.timeout(self._limits.total)
        received = answer.received(str(request.method))
        deadline.doing = f"reading the answer (HTTP {received.status})"
        body = read_body(received, limit=self._limits.max_answer_bytes)
        return received.status, received.headers, body

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def _environ(self, request: PreparedRequest) -> WSGIEnvironment:
        path, _, query = request.path_url.partition("?")
        port = self._url.port or _PORTS[self._url.scheme]
        headers = {}
        for name, value in request.headers.items():
            if any(character in name + value for character in "\r\n"):
                raise ValueError("a header has a line break")
            cgi_name = name.upper().replace("-", "_")
            # What could not be written on a connection raises UnicodeEncodeError here as well.
            latin = value.encode("latin-1").decode("latin-1")
            headers[cgi_name if cgi_name in _CGI_NAMES else f"HTTP_{cgi_name}"] = latin
        environ: WSGIEnvironment = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": self._url.hostname or "",
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": self._url.netloc,
            "wsgi.url_scheme": self._url.scheme,
            "wsgi.input": io.BytesIO(cast(bytes, request.body or b"")),
            "wsgi.errors": sys.stderr,
            **headers,
        }
        setup_testing_defaults(environ)
        return environ


class _Answer:
    """What the application answers, put together as PEP 3333 has it and read as from a connection."""

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._head: list[str] = []
        self._body = bytearray()

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None, /) -> Any:  # noqa: ANN401  (the type of wsgiref's StartResponse)
        """Take status and headers; a second time only for an error, and before any part of the body."""
        if self._head and (exc_info is None or self._body):
            raise (exc_info and exc_info[1]) or http.client.CannotSendHeader
        self._head = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        return self.write

    def write(self, part: bytes) -> None:
        """Take a part of the body."""
        if not self._head:
            raise http.client.BadStatusLine("")
        self._body += part
        if len(self._body) > self._limit:
            raise AnswerTooLarge(f"an answer may have {self._limit} bytes, packed and unpacked")

    def received(self, method: str) -> HTTPResponse:
        """Return the answer as urllib3 has one of a connection; raises http.client's exceptions."""
        from urllib3 import HTTPResponse

        head = "\r\n".join(self._head or [""]).encode("latin-1")
        answer = http.client.HTTPResponse(cast(Any, _Stream(head + b"\r\n\r\n" + self._body)), method=method)
        answer.begin()
        return HTTPResponse(
            answer,
            dict(answer.getheaders()),
            status=answer.status,
            preload_content=False,
            decode_content=False,
            request_method=method,
        )


class _Stream(io.BytesIO):
    """A connection from which an answer can be read."""

    def makefile(self, _mode: str) -> Self:
        """Return itself."""
        return self
