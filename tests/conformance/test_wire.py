"""Requests leave once, as they are, and a failure of the network is named."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from tests.tables import every
from wallet_gateway.conformance.wire import HttpWire, Unreachable, fetch, split_url


class Echo(http.server.BaseHTTPRequestHandler):
    """Repeats what it was sent; redirects where it is asked to."""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(307 if self.path.startswith("/away") else 200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Location", "/")
        self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(f"{self.command} {self.path} {self.headers.get('X-Kit')} ".encode() + body)

    do_GET = do_POST = answer  # noqa: N815  (names of the base class)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the name of the base class)
        pass


@pytest.fixture
def echo() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_request_leaves_as_it_is(echo: str) -> None:
    wire = HttpWire(f"{echo}/pay")
    answer = wire.send("POST", "/api", query={"a": "b c"}, body=b"{}", headers={"X-Kit": "1"})
    assert (answer.status, answer.content_type, answer.retry_after) == (200, "text/plain", "7")
    assert answer.body == b"POST /pay/api?a=b+c 1 {}"


def test_a_redirect_is_an_answer_and_is_not_followed(echo: str) -> None:
    assert HttpWire(echo).send("GET", "/away").status == 307


def test_a_page_is_fetched_with_its_query(echo: str) -> None:
    assert fetch(f"{echo}/page?x=1").body.startswith(b"GET /page?x=1 ")
    assert fetch(echo).body.startswith(b"GET / ")


def test_where_nobody_listens_is_said() -> None:
    with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9 gave no answer: .*refused"):
        HttpWire("http://127.0.0.1:9").send("GET", "/")


@every("url", ["", "/path", "https://", "ftp://x", "http://[", "https://x:port", "https:///path"])
def test_what_is_no_address_is_not_fetched(url: str) -> None:
    assert split_url(url) is None
    with pytest.raises(Unreachable, match="no web address"):
        fetch(url)
