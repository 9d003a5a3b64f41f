"""One client for each alias and process; a clock that is the database's."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import resolve
from pytest_django import Settings
from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

from tests.client.applications import Application
from tests.client.certificates import make_certificate
from tests.client.servers import RawServer, answer, says
from tests.nameless_receivers import nameless
from wallet_gateway import conf, gateways, return_tokens
from wallet_gateway.client.calls import CallRecord
from wallet_gateway.client.credentials import SigningAccount
from wallet_gateway.client.errors import NotSent
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.operations.wallet.keys import current_key
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.signals import gateway_called
from wallet_gateway.testing import InProcessTransport
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]


def test_threads_share_one_client(wallet_sandbox: SandboxControl) -> None:
    made: list[Gateway] = []
    threads = [Thread(target=lambda: made.append(gateways.gateway("default"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 8
    assert len({id(gateway) for gateway in made}) == 1


def test_changed_settings_make_a_new_client(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    before = gateways.gateway("default")
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY}

    assert gateways.gateway("default") is not before


def test_money_of_an_unknown_gateway_counts_as_real(settings: Settings) -> None:
    assert not gateways.is_test("removed")
    settings.WALLET_GATEWAY = {}
    assert not gateways.is_test("default")


class OurGateway(Gateway):
    """A shop's client."""


def test_the_settings_name_the_class_of_the_client(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"CLIENT_CLASS": "tests.test_gateways.OurGateway"}
    settings.WALLET_GATEWAY = {**given, "GATEWAYS": {"default": default}}
    assert type(gateways.gateway("default")) is OurGateway
    assert gateways.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()

    gateways.use_transport(InProcessTransport(Application()), alias="default")
    assert type(gateways.gateway("default")) is OurGateway


@pytest.mark.django_db
def test_a_client_has_the_key_that_the_button_has(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    client = gateways.gateway("default")
    key = client.current_api_key()
    assert key == client.current_api_key() == current_key(context=gateways.context_of("default")).api_key

    default = {**settings.WALLET_GATEWAY["GATEWAYS"]["default"]}
    default.pop("WALLET")
    keyless = {"FERNET_KEYS": [], "GATEWAYS": {"default": default}}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, **keyless}
    with pytest.raises(NotSent) as failure:
        gateways.gateway("default").current_api_key()
    assert (failure.value.reason, failure.value.detail) == (
        "no_api_key",
        "FERNET_KEYS are not set, so wallet secrets cannot be encrypted.",
    )


def test_each_call_is_told_to_whoever_listens_and_a_listener_that_fails_is_only_logged(
    wallet_sandbox: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[tuple[str, CallRecord]] = []

    def fails(**_: object) -> None:
        raise ZeroDivisionError

    def listens(gateway: str, call: CallRecord, **_: object) -> None:
        told.append((gateway, call))

    for receiver in (fails, listens):
        gateway_called.connect(receiver)
    try:
        assert gateways.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()
    finally:
        for receiver in (fails, listens):
            gateway_called.disconnect(receiver)

    assert [(gateway, call.operation) for gateway, call in told] == [("default", "status")]
    assert "ZeroDivisionError" in caplog.text


def sign(request: object) -> object:
    request.headers["X-Signed"] = "yes"  # type: ignore[attr-defined]
    return request


def test_a_named_callable_signs_requests(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    given = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {"default": {**given["default"], "AUTH": "tests.test_gateways.sign"}},
    }

    assert gateways.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()


class Signer:
    """As `requests` has its own: an object with the request alone."""

    def __call__(self, request: object, secret: str = "default") -> object:
        assert secret == "default"
        return sign(request)


def sign_for(request: object, account: SigningAccount) -> object:
    request.headers["X-Signed"] = f"{account.gateway} {account.merchant.store_id} {account.secrets['token']}"  # type: ignore[attr-defined]
    return request


def sign_by_keyword(request: object, *, account: SigningAccount) -> object:
    return sign_for(request, account)


signer = Signer()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sign", "yes"),
        ("signer", "yes"),
        ("sign_for", "default SANDBOX-STORE canary-token"),
        ("sign_by_keyword", "default SANDBOX-STORE canary-token"),
    ],
)
def test_a_callable_that_asks_for_the_account_gets_it_and_any_other_gets_the_request_alone(
    name: str, expected: str, settings: Settings
) -> None:
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    own = {"AUTH": f"tests.test_gateways.{name}", "AUTH_SECRETS": {"token": "canary-token"}}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**default, **own}}}
    auth = gateways.auth_of(conf.gateway_settings("default"))
    assert auth is not None
    request = PreparedRequest()
    request.headers = CaseInsensitiveDict()
    assert auth(request).headers["X-Signed"] == expected
    assert "canary" not in repr(auth)


