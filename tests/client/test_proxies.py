"""The way through a proxy: a tunnel that it may refuse, and nothing of the request before it stands."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.client.certificates import Certificate, make_certificate
from tests.client.conftest import IMPATIENT, Connect
from tests.client.servers import (
    Behaviour,
    RawServer,
    Request,
    drips,
    echoes,
    hangs_up,
    says,
    stays_silent,
    unused_port,
)
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.transport import FROM_ENVIRONMENT, is_proxy, proxy_of

pytestmark = pytest.mark.wire

PASSWORD = "hunter2-and-more"
GATEWAY = "https://gateway.example"


@dataclass
class Tunnel:
    """A proxy's answer to CONNECT: a tunnel to a port of this machine for who knows the password."""

    to: int
    asked: list[Request] = field(default_factory=list)

    def __call__(self, connection: socket.socket, request: Request) -> bool:
        self.asked.append(request)
        expected = base64.b64encode(f"ada:{PASSWORD}".encode()).decode()
        if request.headers.get("proxy-authorization") != f"Basic {expected}":
            connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return False
        with socket.create_connection(("127.0.0.1", self.to)) as gateway:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(gateway, connection))
            back.start()
            _copy(connection, gateway)
            back.join()
        return False


def _copy(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A gateway's whose name only the proxy can find."""
    return make_certificate(tmp_path_factory.mktemp("far"), name="gateway.example")


@pytest.fixture
def gateway(certificate: Certificate) -> Iterator[RawServer]:
    with RawServer(echoes, tls=certificate.server_context()) as server:
        yield server


def through(port: int, user: str = f"ada:{PASSWORD}@") -> str:
    return f"http://{user}127.0.0.1:{port}"


def test_a_gateway_is_reached_through_a_tunnel_and_a_kept_one_is_used_again(
    gateway: RawServer, certificate: Certificate, connect: Connect
) -> None:
    with RawServer(tunnel := Tunnel(gateway.port)) as proxy:
        transport = connect(GATEWAY, ca_file=str(certificate.file), proxy=through(proxy.port))
        for fresh in (False, False, True):
            assert transport.send("POST", "/pay", body=b"{}", fresh=fresh).body == b"{}"
        transport.close()
    assert [request.line.split()[:2] for request in tunnel.asked] == [["CONNECT", "gateway.example:443"]] * 2
    assert [request.body for request in gateway.requests] == [b"{}"] * 3
    assert all("proxy-authorization" not in request.headers for request in gateway.requests)


REFUSING: dict[str, tuple[Behaviour, NotSentReason, str]] = {
    "it is not allowed": (says(b"HTTP/1.1 403 Forbidden\r\n\r\n"), NotSentReason.PROXY, "HTTP 403"),
    "it speaks no HTTP": (says(b"SSH-2.0-OpenSSH\r\n"), NotSentReason.OTHER, "BadStatusLine"),
    "it hangs up": (hangs_up, NotSentReason.OTHER, ""),
    "it says nothing": (stays_silent, NotSentReason.CONNECT_TIMEOUT, ""),
    "it drips": (drips(b"HTTP/1.1 200 <slowly>" + b"O" * 200 + b"\r\n"), NotSentReason.CONNECT_TIMEOUT, ""),
    "it hangs after the tunnel stands": (
        says(b"HTTP/1.1 200 OK\r\n\r\n", keep=True),
        NotSentReason.CONNECT_TIMEOUT,
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSING)
def test_without_a_tunnel_nothing_was_sent_and_the_password_is_not_told(name: str, connect: Connect) -> None:
    behaviour, reason, words = REFUSING[name]
    options = IMPATIENT if reason is NotSentReason.CONNECT_TIMEOUT else {}
    with RawServer(behaviour) as proxy, pytest.raises(NotSent) as failure:
        connect(GATEWAY, proxy=through(proxy.port), **options).send("POST", "/pay", body=b"{}")
    assert failure.value.reason == reason
    assert words in str(failure.value)
    assert PASSWORD not in repr(failure.value) + str(failure.value) + str(failure.value.__cause__)


def test_a_proxy_that_wants_another_password_is_told_by_its_status(
    gateway: RawServer, connect: Connect
) -> None:
    with RawServer(Tunnel(gateway.port)) as proxy, pytest.raises(NotSent, match="HTTP 407") as failure:
        connect(GATEWAY, proxy=through(proxy.port, "ada:wrong@")).send("POST", "/pay", body=b"{}")
    assert failure.value.reason == NotSentReason.PROXY
    assert gateway.connections == 0


def test_a_proxy_where_nobody_listens_is_a_refused_connection(connect: Connect) -> None:
    with pytest.raises(NotSent) as failure:
        connect(GATEWAY, proxy=through(unused_port())).send("POST", "/pay", body=b"{}")
    assert failure.value.reason == NotSentReason.REFUSED_CONNECTION


@pytest.mark.parametrize("setting", [FROM_ENVIRONMENT, "http://proxy:8080"])
@pytest.mark.parametrize("host", ["localhost", "127.0.0.2:8443", "[::1]"])
def test_this_machine_is_reached_without_a_proxy(
    host: str, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:8080")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert proxy_of(setting, f"https://{host}") is None


@pytest.mark.parametrize(
    ("environment", "setting", "shown", "named_by"),
    [
        ({"HTTPS_PROXY": "http://ada:p@ss@proxy:8080"}, FROM_ENVIRONMENT, "http://proxy:8080", "HTTPS_PROXY"),
        ({"https_proxy": "proxy:8080"}, FROM_ENVIRONMENT, "http://proxy:8080", "HTTPS_PROXY"),
        ({"HTTPS_PROXY": "http://proxy:8080"}, "https://own:3128", "https://own:3128", "PROXY"),
        ({"HTTPS_PROXY": "http://proxy:8080"}, None, None, None),
        ({"HTTPS_PROXY": "http://proxy:8080", "NO_PROXY": ".example"}, FROM_ENVIRONMENT, None, None),
        ({"HTTPS_PROXY": "http://proxy:8080", "NO_PROXY": "*"}, FROM_ENVIRONMENT, None, None),
        ({"HTTP_PROXY": "http://proxy:8080", "ALL_PROXY": "socks5://p:1"}, FROM_ENVIRONMENT, None, None),
        ({"HTTPS_PROXY": ""}, FROM_ENVIRONMENT, None, None),
    ],
)
def test_the_setting_names_the_proxy_or_else_the_environment(
    environment: dict[str, str],
    setting: str | None,
    shown: str | None,
    named_by: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    proxy = proxy_of(setting, GATEWAY)
    assert (proxy and proxy.shown, proxy and proxy.named_by) == (shown, named_by)
    assert "p@ss" not in repr(proxy)


@pytest.mark.parametrize(
    "url", ["socks5://proxy:1080", "http://:3128", "http://proxy/path", "http://proxy:port"]
)
def test_what_is_no_proxy_is_refused_without_repeating_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_proxy(url)
    monkeypatch.setenv("HTTPS_PROXY", url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(ValueError, match="HTTPS_PROXY is no address") as refused:
        proxy_of(FROM_ENVIRONMENT, GATEWAY)
    assert url not in str(refused.value)
