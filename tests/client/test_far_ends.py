"""What a call becomes at each kind of far end, over real sockets, and that no failure tells what was sent.

Nothing left, or it may have left and the outcome is unknown: the table of each says which reason is given.
A fault must never be the reason for a second copy, so each case also says what the far end has read.
"""

from __future__ import annotations

import gzip
import pickle
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from ssl import TLSVersion
from typing import Any

import pytest
from requests import PreparedRequest

from tests.client.certificates import Certificate, make_certificate
from tests.client.conftest import IMPATIENT, Connect
from tests.client.servers import (
    Behaviour,
    RawServer,
    Request,
    answer,
    breaks_tls,
    chunked,
    drips,
    echoes,
    full_backlog,
    hangs_up,
    pours,
    resets,
    says,
    slow_reader,
    stays_silent,
    unused_port,
)
from tests.support.tables import every
from tests.support.waiting import eventually
from wallet_gateway.client.errors import GatewayError, NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.transport import steady_seconds

pytestmark = pytest.mark.wire

SECRET = "hunter2-and-more"
BODY = f'{{"amount": "10.00", "cryptogram": "{SECRET}"}}'.encode()


def signs(request: PreparedRequest) -> PreparedRequest:
    request.headers["Authorization"] = f"PublicApiKey {SECRET}"
    return request