def test_gateways_with_the_same_files_share_what_was_read_of_them(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[object, ...]] = []

    def tls_context(*files: object) -> object:
        made.append(files)
        return object()

    monkeypatch.setattr(gateways, "tls_context", tls_context)
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"BASE_URL": "https://gateway.example"}
    own = {"CA_FILE": make_certificate(tmp_path).file}
    known = {"default": default, "second": default, "third": default | own, "plain": default | PLAIN}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": known}
    for alias in known:
        gateways.gateway(alias)
    assert made == [(None, None), (str(own["CA_FILE"]), None)]


PLAIN = {"BASE_URL": "http://127.0.0.1:8001"}


def test_a_file_that_is_gone_since_the_settings_were_read_is_named(
    settings: Settings, tmp_path: Path
) -> None:
    file = make_certificate(tmp_path).file
    own = {"BASE_URL": "https://gateway.example", "CA_FILE": file}
    default = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | own
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": default}}
    conf.gateway_settings("default")
    file.unlink()
    with pytest.raises(ImproperlyConfigured, match="gateway 'default': CA_FILE or CLIENT_CERT: "):
        gateways.gateway("default")


@pytest.mark.wire
def test_the_files_of_the_settings_are_trusted_and_shown(settings: Settings, tmp_path: Path) -> None:
    theirs, ours = make_certificate(tmp_path), make_certificate(tmp_path, name="shop.example")
    with RawServer(says(answer(b"[]")), tls=theirs.server_context(client=ours)) as server:
        given = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
        own = {"BASE_URL": server.base_url, "CA_FILE": theirs.file, "CLIENT_CERT": ours.pair()}
        settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**given, **own}}}
        assert gateways.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()
        gateways.forget_gateways()


def test_another_transport_is_used_until_the_gateways_are_forgotten() -> None:
    application = Application(b"[]")
    gateways.use_transport(InProcessTransport(application), alias="default")
    account = conf.gateway_settings("default").account
    assert gateways.context_of("default").gateway.status("UNKNOWN-REFERENCE").message == StatusAnswer()
    assert f"merchantId={account.merchant_id}" in application.requests[0]["QUERY_STRING"]
    used = gateways.gateway("default")
    gateways.forget_gateways()
    assert gateways.gateway("default") is not used


def test_another_clock_is_used_by_every_context_from_now_on(
    wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "_clock", gateways.clock())
    before, other = gateways.context_of("default"), gateways.DatabaseClock()
    gateways.use_clock(other)
    assert gateways.clock() is gateways.context_of("default").clock is other
    assert before.clock is not other
    gateways.use_clock(before.clock)  # type: ignore[arg-type]


REFERENCE = "01M7Y5F23P3W43MCYT35CGVMNN"


def test_a_context_follows_changed_settings(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    before = gateways.context_of("default")
    given = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {"default": {**given["default"], "SENDING_ENABLED": False}},
    }

    after = gateways.context_of("default")

    assert before.policy.sending
    assert not after.policy.sending


def test_six_urls_lead_back_to_one_attempt_each_by_its_own_outcome() -> None:
    urls = gateways.return_urls(REFERENCE).to_wire()

    read = {
        name: return_tokens.read(resolve(urlsplit(url).path).kwargs["token"]) for name, url in urls.items()
    }

    assert {name: token.outcome.value for name, token in read.items()} == {
        "returnUrl": "return",
        "successUrl": "success",
        "pendingUrl": "pending",
        "errorUrl": "error",
        "cancelUrl": "cancel",
        "refusedUrl": "refused",
    }
    assert {token.reference for token in read.values()} == {REFERENCE}


@pytest.mark.parametrize(("profile", "expected"), [({}, True), ({"PROFILE": "prod"}, False)])
def test_a_gateway_is_a_test_unless_real_money_moves(
    settings: Settings, profile: dict[str, str], expected: bool
) -> None:
    given = settings.WALLET_GATEWAY
    default = {key: value for key, value in given["GATEWAYS"]["default"].items() if key != "WALLET"}
    live = {"BASE_URL": "https://gateway.example", "MERCHANT_ID": "M-1", "STORE_ID": "S-1"}
    settings.WALLET_GATEWAY = {
        **given,
        "PUBLIC_ORIGIN": "https://shop.example",
        "GATEWAYS": {"default": default | live | profile},
    }
    assert gateways.is_test("default") is expected
