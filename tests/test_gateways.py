"""One client for each alias and process, made as the settings say; a clock that is the database's."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import resolve
from pytest_django import Settings
from requests import PreparedRequest

from tests.client.applications import Application
from tests.client.certificates import make_certificate
from tests.client.servers import RawServer, answer, says
from tests.conf.test_settings import with_gateway
from tests.support.threads import together
from wallet_gateway import gateways, return_tokens
from wallet_gateway.client.errors import NotSent
from wallet_gateway.client.exchange import CallRecord, SigningAccount
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.context import DatabaseClock
from wallet_gateway.models import WalletKey
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.signals import gateway_called
from wallet_gateway.testing import InProcessTransport
from wallet_gateway.testing.control import SandboxControl

HTTPS = {"BASE_URL": "https://gateway.example"}


def asked() -> StatusAnswer:
    """Ask the gateway of the settings about a reference that it does not know."""
    return gateways.gateway("default").status("UNKNOWN-REFERENCE").message


def test_threads_share_one_client_until_the_settings_change(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    made = together(lambda: gateways.gateway("default"), times=8)
    assert (len(made), len({id(gateway) for gateway in made})) == (8, 1)

    before = gateways.context_of("default")
    with_gateway(settings, SENDING_ENABLED=False)
    assert gateways.gateway("default") is not made[0]
    assert (before.policy.sending, gateways.context_of("default").policy.sending) == (True, False)


def test_another_transport_is_used_until_the_gateways_are_forgotten() -> None:
    application = Application(b"[]")
    gateways.use_transport(InProcessTransport(application), alias="default")
    assert asked() == gateways.context_of("default").gateway.status("UNKNOWN-REFERENCE").message
    assert "merchantId=SANDBOX-MERCHANT" in application.requests[0]["QUERY_STRING"]
    used = gateways.gateway("default")
    gateways.forget_gateways()
    assert gateways.gateway("default") is not used


def test_another_clock_is_used_by_every_context_from_now_on() -> None:
    before, other = gateways.clock(), DatabaseClock()
    context = gateways.context_of("default")
    try:
        gateways.use_clock(other)
        assert gateways.clock() is gateways.context_of("default").clock is other
        assert context.clock is before
    finally:
        gateways.use_clock(before)


class OurGateway(Gateway):
    """A shop's client."""


def sign(request: Any) -> Any:  # noqa: ANN401
    request.headers["X-Signed"] = "yes"
    return request


class Signer:
    """As `requests` has its own: an object with the request alone."""

    def __call__(self, request: object, secret: str = "default") -> object:
        assert secret == "default"
        return sign(request)


def sign_for(request: Any, account: SigningAccount) -> Any:  # noqa: ANN401
    request.headers["X-Signed"] = f"{account.gateway} {account.merchant.store_id} {account.secrets['token']}"
    return request


def sign_by_keyword(request: PreparedRequest, *, account: SigningAccount) -> object:
    return sign_for(request, account)


signer = Signer()


def test_the_settings_name_the_class_of_the_client(settings: Settings) -> None:
    with_gateway(settings, CLIENT_CLASS=f"{__name__}.OurGateway")
    assert type(gateways.gateway("default")) is OurGateway
    gateways.use_transport(InProcessTransport(Application(b"[]")), alias="default")
    assert type(gateways.gateway("default")) is OurGateway
    assert asked() == StatusAnswer()


@pytest.mark.wire
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sign", "yes"),
        ("signer", "yes"),
        ("sign_for", "default SANDBOX-STORE canary-token"),
        ("sign_by_keyword", "default SANDBOX-STORE canary-token"),
    ],
)
def test_the_settings_name_what_signs_and_what_asks_for_the_account_gets_it(
    name: str, expected: str, settings: Settings
) -> None:
    with RawServer(says(answer(b"[]"))) as server:
        secrets = {"AUTH": f"{__name__}.{name}", "AUTH_SECRETS": {"token": "canary-token"}}
        with_gateway(settings, BASE_URL=server.base_url, **secrets)
        assert asked() == StatusAnswer()
    assert server.requests[0].headers["x-signed"] == expected
    assert "canary" not in repr(gateways.gateway("default")) + repr(gateways.context_of("default"))


