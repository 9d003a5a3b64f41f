"""A small reverse proxy as it stands before a staging shop's sandbox: it ends TLS, and takes a prefix off."""

from __future__ import annotations

import http.client
import ssl
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from tests.support.local_server import LocalServer

_OF_ONE_CONNECTION = {"connection", "host", "keep-alive", "transfer-encoding"}


class ReverseProxy(LocalServer):
    """Passes what is asked below its prefix to `target`, which may be named once the proxy listens."""

    def __init__(self, tls: ssl.SSLContext | None = None, *, prefix: str = "") -> None:
        self.target = ""
        super().__init__(_handler(self, prefix))
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.origin}{prefix}"


def _handler(proxy: ReverseProxy, prefix: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if not self.path.startswith(f"{prefix}/"):
                self.send_error(404)
                return
            kept = {
                name: value for name, value in self.headers.items() if name.lower() not in _OF_ONE_CONNECTION
            }
            connection = http.client.HTTPConnection(urlsplit(proxy.target).netloc, timeout=60)
            connection.request(self.command, self.path.removeprefix(prefix), body, kept)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _OF_ONE_CONNECTION:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        def do_GET(self) -> None:
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        def do_OPTIONS(self) -> None:
            self._pass_on()

        def log_message(self, *_: Any) -> None:
            return

    return Handler