def tells_nothing(error: GatewayError) -> None:
    """See that an error holds nothing of the request, of the answer, or of the library's exception."""
    assert type(error.__cause__).__module__.startswith("wallet_gateway."), "a library's holds the request"
    assert getattr(error.__cause__, "__traceback__", None) is None
    assert error.__context__ is None
    shown = (str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error)))
    assert SECRET not in "".join(shown)
    assert SECRET.encode() not in pickle.dumps(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


# What never left


@dataclass
class End:
    """A far end, with what it has read, and how the client is set up for it."""

    base_url: str
    requests: list[Request] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    not_after: float | None = None


MakeEnd = Callable[[Certificate, Path], AbstractContextManager[End]]


def at(base_url: str) -> MakeEnd:
    @contextmanager
    def make(*_: object) -> Iterator[End]:
        yield End(base_url)

    return make


@contextmanager
def nobody(*_: object) -> Iterator[End]:
    yield End(f"http://127.0.0.1:{unused_port()}")


@contextmanager
def full(*_: object) -> Iterator[End]:
    with full_backlog() as port:
        yield End(f"http://127.0.0.1:{port}", options=IMPATIENT)


@contextmanager
def no_tls(*_: object) -> Iterator[End]:
    with RawServer(echoes, greeting=b"220 mail.example ESMTP\r\n") as server:
        yield End(server.base_url.replace("http:", "https:"), server.requests)


def ready(*, not_after: float | None = None, is_left_alone: bool = False, **options: object) -> MakeEnd:
    """A far end that would answer, were it asked; it may be that nobody is to connect to it."""

    @contextmanager
    def make(*_: object) -> Iterator[End]:
        with RawServer(echoes) as server:
            yield End(server.base_url, server.requests, options, not_after)
        assert server.connections == 0 or not is_left_alone

    return make


def tls(
    *, slow: float = 0, claim: float | None = None, known: bool = True, own: dict[str, Any] | None = None
) -> MakeEnd:
    """A far end with TLS, whose certificate is known unless it is said otherwise."""

    @contextmanager
    def make(certificate: Certificate, folder: Path) -> Iterator[End]:
        if own is not None:
            certificate = make_certificate(folder, **own)
        options = (IMPATIENT if slow > 1 else {}) | ({"ca_file": str(certificate.file)} if known else {})
        with RawServer(echoes, tls=certificate.server_context(), before_handshake=slow) as server:
            not_after = None if claim is None else steady_seconds() + claim
            yield End(server.base_url, server.requests, options, not_after)

    return make


@contextmanager
def old_tls(certificate: Certificate, _: Path) -> Iterator[End]:
    context = certificate.server_context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = TLSVersion.MINIMUM_SUPPORTED, TLSVersion.TLSv1_1
    with RawServer(echoes, tls=context) as server:
        yield End(server.base_url, server.requests, {"ca_file": str(certificate.file)})


def auth(**changes: object) -> MakeEnd:
    """A shop's own class that signs, and changes what it must not."""

    def sign(request: PreparedRequest) -> PreparedRequest:
        for name, value in changes.items():
            setattr(request, name, value)
        return request

    return ready(auth=sign, is_left_alone=True)


def careless(request: PreparedRequest) -> PreparedRequest:
    request.headers["Authorization"] = f"PublicApiKey {SECRET}\n"
    return request


def hooked(request: PreparedRequest) -> PreparedRequest:
    """As digest authentication, which sends the request again after the answer."""
    request.register_hook("response", lambda *_, **__: None)
    return request


NEVER_LEFT: dict[str, tuple[MakeEnd, NotSentReason, str]] = {
    "nobody listens": (nobody, NotSentReason.REFUSED_CONNECTION, "Connection refused"),
    "a name that nobody has": (at("https://gateway.invalid"), NotSentReason.DNS, "gaierror"),
    "no room for a connection": (full, NotSentReason.CONNECT_TIMEOUT, ""),
    "a handshake that hangs": (tls(slow=60), NotSentReason.CONNECT_TIMEOUT, ""),
    "no TLS": (no_tls, NotSentReason.TLS, "WRONG_VERSION_NUMBER"),
    "TLS 1.1": (old_tls, NotSentReason.TLS, ""),
    "a certificate nobody vouches for": (tls(known=False), NotSentReason.TLS, "self-signed certificate"),
    "another's": (tls(own={"name": "gateway.example"}), NotSentReason.TLS, "IP address mismatch"),
    "an old one": (tls(own={"days_left": -1}), NotSentReason.TLS, "certificate has expired"),
    "an expired claim": (ready(not_after=0.0), NotSentReason.STALE_CLAIM, "right to send"),
    "a claim that expires meanwhile": (tls(slow=0.15, claim=0.1), NotSentReason.STALE_CLAIM, ""),
    "a header that cannot be written": (ready(auth=careless), NotSentReason.OTHER, ""),
    "a hook on the answer": (ready(auth=hooked), NotSentReason.OTHER, "auth may set headers"),
    "another URL": (auth(url="https://elsewhere.example"), NotSentReason.OTHER, "auth may set headers"),
    "another method": (auth(method="GET"), NotSentReason.OTHER, "auth may set headers"),
    "another body": (auth(body=b'{"amount": "1"}'), NotSentReason.OTHER, "auth may set headers"),
}


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
@pytest.mark.parametrize("name", NEVER_LEFT)
def test_a_fault_before_the_first_byte_means_that_nothing_was_sent(
    name: str, connect: Connect, certificate: Certificate, tmp_path: Path
) -> None:
    make, reason, words = NEVER_LEFT[name]
    begun = time.monotonic()
    with make(certificate, tmp_path) as end:
        transport = connect(end.base_url, **{"auth": signs} | end.options)
        sent: dict[str, Any] = {"query": {"key": SECRET}, "body": BODY, "not_after": end.not_after}
        with pytest.raises(NotSent) as failure:
            transport.send("POST", "/pay", fresh=True, **sent)
    assert (failure.value.reason, failure.value.may_have_happened) == (reason, False)
    assert words in str(failure.value)
    assert end.requests == []
    assert time.monotonic() - begun < 20
    tells_nothing(failure.value)


# What left, and is unknown

PACKED = gzip.compress(b'{"redirectUrl": "https://gateway.example/c"}' * 10)
BOMB = gzip.compress(bytes(10_000_000))
MEGABYTE = bytes(1_000_000)
GZIP, DEFLATE = ("Content-Encoding: gzip",), ("Content-Encoding: deflate",)
UNKNOWN: dict[UnknownReason, dict[str, Behaviour]] = {
    UnknownReason.TIMEOUT: {
        "no answer": stays_silent,
        "a status line byte by byte": drips(b"<slowly>HTTP/1.1 200 " + b"O" * 2000 + b"K\r\n\r\n"),
        "headers byte by byte": drips(b"HTTP/1.1 200 OK\r\n<slowly>X-Padding: " + b"1" * 2000 + b"\r\n\r\n"),
        "a body byte by byte": drips(answer(length=2000).removesuffix(b"{}") + b"<slowly>" + b"1" * 2000),
        "chunk after chunk": drips(chunked(b"<slowly>" + b"1\r\n1\r\n" * 400)),
        "a body without length byte by byte": drips(b"HTTP/1.1 200 OK\r\n\r\n<slowly>" + b"1" * 2000),
        "100 Continue without end": drips(b"<slowly>" + b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    },
    UnknownReason.CONNECTION_LOST: {
        "closed after the request": hangs_up,
        "reset after the request": resets(),
        "reset in the middle of the body": resets(answer(b'{"redirectUrl"', length=100)),
        "closed before the promised length": says(answer(f'{{"key": "{SECRET}"}}'.encode(), length=999)),
        "closed in the middle of a chunk": says(chunked(b"a\r\n12345")),
        "closed between chunks": says(chunked(b"2\r\n{}\r\n")),
        "a chunk size that is no number": says(chunked(b"zz\r\n{}\r\n0\r\n\r\n")),
    },
    UnknownReason.BROKEN_HTTP: {
        "garbage for a status line": says(f"{SECRET} no HTTP\r\n\r\n".encode()),
        "a status that is no number": says(b"HTTP/1.1 OK\r\n\r\n{}"),
        "a status of four digits": says(b"HTTP/1.1 2000 OK\r\n\r\n{}"),
        "an unknown version of HTTP": says(b"HTTP/3 200 OK\r\n\r\n{}"),
        "a header line without end": says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"),
        "more headers than anybody needs": says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 120 + b"\r\n{}"),
        "a negative chunk size": says(chunked(b"-5\r\n{}\r\n0\r\n\r\n")),
    },
    UnknownReason.BAD_ENCODING: {
        "bytes that are not gzip": says(answer(SECRET.encode(), headers=GZIP)),
        "gzip with a wrong checksum": says(answer(PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], headers=GZIP)),
        "bytes that are not deflated": says(answer(SECRET.encode(), headers=DEFLATE)),
    },
    UnknownReason.TOO_LARGE: {
        "a promise of 100 MB": says(answer(b"", length=100_000_000)),
        "100 MB without a length": pours(b"HTTP/1.1 200 OK\r\n\r\n", MEGABYTE, times=100),
        "100 MB in chunks": pours(chunked(), b"f4240\r\n" + MEGABYTE + b"\r\n", times=100),
        "100 MB behind a chunk size of -1": pours(chunked(b"-1\r\n"), MEGABYTE, times=100),
        "one byte too many": says(answer(b"1" * 1_048_577)),
        "a gzip bomb": says(answer(BOMB, headers=GZIP)),
        "a gzip bomb in chunks": says(
            chunked().replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n", 1)
            + b"%x\r\n" % len(BOMB) + BOMB + b"\r\n0\r\n\r\n"
        ),
    },
    UnknownReason.TLS: {"a bad record": breaks_tls},
}  # fmt: skip


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        pytest.param(behaviour, reason, id=name)
        for reason, behaviours in UNKNOWN.items()
        for name, behaviour in behaviours.items()
    ],
)
def test_a_fault_after_it_leaves_the_outcome_unknown_and_the_request_sent_once(
    behaviour: Behaviour, reason: UnknownReason, connect: Connect, certificate: Certificate
) -> None:
    context = certificate.server_context() if reason is UnknownReason.TLS else None
    options = IMPATIENT | {"connect": 60} if reason is UnknownReason.TIMEOUT else {}
    begun = time.monotonic()
    with RawServer(behaviour, tls=context) as server:
        transport = connect(server.base_url, auth=signs, ca_file=str(certificate.file), **options)
        with pytest.raises(OutcomeUnknown) as failure:
            transport.send("POST", "/pay", query={"clientSystemTransactionId": SECRET}, body=BODY)
        # The server may be slower than the client's patience.
        assert eventually(lambda: [request.body for request in server.requests] == [BODY])
    assert (failure.value.reason, failure.value.may_have_happened) == (reason, True)
    assert time.monotonic() - begun < 60, "less than the slow ones among them would take"
    assert server.connections == 1
    tells_nothing(failure.value)


