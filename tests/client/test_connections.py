"""Which connection is used, for how long and by whom; what TLS trusts; and whose credentials are sent.

Nothing of it is the environment's decision.
"""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from requests import PreparedRequest
from requests.auth import AuthBase, HTTPBasicAuth

from tests.client.certificates import Certificate, make_certificate
from tests.client.conftest import Connect
from tests.client.servers import RawServer, Request, answer, echoes, says
from tests.support.tables import every
from tests.support.waiting import PATIENCE, eventually
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.transport import HttpTransport, steady_seconds

pytestmark = pytest.mark.wire

SECRET = "hunter2-and-more"


# Reuse


def test_a_connection_is_kept_for_all_but_a_fresh_request_until_the_transport_is_closed(
    connect: Connect,
) -> None:
    with RawServer(echoes) as server:
        transport = connect(server.base_url)
        for number in (b"1", b"2"):
            assert transport.send("POST", "/", body=number).body == number
        assert server.connections == 1
        transport.send("POST", "/", body=b"fresh", fresh=True)
        assert eventually(lambda: server.hung_up == 1)
        transport.send("POST", "/", body=b"3")
        assert (server.connections, server.hung_up) == (2, 1)
        transport.close()
        assert eventually(lambda: server.hung_up == 2)
        assert transport.send("POST", "/", body=b"4").body == b"4", "it stays usable"
    said = [request.headers.get("connection") for request in server.requests]
    assert said == [None, None, "close", None, None]


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_a_connection_that_idled_too_long_is_closed_and_replaced(limit: float, connect: Connect) -> None:
    with RawServer(echoes) as server:
        transport = connect(server.base_url, idle=limit)
        for _ in range(2):
            transport.send("POST", "/", body=b"{}")
        assert eventually(lambda: server.hung_up == 1)
    assert (len(server.requests), server.connections) == (2, 2)


def test_a_connection_closed_by_the_server_while_idle_is_replaced_not_written_to(connect: Connect) -> None:
    with RawServer(says(answer())) as server:
        transport = connect(server.base_url)
        transport.send("POST", "/", body=b"1")
        assert eventually(lambda: server.closed == 1)
        transport.send("POST", "/", body=b"2")
    assert [request.body for request in server.requests] == [b"1", b"2"]
    assert server.connections == 2


def test_a_connection_on_which_the_server_said_more_than_asked_is_replaced(connect: Connect) -> None:
    heard, said = threading.Event(), threading.Semaphore(0)

    def talks_on(connection: socket.socket, _request: Request) -> bool:
        connection.sendall(answer(b"mine"))
        # What comes together with the answer would be read together with it.
        heard.wait(PATIENCE)
        connection.sendall(answer(b"not mine", status="408 Request Timeout"))
        said.release()
        return True

    with RawServer(talks_on) as server:
        transport = connect(server.base_url)
        assert transport.send("POST", "/", body=b"1").body == b"mine"
        heard.set()
        assert said.acquire(timeout=PATIENCE)
        assert transport.send("POST", "/", body=b"2").body == b"mine"
    assert server.connections == 2


def test_a_kept_connection_lost_under_a_request_counts_as_sent_and_is_not_tried_again(
    connect: Connect,
) -> None:
    def answers_once(connection: socket.socket, request: Request) -> bool:
        return request.body == b"1" and echoes(connection, request)

    with RawServer(answers_once) as server:
        transport = connect(server.base_url)
        transport.send("POST", "/", body=b"1")
        with pytest.raises(OutcomeUnknown) as failure:
            transport.send("POST", "/", body=b"2")
    assert failure.value.reason == UnknownReason.CONNECTION_LOST
    assert [request.body for request in server.requests] == [b"1", b"2"]
    assert server.connections == 1


@every(
    "said",
    [answer(headers=("Connection: close",)), b"HTTP/1.0 200 OK\r\n\r\n{}", answer(b"x" * 600)],
    ids=["Connection: close", "HTTP/1.0", "an answer beyond the cap"],
)
def test_a_connection_that_ended_or_went_wrong_is_not_kept(said: bytes, connect: Connect) -> None:
    with RawServer(says(said)) as server:
        transport = connect(server.base_url, max_answer_bytes=500)
        for _ in range(2):
            with contextlib.suppress(OutcomeUnknown):
                transport.send("POST", "/", body=b"{}")
    assert server.connections == 2


