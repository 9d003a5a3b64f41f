"""The document of the sandbox's JSON: complete, and true of what a running sandbox answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from schemathesis import Case

from tests.fuzzing.addresses import addresses_of
from tests.fuzzing.sandbox import URLCONF, Sandbox
from tests.fuzzing.verdicts import MOST_SECONDS
from tests.openapi.documents import CHECKS, SANDBOX, labels, operation_of, operations, read, try_out
from wallet_gateway.protocol.endpoints import ENDPOINTS
from wallet_gateway.sandbox.refusals import REASONS
from wallet_gateway.testing.sandbox import SandboxServer

DOCUMENT = read(SANDBOX)
OWN = {"4400000", "4404000"}
"""What is answered before a call is found."""


def test_every_address_that_answers_json_is_in_it_and_no_other() -> None:
    addresses = {f"/{address.template}" for address in addresses_of(URLCONF)}
    json = {path for path in addresses if path.startswith(("/_sandbox/", "/wallet/api/"))}
    service = {endpoint.path for endpoint in ENDPOINTS}
    assert set(DOCUMENT["paths"]) == {*json, *service, "/wallet/keys.json"}


def test_every_endpoint_has_its_methods() -> None:
    for path in {endpoint.path for endpoint in ENDPOINTS}:
        methods = {endpoint.method.lower() for endpoint in ENDPOINTS if endpoint.path == path}
        assert set(DOCUMENT["paths"][path]) - {"options"} == methods


def test_every_refusal_is_in_it_under_its_status() -> None:
    by_status: dict[int, set[str]] = {}
    for number, code in REASONS.values():
        by_status.setdefault(number, set()).add(code)
    for path, method, operation in operations(DOCUMENT):
        for status, given in operation["responses"].items():
            if "$ref" not in given:
                continue
            named = DOCUMENT["components"]["responses"][given["$ref"].rpartition("/")[2]]
            codes = named["content"]["application/json"]["schema"]["allOf"][1]["properties"]["code"]["enum"]
            assert set(codes) - OWN == by_status[int(status)], (path, method)
            names = {name for name, (own, _) in REASONS.items() if own == int(status)}
            assert all(f"`{name}`" in named["description"] for name in names), (path, method)
    assert len(DOCUMENT["components"]["responses"]) == len(by_status)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    file = tmp_path_factory.mktemp("sandbox") / "sandbox.sqlite3"
    with SandboxServer("--database", str(file)) as server:
        yield Sandbox(server, file)


@pytest.mark.wire
@pytest.mark.parametrize("label", labels(DOCUMENT))
def test_the_sandbox_answers_as_it_says(label: str, sandbox: Sandbox) -> None:
    sandbox.begin()

    statuses = set()

    def ask(case: Case[Any]) -> None:
        make_known(case, sandbox)
        before, begun = sandbox.rows(), sandbox.processor_seconds()
        response = case.call(headers=headers_for(case, sandbox))
        assert sandbox.processor_seconds() - begun < MOST_SECONDS
        statuses.add(response.status_code)
        case.validate_response(response, checks=CHECKS)
        if 400 <= response.status_code < 500:
            assert not sandbox.changed_since(before)
        elif "/behaviour" in label or "/faults" in label:
            # Another way to answer is no longer the one that the document describes.
            sandbox.begin()

    operation = operation_of(SANDBOX, label, base_url=sandbox.server.base_url)
    if message := right_message(label, sandbox):
        ask(operation.Case(body=message, media_type="application/json"))
    try_out(operation, 4, ask)
    assert statuses & {200, 204}, "what is right must be among what is sent"


def right_message(label: str, sandbox: Sandbox) -> dict[str, Any]:
    """A message that can be carried out, where the document cannot say what hangs together in it."""
    method, path = label.split()
    if label == "PUT /_sandbox/clock":
        return {"now": "2100-01-31T09:30:00Z"}
    found = (dict(one.fields) for one in sandbox.samples() if f"/{one.address.template}" == path)
    return next(found, {}) if method == "POST" else {}


def make_known(case: Case[Any], sandbox: Sandbox) -> None:
    """Put the names that there are where the document can only tell their form."""
    known: dict[str, Any] = {
        "merchantId": "SANDBOX-MERCHANT",
        "storeId": "SANDBOX-STORE",
        "userId": "sandbox-user",
        "encryptionKeyId": sandbox.encryption_key,
        "transactionAccountId": sandbox.account["transactionAccountId"],
        "clientSystemInvoiceId": sandbox.paid,
        "paymentData": sandbox.payment_data,
    }
    for given in (case.body, case.query, case.path_parameters):
        if isinstance(given, dict) and "merchants" not in case.path:
            for name in known.keys() & given.keys():
                if isinstance(given[name], type(known[name])):
                    given[name] = known[name]


def headers_for(case: Case[Any], sandbox: Sandbox) -> dict[str, str]:
    service = case.path.startswith("/api/")
    return {"Authorization": sandbox.authorization} if service else {}