def test_a_request_that_left_in_part_counts_as_sent(connect: Connect) -> None:
    with slow_reader() as port, pytest.raises(OutcomeUnknown) as failure:
        connect(f"http://127.0.0.1:{port}", **IMPATIENT).send("POST", "/", body=bytes(8_000_000))
    assert failure.value.reason == UnknownReason.TIMEOUT


@pytest.mark.parametrize("version", [TLSVersion.TLSv1_2, TLSVersion.TLSv1_3])
def test_a_far_end_that_wants_our_certificate_processes_nothing_without_it(
    version: TLSVersion, connect: Connect, certificate: Certificate, tmp_path: Path
) -> None:
    context = certificate.server_context(client=make_certificate(tmp_path, name="shop.example"))
    context.minimum_version = context.maximum_version = version
    with RawServer(echoes, tls=context) as server, pytest.raises(GatewayError) as failure:
        connect(server.base_url, ca_file=str(certificate.file)).send("POST", "/", body=b"{}")
    # TLS 1.3 lets a client write before the server has judged its certificate.
    assert isinstance(failure.value, NotSent if version is TLSVersion.TLSv1_2 else OutcomeUnknown)
    assert server.requests == []


# What an honest far end is told and says


def test_a_post_goes_out_as_it_was_given_and_its_answer_comes_back(connect: Connect) -> None:
    said = answer(b'{"redirectUrl": "x"}', headers=("X-Other: 1", "RETRY-AFTER: 5", "Set-Cookie: a=b"))
    with RawServer(says(said)) as server:
        raw = connect(server.base_url + "/base/").send("POST", "/api/v5/checkout", body=b'{"amount":"10.00"}')
    (request,) = server.requests
    assert (request.line, request.body) == ("POST /base/api/v5/checkout HTTP/1.1", b'{"amount":"10.00"}')
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert request.headers["content-type"] == request.headers["accept"] == "application/json"
    assert request.headers["accept-encoding"] == "gzip, deflate"
    assert request.headers["user-agent"].startswith("django-wallet-gateway/")
    assert not {"authorization", "cookie", "connection", "transfer-encoding"} & request.headers.keys()
    assert (raw.status, raw.body, dict(raw.headers)) == (200, b'{"redirectUrl": "x"}', {"retry-after": "5"})
    assert 0 < raw.elapsed < 10