FORKS = """
import os, sys
from wallet_gateway.client.transport import HttpTransport, tls_context

transport = HttpTransport(base_url=sys.argv[1], ssl_context=tls_context(sys.argv[2]))
said = [transport.send("POST", "/", body=b"parent 1").body]
child = os.fork()
if child == 0:
    os._exit(transport.send("POST", "/", body=b"child").body != b"child")
said.append(transport.send("POST", "/", body=b"parent 2").body)
_, status = os.waitpid(child, 0)
said.append(transport.send("POST", "/", body=b"parent 3").body)
transport.close()
assert said == [b"parent 1", b"parent 2", b"parent 3"], said
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "TLS"])
def test_a_forked_process_leaves_its_parents_connection_alone(is_tls: bool, certificate: Certificate) -> None:
    with RawServer(echoes, tls=certificate.server_context() if is_tls else None) as server:
        # In a process of its own: beside the threads of this one nobody may fork.
        command = [sys.executable, "-W", "error", "-c", FORKS, server.base_url, str(certificate.file)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    said = sorted(request.body for request in server.requests)
    assert (said, server.connections) == ([b"child", b"parent 1", b"parent 2", b"parent 3"], 2)


# How long


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="the name that Linux has for it")
@pytest.mark.parametrize(("looks", "is_sent"), [(0, False), (1, True)], ids=["before", "after"])
def test_a_machine_that_was_suspended_sends_nothing_on_an_old_claim_but_ends_what_it_has_begun(
    looks: int, is_sent: bool, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, left, ends = time.clock_gettime, iter(range(looks)), steady_seconds() + 60

    def suspended(clock: int) -> float:
        return counted(clock) + (0 if next(left, None) is not None else 3600)

    monkeypatch.setattr(time, "clock_gettime", suspended)
    with RawServer(echoes) as server:
        transport = connect(server.base_url)
        if is_sent:
            assert transport.send("POST", "/", body=b"{}", not_after=ends).body == b"{}"
        else:
            with pytest.raises(NotSent) as failure:
                transport.send("POST", "/", body=b"{}", not_after=ends)
            assert failure.value.reason == NotSentReason.STALE_CLAIM
    assert len(server.requests) == is_sent


# What TLS trusts


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("ours"), name="shop.example")


@pytest.mark.parametrize("in_pair", [False, True], ids=["one file", "a pair"])
def test_a_trusted_far_end_is_shown_our_certificate_on_kept_and_fresh_connections(
    in_pair: bool, connect: Connect, certificate: Certificate, ours: Certificate
) -> None:
    given = ours.pair() if in_pair else str(ours.file)
    with RawServer(echoes, tls=certificate.server_context(client=ours)) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file), client_cert=given)
        for number in (b"1", b"2"):
            assert transport.send("POST", "/", body=number).body == number
        assert transport.send("POST", "/", body=b"3", fresh=True).body == b"3"
    assert server.connections == 2


def test_an_encrypted_key_is_refused_and_nobody_is_asked_for_a_password(
    connect: Connect, ours: Certificate
) -> None:
    with pytest.raises(ssl.SSLError):
        connect("https://gateway.example", client_cert=ours.with_encrypted_key())


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


# Whose credentials


class KeyAuth(AuthBase):
    """Signs with a key, as a shop's own class would."""

    def __init__(self) -> None:
        self.seen: list[tuple[str | None, str | None, object]] = []

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        self.seen.append((request.method, request.url, request.body))
        # As bytes, which requests takes too.
        request.headers["Authorization"] = f"PublicApiKey {SECRET}".encode()  # type: ignore[assignment]
        return request


def test_auth_signs_what_is_sent_and_only_there_it_is_seen(connect: Connect) -> None:
    with RawServer(echoes) as server:
        auth = KeyAuth()
        transport = connect(f"{server.base_url}/base", auth=auth)
        transport.send("POST", "/pay", query={"a": "1"}, body=b"{}")
        connect(server.base_url, auth=HTTPBasicAuth("shop", "pass")).send("POST", "/", body=b"{}")
    assert auth.seen == [("POST", f"{server.base_url}/base/pay?a=1", b"{}")]
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == [f"PublicApiKey {SECRET}", "Basic c2hvcDpwYXNz"]
    assert SECRET not in repr(transport)


def test_auth_that_asks_the_process_to_stop_is_obeyed(connect: Connect) -> None:
    def stops(_request: PreparedRequest) -> PreparedRequest:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        connect("http://127.0.0.1:1", auth=stops).send("POST", "/", body=b"{}")


def test_no_log_line_and_no_debug_switch_shows_a_query_a_key_or_a_body(
    connect: Connect,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http.client.HTTPConnection, "debuglevel", 1)
    with RawServer(echoes) as server, caplog.at_level(logging.DEBUG):
        transport = connect(server.base_url, auth=KeyAuth(), idle=1e-9)
        for fresh in (False, True, False):
            transport.send("POST", "/", query={"key": SECRET}, body=SECRET.encode(), fresh=fresh)
    assert "urllib3" in {line.name.partition(".")[0] for line in caplog.records}, "or this proves nothing"
    assert SECRET not in caplog.text
    assert capsys.readouterr().out == ""


def test_a_hostile_environment_adds_no_credentials_no_proxy_no_authority_and_no_log_of_keys(
    connect: Connect, certificate: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login thief password thief\ndefault login thief password thief\n")
    netrc.chmod(0o600)
    environment = {"NETRC": netrc, "HOME": tmp_path, "SSLKEYLOGFILE": tmp_path / "keys"}
    environment["SSL_CERT_DIR"] = certificate.file.parent
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        environment[name] = certificate.file
    for name, path in environment.items():
        monkeypatch.setenv(name, str(path))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    tls = certificate.server_context()
    with RawServer(echoes) as proxy, RawServer(echoes) as plain, RawServer(echoes, tls=tls) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
            monkeypatch.setenv(name.lower(), proxy.base_url)
        for auth in (None, KeyAuth()):
            connect(plain.base_url, auth=auth).send("POST", "/", body=b"{}")
        with pytest.raises(NotSent) as failure:
            connect(server.base_url).send("POST", "/", body=b"{}")
        connect(server.base_url, ca_file=str(certificate.file)).send("POST", "/", body=b"{}")
    sent = [request.headers.get("authorization") for request in plain.requests]
    assert sent == [None, f"PublicApiKey {SECRET}"]
    assert (failure.value.reason, len(server.requests)) == (NotSentReason.TLS, 1)
    assert (proxy.connections, (tmp_path / "keys").exists()) == (0, False)
