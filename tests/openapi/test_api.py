"""The document of the addresses that our pages ask: complete, and true of what they answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction as db_transaction
from django.test import Client
from pytest_django import Settings
from schemathesis import Case, Response

from tests.api.browser import SECRET, Browser, approve
from tests.fuzzing.addresses import addresses_of
from tests.fuzzing.verdicts import MOST_SECONDS, Outcome, is_bad_input, watched
from tests.openapi.documents import API, CHECKS, METHODS, labels, operation_of, operations, read, try_out
from tests.security.canaries import HEALTH_TOKEN
from tests.support.problems import PROBLEMS
from tests.web.conftest import make_order
from wallet_gateway import return_tokens
from wallet_gateway.models import PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

__all__ = ["make_order"]
PAGES = {"pay/{token}/", "checkout/{token}/", "opening/{token}/", "return/{token}/", "result/{token}/"}
"""What answers HTML is no part of the document."""
DOCUMENT = read(API)


def codes_of(response: dict[str, Any]) -> set[str]:
    schema = response["content"]["application/problem+json"]["schema"]
    return set(schema["allOf"][1]["properties"]["code"]["enum"])


def responses_of(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The responses of an operation, with what they refer to."""
    named = DOCUMENT["components"]["responses"]
    return {
        status: named[given["$ref"].rpartition("/")[2]] if "$ref" in given else given
        for status, given in operation["responses"].items()
    }


def test_every_address_that_answers_json_is_in_it_and_no_other() -> None:
    addresses = {address.template for address in addresses_of("wallet_gateway.urls")}
    assert {path.removeprefix("/") for path in DOCUMENT["paths"]} == addresses - PAGES


def test_every_address_has_the_methods_of_its_view(client: Client) -> None:
    for path, item in DOCUMENT["paths"].items():
        url = f"/wallet{path.replace('{token}', 'x')}"
        allowed = {name for name in METHODS if client.generic(name, url).status_code != 405}
        assert {method for method in item if method != "parameters"} == allowed - {"head"}, path


def test_every_code_is_in_it_under_its_status() -> None:
    found: set[str] = set()
    for path, method, operation in operations(DOCUMENT):
        for status, response in responses_of(operation).items():
            if "application/problem+json" in response.get("content", {}):
                codes = codes_of(response)
                assert {PROBLEMS[code] for code in codes} == {int(status)}, (path, method, codes)
                found |= codes
    assert found == set(PROBLEMS)
    assert set(DOCUMENT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == set(PROBLEMS)


@pytest.fixture
def values(
    wallet_sandbox: SandboxControl, make_order: Callable[..., PaymentOrder], settings: Settings
) -> dict[str, Any]:
    """The tokens and references of an order that is being paid, and the cookies of its customer."""
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {"HEALTH_TOKEN": HEALTH_TOKEN}
    browser, order = Browser(), make_order()
    browser.client = Client()
    session = browser.open(order)
    browser.client.cookies["csrftoken"] = SECRET
    detail = approve(wallet_sandbox, session)
    return {
        "order": order.token,
        "return": return_tokens.sign(session["reference"], ReturnOutcome.RETURN),
        "reference": session["reference"],
        "account": detail["transactionAccountId"],
        "detail": detail,
        "cookies": {name: morsel.value for name, morsel in browser.client.cookies.items()},
    }


@pytest.mark.django_db
@pytest.mark.parametrize("label", labels(DOCUMENT))
def test_the_addresses_answer_as_it_says(label: str, values: dict[str, Any]) -> None:
    statuses = set()

    def ask(case: Case[Any]) -> None:
        make_known(case, values)
        response, outcome = answered(case, values)
        if outcome.seconds > MOST_SECONDS:
            # What takes long by itself takes long again.
            response, outcome = answered(case, values)
        statuses.add(response.status_code)
        # A monitor is told by 503 that something needs attention.
        case.validate_response(response, checks=CHECKS[1:] if "health" in label else CHECKS)
        assert outcome.seconds < MOST_SECONDS
        if is_bad_input(response.status_code):
            assert (outcome.written, outcome.sent) == (set(), 0)

    operation = operation_of(API, label, base_url="http://127.0.0.1:8000/wallet")
    if message := right_message(label, values):
        token = {"token": values["order"]}
        ask(operation.Case(path_parameters=token, body=message, media_type="application/json"))
    try_out(operation, 8, ask)
    assert statuses & {200, 204} or "health" in label, "what is right must be among what is sent"


def right_message(label: str, values: dict[str, Any]) -> dict[str, Any] | None:
    """Return a message that the address takes; None where it takes any, or none."""
    reference = {"reference": values["reference"]}
    messages = {"price/": reference, "event/": reference | {"event": "READY"}, "result/": values["detail"]}
    return next((message for end, message in messages.items() if label.endswith(end)), None)


def answered(case: Case[Any], values: dict[str, Any]) -> tuple[Response, Outcome]:
    """Ask the shop, and take back what it has written."""
    cache.clear()
    savepoint = db_transaction.savepoint()
    application, outcome = watched()
    response = case.call(app=application, headers=headers_for(case), cookies=values["cookies"])
    db_transaction.savepoint_rollback(savepoint)
    return response, outcome


def make_known(case: Case[Any], values: dict[str, Any]) -> None:
    """Put the tokens and references that there are where the document can only tell their form."""
    if "token" in case.path_parameters and len(case.path_parameters["token"]) % 4:
        case.path_parameters["token"] = values["return" if "status" in case.path else "order"]
    if isinstance(case.body, dict):
        for name in {"reference", "clientSystemTransactionId"} & case.body.keys():
            if isinstance(case.body[name], str):
                case.body[name] = values["reference"]
        if isinstance(case.body.get("transactionAccountId"), str):
            case.body["transactionAccountId"] = values["account"]


def headers_for(case: Case[Any]) -> dict[str, str]:
    monitor = {"Authorization": f"Bearer {HEALTH_TOKEN}"} if "health" in case.path else {}
    return {"X-CSRFToken": SECRET, **monitor}