@pytest.mark.wire
def test_the_files_of_the_settings_are_trusted_and_shown(settings: Settings, tmp_path: Path) -> None:
    theirs, ours = make_certificate(tmp_path), make_certificate(tmp_path, name="shop.example")
    with RawServer(says(answer(b"[]")), tls=theirs.server_context(client=ours)) as server:
        with_gateway(settings, BASE_URL=server.base_url, CA_FILE=theirs.file, CLIENT_CERT=ours.pair())
        assert asked() == StatusAnswer()
        gateways.forget_gateways()


def test_gateways_with_the_same_files_share_what_was_read_of_them(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | HTTPS
    file = make_certificate(tmp_path).file
    known = {"a": default, "b": default, "c": default | {"CA_FILE": file}, "d": default | {"CA_FILE": file}}
    plain = {"e": default | {"BASE_URL": "http://127.0.0.1:8001"}}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": known | plain}
    for alias in ("a", "c"):
        gateways.gateway(alias)
    monkeypatch.setattr(ssl, "SSLContext", lambda *_: pytest.fail("the files were read again"))
    for alias in ("b", "d", "e"):
        gateways.gateway(alias)


def test_a_file_that_is_gone_since_the_settings_were_read_is_named(
    settings: Settings, tmp_path: Path
) -> None:
    file = make_certificate(tmp_path).file
    with_gateway(settings, CA_FILE=file, **HTTPS)
    gateways.is_test("default")
    file.unlink()
    with pytest.raises(ImproperlyConfigured, match="gateway 'default': CA_FILE or CLIENT_CERT: "):
        gateways.gateway("default")


@pytest.mark.django_db
def test_a_client_has_the_key_that_the_button_has(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    client, cipher = gateways.gateway("default"), gateways.cipher()
    key = client.current_api_key()
    assert cipher is not None
    assert key == client.current_api_key() == cipher.unseal(bytes(WalletKey.objects.get().api_key))

    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": []}
    with_gateway(settings, WALLET=None)
    with pytest.raises(NotSent) as failure:
        gateways.gateway("default").current_api_key()
    assert (failure.value.reason, failure.value.detail) == (
        "no_api_key",
        "FERNET_KEYS are not set, so wallet secrets cannot be encrypted.",
    )


def test_each_call_is_told_to_whoever_listens_and_a_listener_that_fails_is_only_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[tuple[str, CallRecord]] = []

    def fails(**_: object) -> None:
        raise ZeroDivisionError

    def listens(gateway: str, call: CallRecord, **_: object) -> None:
        told.append((gateway, call))

    gateways.use_transport(InProcessTransport(Application(b"[]")), alias="default")
    for receiver in (fails, listens):
        gateway_called.connect(receiver)
    try:
        assert asked() == StatusAnswer()
    finally:
        for receiver in (fails, listens):
            gateway_called.disconnect(receiver)
    assert [(gateway, call.operation) for gateway, call in told] == [("default", "status")]
    assert "ZeroDivisionError" in caplog.text


def test_six_urls_lead_back_to_one_attempt_each_by_its_own_outcome() -> None:
    reference = "01M7Y5F23P3W43MCYT35CGVMNN"
    urls = gateways.return_urls(reference).to_wire()
    read = {
        name: return_tokens.read(resolve(urlsplit(url).path).kwargs["token"]) for name, url in urls.items()
    }
    outcomes = ("return", "success", "pending", "error", "cancel", "refused")
    assert {name: token.outcome.value for name, token in read.items()} == {f"{o}Url": o for o in outcomes}
    assert {token.reference for token in read.values()} == {reference}


def test_a_gateway_is_a_test_unless_real_money_moves_or_nobody_knows_it(settings: Settings) -> None:
    assert gateways.is_test("default")
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example"}
    with_gateway(settings, PROFILE="prod", MERCHANT_ID="M-1", WALLET=None, **HTTPS)
    assert not gateways.is_test("default")
    assert not gateways.is_test("removed")
    settings.WALLET_GATEWAY = {}
    assert not gateways.is_test("default")
