"""Faults before the first byte, over real sockets: each is NotSent, and the server has no request."""

from __future__ import annotations

import time
import traceback

import pytest
from requests import PreparedRequest

from tests.client.certificates import Certificate
from tests.client.conftest import IMPATIENT, Connect
from tests.client.servers import RawServer, echoes, full_backlog, slow_reader, unused_port
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.request_deadline import steady_seconds

pytestmark = pytest.mark.wire

SECRET = "hunter2-and-more"


def test_a_refused_connection_is_not_sent(connect: Connect) -> None:
    with pytest.raises(NotSent) as failure:
        connect(f"http://127.0.0.1:{unused_port()}").send("POST", "/", body=b"{}")
    assert failure.value.reason == NotSentReason.REFUSED_CONNECTION
    assert not failure.value.may_have_happened
    assert "Connection refused" in str(failure.value)


def test_a_connection_that_does_not_come_about_is_not_sent(connect: Connect) -> None:
    with full_backlog() as port:
        begun = time.monotonic()
        with pytest.raises(NotSent) as failure:
            connect(f"http://127.0.0.1:{port}", **IMPATIENT).send("POST", "/", body=b"{}")
    assert failure.value.reason == NotSentReason.CONNECT_TIMEOUT
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("fresh", [False, True], ids=["kept", "fresh"])
def test_a_tls_handshake_that_hangs_is_not_sent(
    fresh: bool, connect: Connect, certificate: Certificate
) -> None:
    with RawServer(echoes, tls=certificate.server_context(), before_handshake=60) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file), **IMPATIENT)
        with pytest.raises(NotSent) as failure:
            transport.send("POST", "/", body=b"{}", fresh=fresh)
    assert failure.value.reason == NotSentReason.CONNECT_TIMEOUT
    assert server.requests == []


def test_a_far_end_that_does_not_speak_tls_is_not_sent(connect: Connect) -> None:
    with RawServer(echoes, greeting=b"220 mail.example ESMTP\r\n") as server:
        transport = connect(server.base_url.replace("http:", "https:"))
        with pytest.raises(NotSent) as failure:
            transport.send("POST", "/", body=b"{}")
    assert failure.value.reason == NotSentReason.TLS
    assert "WRONG_VERSION_NUMBER" in failure.value.detail


def test_an_expired_claim_is_not_sent(connect: Connect) -> None:
    with RawServer(echoes) as server, pytest.raises(NotSent) as failure:
        connect(server.base_url).send("POST", "/", body=b"{}", not_after=steady_seconds() - 0.01)
    assert failure.value.reason == NotSentReason.STALE_CLAIM
    assert server.requests == []


def test_a_claim_that_expires_while_connecting_is_not_sent(
    connect: Connect, certificate: Certificate
) -> None:
    with RawServer(echoes, tls=certificate.server_context(), before_handshake=0.15) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file))
        with pytest.raises(NotSent) as failure:
            transport.send("POST", "/", body=b"{}", fresh=True, not_after=steady_seconds() + 0.1)
    assert failure.value.reason == NotSentReason.STALE_CLAIM
    assert server.requests == []


def test_a_request_that_left_in_part_counts_as_sent(connect: Connect) -> None:
    with slow_reader() as port:
        begun = time.monotonic()
        with pytest.raises(OutcomeUnknown) as failure:
            connect(f"http://127.0.0.1:{port}", **IMPATIENT).send("POST", "/", body=bytes(8_000_000))
    assert failure.value.reason == UnknownReason.TIMEOUT
    assert time.monotonic() - begun < 20


def test_a_header_that_cannot_be_written_is_not_sent_and_not_told(connect: Connect) -> None:
    def careless(request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"PublicApiKey {SECRET}\n"
        return request

    with RawServer(echoes) as server, pytest.raises(NotSent) as failure:
        connect(server.base_url, auth=careless).send("POST", "/", body=b"{}")
    assert SECRET not in "".join(traceback.format_exception(failure.value))
    assert server.requests == []
