"""Our credentials are the ones we were given, and they show up nowhere but on the wire."""

from __future__ import annotations

import logging
import pickle
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from requests import PreparedRequest
from requests.auth import AuthBase, HTTPBasicAuth

from tests.client.conftest import Connect
from tests.client.servers import Behaviour, RawServer, answer, echoes, hangs_up, resets, says
from wallet_gateway.client.errors import GatewayError, NotSent, NotSentReason
from wallet_gateway.client.exception_map import LibraryError

pytestmark = pytest.mark.wire

SECRET = "hunter2-and-more"


class KeyAuth(AuthBase):
    """Signs with a key, as a shop's own class would."""

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"PublicApiKey {SECRET}"
        return request


def test_auth_signs_what_is_sent_and_only_there_it_is_seen(connect: Connect) -> None:
    seen: list[tuple[str | None, str | None, object]] = []

    class Watching(KeyAuth):
        def __call__(self, request: PreparedRequest) -> PreparedRequest:
            seen.append((request.method, request.url, request.body))
            return super().__call__(request)

    with RawServer(echoes) as server:
        transport = connect(f"{server.base_url}/base", auth=Watching())
        transport.send("POST", "/pay", query={"a": "1"}, body=b"{}")
    assert seen == [("POST", f"{server.base_url}/base/pay?a=1", b"{}")]
    assert server.requests[0].headers["authorization"] == f"PublicApiKey {SECRET}"
    assert SECRET not in repr(transport)


def test_the_auth_classes_of_requests_fit(connect: Connect) -> None:
    with RawServer(echoes) as server:
        connect(server.base_url, auth=HTTPBasicAuth("shop", "pass")).send("POST", "/", body=b"{}")
    assert server.requests[0].headers["authorization"] == "Basic c2hvcDpwYXNz"


def test_a_header_given_as_bytes_is_sent(connect: Connect) -> None:
    def signs(request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = b"PublicApiKey abc"  # type: ignore[assignment]
        return request

    with RawServer(echoes) as server:
        connect(server.base_url, auth=signs).send("POST", "/", body=b"{}")
    assert server.requests[0].headers["authorization"] == "PublicApiKey abc"


def _raises(error: Exception) -> Callable[[PreparedRequest], PreparedRequest]:
    def auth(_request: PreparedRequest) -> PreparedRequest:
        raise error

    return auth


def _changes(attribute: str, value: object) -> Callable[[PreparedRequest], PreparedRequest]:
    def auth(request: PreparedRequest) -> PreparedRequest:
        setattr(request, attribute, value)
        return request

    return auth


@pytest.mark.parametrize(
    ("auth", "told"),
    [
        pytest.param(
            _raises(KeyError(SECRET)), "signing: KeyError, at test_http_transport_secrets.py:", id="a bug"
        ),
        pytest.param(_raises(TimeoutError(SECRET)), "signing: TimeoutError", id="a token that does not come"),
        pytest.param(_changes("url", "https://elsewhere.example"), "auth may set headers", id="another URL"),
        pytest.param(_changes("method", "GET"), "auth may set headers", id="another method"),
        pytest.param(_changes("body", b'{"amount": "1"}'), "auth may set headers", id="another body"),
    ],
)
def test_auth_that_fails_or_changes_the_request_sends_nothing(
    auth: object, told: str, connect: Connect
) -> None:
    with RawServer(echoes) as server, pytest.raises(NotSent) as failure:
        connect(server.base_url, auth=auth).send("POST", "/", body=b"{}")
    assert told in str(failure.value)
    assert SECRET not in str(failure.value)
    assert server.connections == 0


def test_auth_that_asks_the_process_to_stop_is_obeyed(connect: Connect) -> None:
    def stops(_request: PreparedRequest) -> PreparedRequest:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        connect("http://127.0.0.1:1", auth=stops).send("POST", "/", body=b"{}")


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(hangs_up, id="closed"),
        pytest.param(resets(), id="reset"),
        pytest.param(says(answer(f'{{"key": "{SECRET}"}}'.encode(), length=999)), id="cut off"),
        pytest.param(says(f"{SECRET} no HTTP\r\n\r\n".encode()), id="garbage"),
        pytest.param(says(answer(SECRET.encode(), headers=("Content-Encoding: gzip",))), id="bad gzip"),
        pytest.param(None, id="not sent"),
    ],
)
def test_a_failure_carries_nothing_of_the_request_or_the_answer(
    behaviour: Behaviour | None, connect: Connect
) -> None:
    with RawServer(behaviour or echoes) as server:
        transport = connect(server.base_url, auth=KeyAuth())
        with pytest.raises(GatewayError) as failure:
            transport.send(
                "POST",
                "/pay",
                query={"clientSystemTransactionId": SECRET},
                body=SECRET.encode(),
                not_after=0.0 if behaviour is None else None,
            )
    error = failure.value
    assert isinstance(error.__cause__, LibraryError)
    assert error.__cause__.__traceback__ is None
    assert error.__context__ is None
    shown = (str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error)))
    assert SECRET not in "".join(shown)
    assert SECRET.encode() not in pickle.dumps(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_no_log_line_holds_a_query_a_key_or_a_body(
    connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    with RawServer(echoes) as server, caplog.at_level(logging.DEBUG):
        transport = connect(server.base_url, auth=KeyAuth(), keepalive_idle=0.001)
        for fresh in (False, True, False):
            transport.send("POST", "/", query={"key": SECRET}, body=SECRET.encode(), fresh=fresh)
            time.sleep(0.002)
    assert "Resetting dropped connection" in caplog.text, "this test proves nothing without the pool's log"
    assert SECRET not in caplog.text


def test_a_hostile_environment_changes_nothing(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login thief password thief\ndefault login thief password thief\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_bytes(netrc.read_bytes())
    with RawServer(echoes) as proxy, RawServer(echoes) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
            monkeypatch.setenv(name.lower(), proxy.base_url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        connect(server.base_url).send("POST", "/", body=b"{}")
        connect(server.base_url, auth=KeyAuth()).send("POST", "/", body=b"{}")
    assert proxy.connections == 0
    assert [request.headers.get("authorization") for request in server.requests] == [
        None,
        f"PublicApiKey {SECRET}",
    ]


def test_a_refusal_of_the_connection_names_neither_query_nor_key(connect: Connect) -> None:
    with pytest.raises(NotSent) as failure:
        connect("https://gateway.invalid", auth=KeyAuth()).send("GET", "/", query={"merchantId": SECRET})
    assert failure.value.reason == NotSentReason.DNS
    assert SECRET not in "".join(traceback.format_exception(failure.value))
