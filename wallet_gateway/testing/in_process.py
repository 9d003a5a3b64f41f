"""A transport that calls a WSGI application in this process, for tests that need no sockets."""

from __future__ import annotations

import http.client
import io
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote_to_bytes, urlsplit

from wallet_gateway.client.errors import AnswerTooLarge
from wallet_gateway.client.transport import KEPT_HEADERS, Auth, BaseTransport, Limits, RequestDeadline

if TYPE_CHECKING:
    from types import TracebackType
    from wsgiref.types import WSGIApplication, WSGIEnvironment

    from requests import PreparedRequest

    ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

_PORTS: Final = {"http": 80, "https": 443}
# CGI names these two without the prefix that all other headers have.
_CGI_NAMES: Final = {"CONTENT_TYPE", "CONTENT_LENGTH"}
_BODILESS: Final = (204, 304)


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
        environ, answer = self._environ(request), _Answer(limit=self._limits.max_answer_bytes)
        deadline.doing = "calling the application"
        deadline.mark_sent()
        parts = self._application(environ, answer.start)
        # PEP 3333: what the application returns is closed if it can be, read to its end or not.
        with closing(cast(Any, parts)) if hasattr(parts, "close") else nullcontext():
            answer.read(parts)
        deadline.timeout(self._limits.total)
        deadline.doing = f"reading the answer (HTTP {answer.status})"
        whole = answer.unpacked(answer.whole_body(str(request.method)))
        return answer.status, {name: answer.header(name) for name in KEPT_HEADERS}, whole

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
        return {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": self._url.hostname or "",
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": self._url.netloc,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": self._url.scheme,
            "wsgi.input": io.BytesIO(cast(bytes, request.body or b"")),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            **headers,
        }


class _Answer:
    """What the application answers, put together as PEP 3333 has it; raises http.client's exceptions."""

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._status_line = ""
        self._headers: list[tuple[str, str]] = []
        self._body = bytearray()

    @property
    def status(self) -> int:
        """The three digits of the status line."""
        code, _, _ = self._status_line.partition(" ")
        if len(code) != 3 or not (code.isascii() and code.isdigit()):
            raise http.client.BadStatusLine(self._status_line)
        return int(code)

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None, /) -> Any:  # noqa: ANN401  (the type of wsgiref's StartResponse)
        """Take status and headers; a second time only for an error, and before any part of the body."""
        if self._status_line and (exc_info is None or self._body):
            raise (exc_info and exc_info[1]) or http.client.CannotSendHeader
        self._status_line, self._headers = status, list(headers)
        return self._write

    def read(self, parts: Iterable[bytes]) -> None:
        """Take the whole body."""
        for part in parts:
            self._write(part)

    def header(self, name: str) -> str:
        """Return the first value of a header; empty without one."""
        return next((value for given, value in self._headers if given.lower() == name), "")

    def whole_body(self, method: str) -> bytes:
        """Return the body; raises IncompleteRead when it is not as long as promised."""
        if method == "HEAD" or self.status in _BODILESS:
            return b""
        body, promised = bytes(self._body), self.header("content-length")
        if not promised:
            return body
        if not (promised.isascii() and promised.isdigit()):
            raise http.client.HTTPException("Content-Length is not a number")
        if int(promised) > len(body):
            raise http.client.IncompleteRead(body, int(promised) - len(body))
        # A server would send no more than it has promised.
        return body[: int(promised)]

    def unpacked(self, body: bytes) -> bytes:
        """Return the body as it was before it was packed for the way."""
        # Here, because requests takes long to import.
        from urllib3 import HTTPResponse

        from wallet_gateway.client.connection import read_body

        packed = HTTPResponse(
            io.BytesIO(body),
            dict(self._headers),
            status=self.status,
            preload_content=False,
            decode_content=False,
        )
        return read_body(packed, limit=self._limit)

    def _write(self, part: bytes) -> None:
        if not self._status_line:
            raise http.client.BadStatusLine("")
        self._body += part
        if len(self._body) > self._limit:
            raise AnswerTooLarge(f"an answer may have {self._limit} bytes, packed and unpacked")
