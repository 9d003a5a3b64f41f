"""What a transport sends and what it brings back, over real sockets."""

from __future__ import annotations

import gzip

import pytest

from tests.client.conftest import Connect
from tests.client.servers import RawServer, answer, echoes, says
from tests.tables import every
from wallet_gateway.client.http_transport import HttpTransport

pytestmark = pytest.mark.wire

SECRET = "hunter2-and-more"


def test_a_post_goes_out_as_it_was_given_and_its_answer_comes_back(connect: Connect) -> None:
    said = answer(b'{"redirectUrl": "x"}', headers=("X-Other: 1", "RETRY-AFTER: 5", "Set-Cookie: a=b"))
    with RawServer(says(said)) as server:
        raw = connect(server.base_url + "/base/").send("POST", "/api/v5/checkout", body=b'{"amount":"10.00"}')
    (request,) = server.requests
    assert request.line == "POST /base/api/v5/checkout HTTP/1.1"
    assert request.body == b'{"amount":"10.00"}'
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert request.headers["content-type"] == request.headers["accept"] == "application/json"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["user-agent"].startswith("django-wallet-gateway/")
    assert not {"authorization", "cookie", "connection", "transfer-encoding"} & request.headers.keys()
    assert (raw.status, raw.body, dict(raw.headers)) == (200, b'{"redirectUrl": "x"}', {"retry-after": "5"})
    assert 0 < raw.elapsed < 10


def test_a_query_is_encoded_and_a_get_has_no_body(connect: Connect) -> None:
    with RawServer(says(answer(b"[]"))) as server:
        query = {"merchantId": "a b&c", "clientSystemTransactionId": "r-1"}
        connect(server.base_url).send("GET", "/api/v5/apmTransactions", query=query)
    (request,) = server.requests
    assert (
        request.line
        == "GET /api/v5/apmTransactions?merchantId=a+b%26c&clientSystemTransactionId=r-1 HTTP/1.1"
    )
    assert not {"content-length", "content-type"} & request.headers.keys()


@pytest.mark.parametrize(
    "status", ["200 OK", "302 Found", "307 Temporary Redirect", "403 Forbidden", "503 Service Unavailable"]
)
def test_any_status_comes_back_as_it_is_and_nothing_is_followed_or_repeated(
    status: str, connect: Connect
) -> None:
    with RawServer(echoes) as elsewhere:
        location = f"Location: {elsewhere.base_url}/elsewhere"
        with RawServer(
            says(answer(b"<html>", status=status, headers=(location, "Retry-After: 0")))
        ) as server:
            raw = connect(server.base_url).send("POST", "/pay", body=b"{}")
    assert raw.status == int(status[:3])
    assert len(server.requests) == 1
    assert elsewhere.connections == 0


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
            id="chunked",
        ),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\n{}", id="HTTP/1.0 until it closes"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"{}"), id="after 100 Continue"),
        pytest.param(answer(b"{}", headers=("Content-Encoding: identity",)), id="identity"),
    ],
)
def test_every_honest_framing_is_read(said: bytes, connect: Connect) -> None:
    with RawServer(says(said)) as server:
        assert connect(server.base_url).send("POST", "/", body=b"{}").body == b"{}"


def test_a_packed_answer_is_unpacked_although_nobody_asked_for_it(connect: Connect) -> None:
    packed = answer(gzip.compress(b'{"state": "Approved"}'), headers=("Content-Encoding: GZip",))
    with RawServer(says(packed)) as server:
        assert connect(server.base_url).send("POST", "/", body=b"{}").body == b'{"state": "Approved"}'


def test_an_answer_of_exactly_the_cap_is_read(connect: Connect) -> None:
    with RawServer(says(answer(b"1" * 500))) as server:
        transport = connect(server.base_url, max_answer_bytes=500)
        assert len(transport.send("GET", "/").body) == 500


# How it may be set up


@every(
    ("base_url", "complaint"),
    [
        ("http://gateway.example", "only a loopback address may do without TLS"),
        ("http://10.0.0.1", "only a loopback address may do without TLS"),
        ("http://127.0.0.1.gateway.example", "only a loopback address may do without TLS"),
        ("ftp://gateway.example", "no web address"),
        ("gateway.example", "no web address"),
        ("https://", "no web address"),
        ("https://shop:hunter2@gateway.example", "a user, a query or a fragment"),
        ("https://gateway.example/?key=hunter2", "a user, a query or a fragment"),
        ("https://gateway.example/#hunter2", "a user, a query or a fragment"),
    ],
)
def test_a_base_url_that_is_unsafe_or_none_is_refused_without_repeating_it(
    base_url: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint) as failure:
        HttpTransport(base_url=base_url)
    assert "hunter2" not in str(failure.value)
