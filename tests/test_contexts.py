"""One context for each gateway and process, made anew when the settings change; six URLs for each attempt."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.urls import resolve
from pytest_django import Settings

from wallet_gateway import contexts, return_tokens
from wallet_gateway.testing.control import SandboxControl

REFERENCE = "01M7Y5F23P3W43MCYT35CGVMNN"


def test_a_context_is_made_once(wallet_sandbox: SandboxControl) -> None:
    assert contexts.context_of("default") is contexts.context_of("default")


def test_a_context_follows_changed_settings(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    before = contexts.context_of("default")
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {"default": {**gateways["default"], "SENDING": False}},
    }

    after = contexts.context_of("default")

    assert before.policy.sending
    assert not after.policy.sending


def token_of(url: str) -> str:
    return str(resolve(urlsplit(url).path).kwargs["token"])


def test_six_urls_lead_back_to_one_attempt_each_by_its_own_outcome() -> None:
    urls = contexts.return_urls(REFERENCE).to_wire()

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


def test_urls_begin_with_the_public_origin_whatever_the_request_says() -> None:
    for url in contexts.return_urls(REFERENCE).to_wire().values():
        assert url.startswith("http://127.0.0.1:8000/wallet/")
