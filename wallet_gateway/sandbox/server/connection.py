"""One connection: requests are read off it in turn, given to the application and answered.

HTTP/1.1 with keep-alive, on the standard library's reader of request lines and headers. Nothing is logged for
a request that was answered; the journal has them all.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_to_bytes

from wallet_gateway.sandbox.server.bodies import (
    READ_OUT_BYTES,
    EndlessBody,
    UnreadableFraming,
    read_body,
)
from wallet_gateway.sandbox.server.delivery import KEY, Delivery, deliver

if TYPE_CHECKING:
    from wallet_gateway.sandbox.server.listener import GatewayServer

_LONGEST_REQUEST_LINE: Final = 65_536
_SECONDS_TO_HEAR_A_REFUSAL: Final = 2.0


class Connection(BaseHTTPRequestHandler):
    """Serves one client for as long as it stays."""

    server: GatewayServer
    protocol_version = "HTTP/1.1"
    timeout = 75
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        """Read one request and answer it; ``close_connection`` then tells whether another may follow."""
        self.close_connection = True
        self.command = self.request_version = ""
        # A client that goes away, or says nothing for long, is no news.
        with contextlib.suppress(TimeoutError, ConnectionError):
            self.raw_requestline = self.rfile.readline(_LONGEST_REQUEST_LINE + 1)
            if len(self.raw_requestline) > _LONGEST_REQUEST_LINE:
                self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)
            elif self.raw_requestline and self.parse_request():
                self._read_and_answer()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that never reached the application, in the service's error body, and close."""
        self.close_connection = True
        status = HTTPStatus(code)
        text = message or explain or status.description or status.phrase
        body = json.dumps({"code": f"4{code}000", "details": {"message": text}}).encode()
        self._send(f"{code} {status.phrase}", [("Content-Type", "application/json")], body, Delivery())
        self._let_the_refusal_be_heard()

    def _read_and_answer(self) -> None:
        keep_alive = not self.close_connection
        try:
            body = read_body(self.rfile, self.headers)
        except UnreadableFraming as error:
            self.send_error(HTTPStatus.BAD_REQUEST, str(error))
        except EndlessBody as error:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error))
        else:
            self.close_connection = not (self._answer(body) and keep_alive and not self.server.is_ending)

    def _answer(self, body: bytes) -> bool:
        delivery = Delivery()
        status, headers = "", list[tuple[str, str]]()

        def start_response(line: str, fields: list[tuple[str, str]], _exc_info: object = None) -> None:
            nonlocal status, headers
            status, headers = line, fields

        answer = self.server.application(self._environ(body, delivery), start_response)
        try:
            content = b"".join(answer)
        finally:
            answer.close()
        return self._send(status, headers, content, delivery)

    def _environ(self, body: bytes, delivery: Delivery) -> dict[str, Any]:
        path, _, query = self.path.partition("?")
        host, port = self.server.server_address[:2]
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            # PATH_INFO carries bytes dressed as latin-1, as PEP 3333 wants.
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": str(host),
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0],
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            KEY: delivery,
        }
        for name, value in self.headers.items():
            _add_header(environ, name, value)
        return environ

    def _send(self, status: str, headers: list[tuple[str, str]], body: bytes, delivery: Delivery) -> bool:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        lines.append(f"Date: {formatdate(usegmt=True)}")
        if not any(name.lower() == "content-length" for name, _ in headers):
            lines.append(f"Content-Length: {len(body)}")
        if self.close_connection:
            lines.append("Connection: close")
        elif self.request_version == "HTTP/1.0":
            lines.append("Connection: keep-alive")
        head = "\r\n".join((*lines, "", "")).encode("latin-1")
        sent = b"" if self.command == "HEAD" or status.startswith(("204", "304")) else body
        return deliver(self.connection, head=head, body=sent, delivery=delivery)

    def _let_the_refusal_be_heard(self) -> None:
        # Closing a socket with unread input resets it, and the reset may overtake the answer.
        self.connection.settimeout(_SECONDS_TO_HEAR_A_REFUSAL)
        with contextlib.suppress(OSError):
            self.connection.shutdown(1)
            read = 0
            while read < READ_OUT_BYTES and (block := self.connection.recv(65_536)):
                read += len(block)


def _add_header(environ: dict[str, Any], name: str, value: str) -> None:
    # A name with an underscore would pass for its twin with a hyphen.
    if "_" in name:
        return
    key = name.upper().replace("-", "_")
    if key == "CONTENT_TYPE":
        environ[key] = value
    elif key != "CONTENT_LENGTH":
        key = f"HTTP_{key}"
        joint = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{joint}{value}" if key in environ else value