def test_a_query_is_encoded_and_a_get_has_no_body(connect: Connect) -> None:
    with RawServer(says(answer(b"[]"))) as server:
        connect(server.base_url).send("GET", "/api", query={"merchantId": "a b&c", "reference": "r-1"})
    (request,) = server.requests
    assert request.line == "GET /api?merchantId=a+b%26c&reference=r-1 HTTP/1.1"
    assert not {"content-length", "content-type"} & request.headers.keys()


@pytest.mark.parametrize("status", ["302 Found", "307 Temporary Redirect", "403 Forbidden", "503 Busy"])
def test_any_status_comes_back_as_it_is_and_nothing_is_followed_or_repeated(
    status: str, connect: Connect
) -> None:
    with RawServer(echoes) as elsewhere:
        headers = (f"Location: {elsewhere.base_url}/elsewhere", "Retry-After: 0")
        with RawServer(says(answer(b"<html>", status=status, headers=headers))) as server:
            raw = connect(server.base_url).send("POST", "/pay", body=b"{}")
    assert (raw.status, len(server.requests), elsewhere.connections) == (int(status[:3]), 1, 0)


FRAMINGS = {
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    "HTTP/1.0 until it closes": b"HTTP/1.0 200 OK\r\n\r\n{}",
    "after 100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"{}"),
    "identity": answer(b"{}", headers=("Content-Encoding: identity",)),
    "after early hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer(b"{}"),
    "gzip": answer(gzip.compress(b"{}"), headers=("Content-Encoding: GZip",)),
    "gzip of several members": answer(gzip.compress(b"{") + gzip.compress(b"}"), headers=GZIP),
    "deflate": answer(zlib.compress(b"{}"), headers=DEFLATE),
    "deflate without its head": answer(zlib.compress(b"{}", wbits=-15), headers=DEFLATE),
    "a charset for an encoding": answer(b"{}", headers=("Content-Encoding: UTF-8",)),
    "of exactly the cap": answer(b"{" + b" " * 498 + b"}"),
}


@every("said", FRAMINGS.values(), ids=FRAMINGS)
def test_every_honest_framing_is_read(said: bytes, connect: Connect) -> None:
    with RawServer(says(said)) as server:
        raw = connect(server.base_url, max_answer_bytes=500).send("POST", "/", body=b"{}")
    assert raw.body.replace(b" ", b"") == b"{}"
