"""Requests leave once, as they are; answers are read tolerantly, and shown without their values."""

from __future__ import annotations

import http.server
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.support.local_server import LocalServer
from tests.support.tables import every
from wallet_gateway.conformance import messages
from wallet_gateway.conformance.answers import MISSING, Answer, has, member
from wallet_gateway.conformance.wire import Unreachable, Wire, split_url


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
    with LocalServer(Echo) as server:
        yield server.url


def test_a_request_leaves_as_it_is(echo: str) -> None:
    wire = Wire(f"{echo}/pay")
    answer = wire.send("POST", "/api", query={"a": "b c"}, body=b"{}", headers={"X-Kit": "1"})
    assert (answer.status, answer.content_type, answer.retry_after) == (200, "text/plain", "7")
    assert answer.body == b"POST /pay/api?a=b+c 1 {}"


def test_a_redirect_is_an_answer_and_is_not_followed(echo: str) -> None:
    assert Wire(echo).send("GET", "/away").status == 307


def test_a_page_is_fetched_with_its_query(echo: str) -> None:
    wire = Wire("https://gateway.example")
    assert wire.fetch(f"{echo}/page?x=1").body.startswith(b"GET /page?x=1 ")
    assert wire.fetch(echo).body.startswith(b"GET / ")


def test_where_nobody_listens_is_said() -> None:
    with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9 gave no answer: .*refused"):
        Wire("http://127.0.0.1:9").send("GET", "/")


@every("url", ["", "/path", "https://", "ftp://x", "http://[", "https://x:port", "https:///path"])
def test_what_is_no_address_is_not_fetched(url: str) -> None:
    assert split_url(url) is None
    with pytest.raises(Unreachable, match="no web address"):
        Wire("https://gateway.example").fetch(url)


def answer(value: Any, status: int = 200) -> Answer:  # noqa: ANN401  (a JSON value)
    return Answer(status, "application/json", json.dumps(value).encode())


def test_members_are_found_in_any_letter_case_and_numbers_are_exact() -> None:
    value = {"Details": {"MESSAGE": "no"}, "id": None}
    assert member(value, "details.message") == "no"
    assert member(value, "details.other.more") is member([], "id") is MISSING
    assert member(value, "id") is None
    assert not has(value, "id")
    given = Answer(200, "application/json", b'{"a": 0.10, "b": 12345678901234567890}')
    assert (member(given.value, "a"), member(given.value, "b")) == (Decimal("0.10"), 12345678901234567890)


@every("body", [b"", b"{", b"NaN", b'{"a": Infinity}', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_missing(body: bytes) -> None:
    assert not Answer(200, "application/json", body).is_json


@every(
    ("given", "is_success", "is_refusal", "records"),
    [
        (answer({"redirectUrl": "https://x"}), True, False, 1),
        (answer([]), True, False, 0),
        (answer([{}, None, 7]), True, False, 1),
        (answer({"code": "1"}), False, True, 0),
        (answer({"code": "1"}, 500), False, True, 0),
        (answer({"code": "1", "state": "Approved"}), True, False, 1),
        (answer({}, 404), False, True, 1),
        (answer({}, 500), False, False, 1),
        (answer("ok"), False, False, 0),
        (Answer(200, "text/html", b"<p>"), False, False, 0),
    ],
)
def test_a_success_a_refusal_or_neither(
    given: Answer, is_success: bool, is_refusal: bool, records: int
) -> None:
    assert (given.is_success, given.is_refusal, len(given.records)) == (is_success, is_refusal, records)


@every(
    ("given", "shown"),
    [
        (answer({"apiKey": "pk-secret"}), "HTTP 200 with the members apiKey"),
        (answer([{"id": "secret"}]), "HTTP 200 with an array of 1"),
        (answer({"code": "7", "details": {"message": "No"}}, 400), "HTTP 400 with code 7: No"),
        (answer("secret"), "HTTP 200 with JSON"),
        (Answer(502, "text/html", b"secret"), "HTTP 502 with text/html"),
        (Answer(204, "", b""), "HTTP 204 with an empty body"),
    ],
)
def test_an_answer_is_shown_without_its_values(given: Answer, shown: str) -> None:
    assert str(given) == shown


def test_a_number_is_written_with_its_digits_and_a_text_with_quotes() -> None:
    assert messages.to_json({"a": messages.number("0.10"), "b": "0.10"}) == b'{"a": 0.10, "b": "0.10"}'


def test_a_change_leaves_the_original_as_it_is() -> None:
    body = {"list": [{"a": 1, "b": 2}, {"a": 3}], "x": {"y": 1}}
    before = json.dumps(body)
    assert messages.changed(body, "list.1.a", 4)["list"] == [{"a": 1, "b": 2}, {"a": 4}]
    assert messages.changed(body, "new.z", 5)["new"] == {"z": 5}
    assert messages.without(body, "list.0.b")["list"] == [{"a": 1}, {"a": 3}]
    assert messages.without(body, "x.nothing")["x"] == {"y": 1}
    assert json.dumps(body) == before
