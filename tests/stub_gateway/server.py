"""The stub on a socket: `StubGateway` serves one merchant on a free port, each request in a thread."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

from tests.stub_gateway.answers import Answer
from tests.stub_gateway.book import APPROVED, Book, Transaction
from tests.stub_gateway.habits import PLAIN, Habit
from tests.stub_gateway.service import Request, Service
from tests.support.local_server import LocalServer


class StubGateway(LocalServer):
    """What a test holds: the gateway's book, its habit, and the customer's doings on a hosted page."""

    def __init__(self) -> None:
        self.book = Book()
        self.service = Service(self.book)
        self.habit = PLAIN
        self.asked: Counter[str] = Counter()
        super().__init__(_handler_of(self))
        self.service.base_url = self.url

    def reset(self) -> None:
        """Forget everything."""
        self.book = self.service.book = Book()
        self.service.keyed = frozenset()
        self.habit = PLAIN
        self.asked.clear()

    @contextmanager
    def having(self, habit: Habit) -> Iterator[None]:
        """Answer in this habit for a while."""
        before, self.habit = self.habit, habit
        try:
            yield
        finally:
            self.habit = before

    def pay(self, page_url: str, state: str = APPROVED) -> str:
        """Let the customer pay a hosted page; returns the address the browser is sent to."""
        page = self._page(page_url)
        reference, kind = page.get("clientSystemTransactionId"), page.get("type")
        self.book.file(reference, kind, Decimal(page.get("amount")), page.get("currencyCode"), state=state)
        return self.ends(page_url, "successUrl" if state == APPROVED else "errorUrl")

    def ends(self, page_url: str, name: str) -> str:
        """Return one of the addresses that a hosted page may lead back to."""
        return str(self._page(page_url).get(f"redirectDetails.{name}"))

    def _page(self, page_url: str) -> Request:
        return Request(self.book.pages[page_url.rpartition("/")[2]].request)

    def answer(self, method: str, path: str, request: Request) -> Answer:
        self.asked[f"{method} {path}"] += 1
        return self.habit.change(self.service.answer(method, path, request, self.habit.filing))

    def transactions(self, kind: str) -> list[Transaction]:
        return [one for one in self.book.transactions if one.type.lower() == kind.lower()]


def _handler_of(gateway: StubGateway) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Without it head and body wait for each other's acknowledgement.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            request = Request(dict(parse_qsl(address.query)), self.headers.get("Authorization", ""))
            self._answer(gateway.answer("GET", address.path, request))

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            members = json.loads(content or b"{}", parse_float=Decimal)
            request = Request(members, self.headers.get("Authorization", ""))
            self._answer(gateway.answer("POST", urlsplit(self.path).path, request))

        def _answer(self, answer: Answer) -> None:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.closes:
                self.send_header("Connection", "close")
            if answer.is_chunked:
                self._send_chunks(answer.content)
                return
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def _send_chunks(self, content: bytes) -> None:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for start in range(0, len(content), 7):
                piece = content[start : start + 7]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Say nothing: a test reads the book."""

    return Handler
