"""The poll: what it answers, to whom, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.api.browser import problem
from tests.web.conftest import address
from tests.web.rows import an_attempt, an_order
from wallet_gateway import return_tokens
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import Payment
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.django_db

NOT_FINAL = {OrderState.OPEN, OrderState.PENDING}


def _poll(client: Client, attempt: Payment, **extra: Any) -> Answer:
    return client.get(address("status", attempt, ReturnOutcome.SUCCESS), **extra)


@pytest.mark.parametrize("state", list(OrderState))
def test_the_answer_is_state_final_and_next_and_nothing_else(client: Client, state: OrderState) -> None:
    attempt = an_attempt(an_order(state))
    response = _poll(client, attempt)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response.json() == {
        "state": state.value,
        "final": state not in NOT_FINAL,
        "next": response.request["PATH_INFO"].replace("/api/status/", "/result/"),
    }


def test_next_leads_to_a_page_that_exists(client: Client) -> None:
    assert client.get(_poll(client, an_attempt(an_order(OrderState.PAID))).json()["next"]).status_code == 200


def test_the_answer_is_kept_by_nobody(client: Client) -> None:
    response = _poll(client, an_attempt(an_order()))
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert not response.cookies


def test_a_poll_touches_neither_session_nor_user(client: Client) -> None:
    client.cookies["sessionid"] = "of-a-customer-who-is-logged-in"
    response = _poll(client, an_attempt(an_order()))
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")


def test_a_token_that_is_not_ours_is_a_problem_in_json(client: Client) -> None:
    response = client.get(reverse("wallet_gateway:status", args=["a:b:c"]))
    assert response.status_code == 404
    assert response.json() == problem("unknown_link", 404, "There is no such link.")
    assert response["Cache-Control"] == "no-store"


def test_an_attempt_nobody_made_is_the_same_problem_as_a_wrong_token(client: Client) -> None:
    token = return_tokens.sign("attempt-of-nobody", ReturnOutcome.SUCCESS)
    unknown = client.get(reverse("wallet_gateway:status", args=[token]))
    wrong = client.get(reverse("wallet_gateway:status", args=["a:b:c"]))
    assert (unknown.status_code, unknown.content) == (wrong.status_code, wrong.content)


def test_an_expired_link_says_so_and_not_what_became_of_the_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = address("status", an_attempt(an_order(OrderState.PAID)), ReturnOutcome.SUCCESS)
    monkeypatch.setattr("django.core.signing.time.time", lambda: 9_999_999_999.0)
    response = client.get(path)
    assert response.status_code == 410
    assert response.json() == problem("expired_link", 410, "This link has expired.")


def test_a_shop_without_its_settings_is_a_problem_that_names_none_of_them(
    client: Client, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    attempt = an_attempt(an_order())
    settings.WALLET_GATEWAY = {}
    response = _poll(client, attempt)
    assert response.status_code == 503
    assert response.json()["code"] == "not_configured"
    assert "WALLET_GATEWAY" not in response.content.decode()
    assert "WALLET_GATEWAY" in caplog.text


def test_a_problem_is_in_the_language_of_the_request(client: Client) -> None:
    path = reverse("wallet_gateway:status", args=["a:b:c"])
    assert client.get(path, HTTP_ACCEPT_LANGUAGE="de").json()["detail"] == "Diesen Link gibt es nicht."


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "head", "options", "trace"])
def test_there_is_nothing_to_do_but_ask(client: Client, method: str) -> None:
    response = getattr(client, method)(address("status", an_attempt(an_order()), ReturnOutcome.SUCCESS))
    assert response.status_code == 405
    if method != "head":
        assert response.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "nonsense"])
def test_whoever_wants_something_else_than_json_gets_a_problem_in_json(client: Client, accept: str) -> None:
    response = _poll(client, an_attempt(an_order()), HTTP_ACCEPT=accept)
    assert response.status_code == 406
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "not_acceptable"


def test_polls_are_not_throttled(client: Client) -> None:
    attempt = an_attempt(an_order())
    assert {_poll(client, attempt).status_code for _ in range(200)} == {200}


def test_the_projects_defaults_for_its_own_api_do_not_reach_the_poll(
    client: Client, settings: Settings
) -> None:
    settings.REST_FRAMEWORK = {
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.AnonRateThrottle"],
        "DEFAULT_THROTTLE_RATES": {"anon": "1/day"},
        "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.AcceptHeaderVersioning",
        "ALLOWED_VERSIONS": ["9"],
        "EXCEPTION_HANDLER": "no.such.handler",
    }
    attempt = an_attempt(an_order())
    assert [_poll(client, attempt).status_code for _ in range(3)] == [200, 200, 200]
    assert client.get(reverse("wallet_gateway:status", args=["a:b:c"])).status_code == 404


def test_a_poll_asks_the_gateway(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    assert _poll(client, open_attempt).json()["state"] == "PAID"


def test_a_poll_while_the_gateway_is_down_says_that_nothing_is_known(
    client: Client, wallet_sandbox: SandboxControl, open_attempt: Payment
) -> None:
    wallet_sandbox.complete_checkout(open_attempt.reference, "success")
    wallet_sandbox.fault("status", "drop_before", times=9)
    answer = _poll(client, open_attempt).json()
    assert (answer["state"], answer["final"]) == ("OPEN", False)
