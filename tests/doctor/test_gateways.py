"""One harmless question to a gateway, and what its answer, or none, says."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pytest_django import Settings

from tests.client.servers import RawServer, Request, unused_port
from wallet_gateway.doctor.examination import is_well
from wallet_gateway.doctor.gateways import look_at_gateway
from wallet_gateway.findings import Code, Finding, Level
from wallet_gateway.gateways import context_of
from wallet_gateway.models import WalletKey
from wallet_gateway.operations.wallet.keys import current_key
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
At = Callable[..., list[Finding]]


@pytest.fixture
def look_at(settings: Settings) -> At:
    def look(base_url: str, merchant_id: str = "MERCHANT-7") -> list[Finding]:
        given = settings.WALLET_GATEWAY
        changed = {"BASE_URL": base_url, "MERCHANT_ID": merchant_id}
        default = given["GATEWAYS"]["default"] | changed
        settings.WALLET_GATEWAY = {**given, "GATEWAYS": {"default": default}}
        return list(look_at_gateway("default"))

    return look


def answering(status: str, body: bytes, *, ahead: timedelta = timedelta()) -> RawServer:
    date = format_datetime(datetime.now(UTC) + ahead, usegmt=True)

    def behave(connection: socket.socket, request: Request) -> bool:
        head = f"HTTP/1.1 {status}\r\nDate: {date}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return True

    return RawServer(behave)


def test_a_gateway_that_answers_is_well_and_nothing_but_a_question_was_sent(
    wallet_sandbox: SandboxControl,
) -> None:
    found = list(look_at_gateway("default"))
    assert [finding.level for finding in found] == [Level.OK, Level.OK]
    assert [entry["operation"] for entry in wallet_sandbox.journal()] == ["status"]


@pytest.fixture
def wallet_key(wallet_sandbox: SandboxControl) -> WalletKey:
    """The key that the shop has stored for its buttons."""
    current_key(context=context_of("default"))
    return WalletKey.objects.get()


def _about_key(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if "key" in finding.text]


def test_the_stored_wallet_key_is_tried_without_moving_anything(
    wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    (finding,) = _about_key(list(look_at_gateway("default")))
    assert (finding.level, finding.text) == (Level.OK, "it takes the stored wallet key")
    sent = [entry["operation"] for entry in wallet_sandbox.journal()]
    assert sent == ["public_key", "status", "get_payment_account"]


@pytest.mark.parametrize("lose", ["reset", "advance_clock"])
def test_a_refused_wallet_key_is_named_and_the_next_button_gets_another(
    lose: str, wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    getattr(wallet_sandbox, lose)(*([] if lose == "reset" else [7200]))
    # Twice: no browser asks here, so nothing has to wait a minute.
    for _ in range(2):
        getattr(wallet_sandbox, lose)(*([] if lose == "reset" else [7200]))
        (finding,) = _about_key(list(look_at_gateway("default")))
        assert (finding.level, finding.code) == (Level.WARNING, Code.WALLET_KEY_REFUSED)
        assert finding.text == "it no longer takes the stored wallet key, so no wallet button could pay"
        assert finding.advice == "Nothing to do: the next button that is shown gets a new key."
        assert _about_key(list(look_at_gateway("default"))) == []
        current_key(context=context_of("default"))
        (finding,) = _about_key(list(look_at_gateway("default")))
        assert finding.level is Level.OK


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("error_body", 400, Code.IN_ORDER),
        ("bare_error", 404, Code.IN_ORDER),
        ("error_body", 422, Code.IN_ORDER),
        # To a new key as well: the refusal is not about the key.
        ("error_body", 401, Code.WALLET_KEY_NOT_TRIED),
        ("status_before", 401, Code.WALLET_KEY_NOT_TRIED),
        ("error_body", 403, Code.WALLET_KEY_NOT_TRIED),
        ("status_before", 404, Code.WALLET_KEY_NOT_TRIED),
        ("status_before", 503, Code.WALLET_KEY_NOT_TRIED),
        ("drop_before", None, Code.WALLET_KEY_NOT_TRIED),
        ("not_json", None, Code.WALLET_KEY_NOT_TRIED),
    ],
)
def test_a_gateway_that_answers_otherwise_about_an_unknown_account_fails_no_healthy_shop(
    fault: str, status: int | None, code: Code, wallet_key: WalletKey, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("get_payment_account", fault, status=status, times=5)
    found = list(look_at_gateway("default"))
    (finding,) = _about_key(found)
    assert finding.code is code
    assert is_well(tuple(found))
    assert "could not be tried" in finding.text or code is Code.IN_ORDER
    wallet_key.refresh_from_db()
    assert wallet_key.refused_at is None


def test_a_sandbox_that_was_not_started_is_named_with_the_command_that_starts_it(look_at: At) -> None:
    port = unused_port()
    (finding,) = look_at(f"http://127.0.0.1:{port}", "SANDBOX-MERCHANT")
    assert finding.level is Level.ERROR
    assert finding.text.startswith(f"no sandbox answers at http://127.0.0.1:{port}: ")
    assert finding.advice == f"Start it: python -m wallet_gateway.sandbox --port {port}"


@pytest.mark.parametrize(
    ("status", "body", "words", "level"),
    [
        ("401 Unauthorized", b'{"code":"4010001","details":{"message":"no"}}', "credentials", Level.ERROR),
        ("404 Not Found", b"<html>nginx</html>", "as agreed", Level.ERROR),
        ("200 OK", b'{"hello":"world"}', "as agreed", Level.ERROR),
    ],
    ids=["credentials", "another-server", "another-shape"],
)
def test_each_wrong_answer_is_told_in_plain_words(
    status: str, body: bytes, words: str, level: Level, look_at: At
) -> None:
    with answering(status, body) as server:
        finding = look_at(server.base_url)[0]
    assert (words in finding.text, finding.level) == (True, level)
    assert finding.advice


@pytest.mark.parametrize(("minutes", "level"), [(0, Level.OK), (5, Level.WARNING), (-5, Level.WARNING)])
def test_the_clock_is_compared_with_the_gateways(minutes: int, level: Level, look_at: At) -> None:
    with answering("200 OK", b"[]", ahead=timedelta(minutes=minutes)) as server:
        found = look_at(server.base_url)
    (clock,) = [finding for finding in found if "clock" in finding.subject]
    assert clock.level is level


def test_a_gateway_that_is_switched_off_says_so(settings: Settings, wallet_sandbox: SandboxControl) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"SENDING_ENABLED": False}
    settings.WALLET_GATEWAY = {**given, "GATEWAYS": {"default": default}}
    assert "SENDING_ENABLED is False" in next(iter(look_at_gateway("default"))).text


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"HTTPS_PROXY": "http://127.0.0.1:9"}, "127.0.0.1:9"),
        ({"https_proxy": "http://proxy.company.example:3128/"}, "proxy.company.example:3128"),
        ({"ALL_PROXY": "socks5h://10.0.0.1:1080"}, "10.0.0.1:1080"),
        ({"HTTPS_PROXY": "proxy:8080"}, "proxy:8080"),
        ({"HTTPS_PROXY": "http://ada:p@ss@proxy:8080"}, "proxy:8080"),
        ({"HTTP_PROXY": "http://127.0.0.1:9"}, None),
        ({"HTTPS_PROXY": ""}, None),
        ({"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "0.0.0.0"}, None),
        ({"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "*"}, None),
        ({}, None),
    ],
)
def test_a_proxy_of_the_environment_is_named_where_the_gateway_is_not_reached(
    look_at: At, no_proxies: pytest.MonkeyPatch, environment: dict[str, str], named: str | None
) -> None:
    for name, value in environment.items():
        no_proxies.setenv(name, value)
    # This machine, where nobody listens, under an address that is not called loopback.
    found = look_at(f"https://0.0.0.0:{unused_port()}")
    assert found[0].code is Code.GATEWAY_UNREACHABLE
    proxies = [dict(finding.params)["proxy"] for finding in found if finding.code is Code.PROXY_NOT_USED]
    assert proxies == ([named] if named else [])
    assert "p@ss" not in repr(found)


def test_a_sandbox_of_this_machine_needs_no_proxy(look_at: At, no_proxies: pytest.MonkeyPatch) -> None:
    no_proxies.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    found = look_at(f"http://127.0.0.1:{unused_port()}")
    assert Code.PROXY_NOT_USED not in [finding.code for finding in found]
