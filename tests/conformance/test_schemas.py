"""The shipped tables and examples: they agree with each other, and with what the project itself reads."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs

from tests.architecture.sources import PACKAGE
from tests.support.tables import every
from wallet_gateway.conformance import messages
from wallet_gateway.conformance.messages import changed, without
from wallet_gateway.conformance.schemas import example, fields, mandatory, schema, wrong_at
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import PaymentAccountResponse, PaymentData
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.protocol.faults import ErrorBody
from wallet_gateway.protocol.follow_ups import (
    DetachedRefundRequest,
    DetachedRefundResponse,
    FollowUpRequest,
    FollowUpResponse,
)
from wallet_gateway.protocol.status import StatusRecord, parse_records
from wallet_gateway.protocol.wire import WireModel

FOLDER = PACKAGE / "conformance"
EXAMPLES = sorted(path.stem for path in (FOLDER / "examples").glob("*.json"))
SCHEMAS = sorted(path.stem for path in (FOLDER / "schemas").glob("*.json"))
SCHEMA_OF = {
    "error_refund_limit": "error",
    "error_schema": "error",
    "wallet_result_extensive": "wallet_result",
}
MODELS: dict[str, type[WireModel]] = {
    "checkout_request": CheckoutRequest,
    "checkout_response": CheckoutResponse,
    "follow_up_request": FollowUpRequest,
    "follow_up_response": FollowUpResponse,
    "detached_refund_request": DetachedRefundRequest,
    "detached_refund_response": DetachedRefundResponse,
    "error_refund_limit": ErrorBody,
    "error_schema": ErrorBody,
    "wallet_result": PaymentAccountResponse,
    "wallet_result_extensive": PaymentAccountResponse,
    "payment_data": PaymentData,
}


def violations(name: str, value: object) -> list[str]:
    """Where a message contradicts its schema; names match in any letter case, as everywhere in the kit."""
    validator = jsonschema_rs.validator_for(_folded(schema(name)))
    return sorted(".".join(map(str, error.instance_path)) for error in validator.iter_errors(_folded(value)))


def _folded(value: object) -> Any:  # noqa: ANN401  (a JSON value)
    if isinstance(value, dict):
        names = {"required": [name.casefold() for name in value["required"]]} if "required" in value else {}
        folded = {name.casefold() if name[0] != "$" else name: _folded(part) for name, part in value.items()}
        for keyword in ("anyOf",):
            if keyword in value:
                folded[keyword] = folded.pop(keyword.casefold())
        return folded | names
    return [_folded(part) for part in value] if isinstance(value, list) else value


@every("name", EXAMPLES)
def test_an_example_is_as_its_table_says(name: str) -> None:
    assert violations(SCHEMA_OF.get(name, name), example(name)) == []


@every("name", MODELS)
def test_an_example_is_read_by_the_project(name: str) -> None:
    value = strict_json.loads(json.dumps(example(name)).encode())
    assert isinstance(value, dict)
    assert isinstance(MODELS[name].from_wire(value), MODELS[name])


def test_the_example_of_records_is_read_whole() -> None:
    answer = parse_records(strict_json.loads(json.dumps(example("status_records")).encode()))
    assert (len(answer.records), answer.unreadable) == (3, ())


@every(
    ("name", "model"),
    [
        ("checkout_request", CheckoutRequest),
        ("follow_up_response", FollowUpResponse),
        ("detached_refund_response", DetachedRefundResponse),
    ],
)
def test_a_table_has_the_fields_that_the_project_knows(name: str, model: type[WireModel]) -> None:
    known = set(model.wire_names.values())
    assert {path for path in fields(name) if "." not in path} == known


def test_the_table_of_records_has_the_fields_that_the_project_knows() -> None:
    details = StatusRecord.model_fields["apm_details"]
    assert details is not None
    top = {path for path in fields("status_records") if "." not in path}
    assert top == set(StatusRecord.wire_names.values())


@every("name", SCHEMAS)
def test_a_schema_names_its_section_and_describes_its_fields(name: str) -> None:
    found = schema(name)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["title"]
    assert fields(name)


def test_mandatory_fields_are_those_of_the_tables() -> None:
    assert mandatory("checkout_request")[:7] == [
        "merchantId",
        "storeId",
        "userId",
        "type",
        "amount",
        "currencyCode",
        "clientSystemTransactionId",
    ]
    assert "redirectDetails.refusedUrl" in mandatory("checkout_request")
    assert mandatory("checkout_request", "addressDetails.billingAddress") == [
        "houseNumber",
        "street",
        "city",
        "zipPostalCode",
        "countryCode",
    ]
    assert "productQuantity" in mandatory("checkout_request", "shoppingCartDetails.itemDetails")


LINE = "shoppingCartDetails.itemDetails.0"


@every(
    ("path", "value"),
    [
        ("amount", None),
        ("amount", True),
        ("amount", "1,00"),
        ("currencyCode", "EURO"),
        ("checkoutDetails.redirectUrlTimeout", 901),
        ("checkoutDetails.redirectUrlTimeout", "900"),
        ("addressDetails", []),
        (f"{LINE}.productType", "cake"),
        (f"{LINE}.productQuantity", 1.5),
    ],
)
def test_what_a_table_does_not_allow_is_found(path: str, value: object) -> None:
    wrong = changed(example("checkout_request"), path, value)
    assert violations("checkout_request", wrong) == [path.casefold()]


def test_a_missing_field_is_found() -> None:
    less = without(example("checkout_request"), "redirectDetails.errorUrl")
    assert violations("checkout_request", less) == ["redirectdetails"]
    bare = without(example("follow_up_request"), "apmdetails.apmProviderName")
    assert violations("follow_up_request", bare) == ["apmdetails"]


REFUND = messages.transaction(
    SANDBOX_ACCOUNT, "ecom.refund", "1.00", reference="R", clientSystemInvoiceId="O"
)


@every(
    ("name", "body"),
    [
        ("checkout_request", messages.checkout(SANDBOX_ACCOUNT, "KIT-1")),
        ("checkout_request", messages.full_checkout(SANDBOX_ACCOUNT, "KIT-1")),
        ("checkout_request", messages.checkout_example(SANDBOX_ACCOUNT, "KIT-1")),
        ("follow_up_request", REFUND),
        (
            "detached_refund_request",
            messages.transaction(
                SANDBOX_ACCOUNT, "detached.refund", "1.00", reference="R", parentTransactionId="P"
            ),
        ),
    ],
)
def test_the_kits_own_requests_are_as_their_tables_say(name: str, body: dict[str, Any]) -> None:
    assert violations(name, body) == []


def test_the_least_that_a_checkout_needs_is_what_the_table_calls_mandatory() -> None:
    body = messages.checkout(SANDBOX_ACCOUNT, "KIT-1")
    given = {f"{name}.{inner}" for name, part in body.items() if isinstance(part, dict) for inner in part}
    assert given | set(body) == set(mandatory("checkout_request"))


def test_examples_keep_the_spellings_of_the_document() -> None:
    full = messages.full_checkout(SANDBOX_ACCOUNT, "KIT-1")
    shown = messages.checkout_example(SANDBOX_ACCOUNT, "KIT-1")
    assert "totalTaxAmount" in full["shoppingCartDetails"]
    assert "totaltaxAmount" in shown["shoppingCartDetails"]
    assert shown["clientSystemTransactionId"] == "KIT-1"
    refund = messages.as_in_example("follow_up_request", REFUND)
    assert refund["apmdetails"] == {"apmProviderName": SANDBOX_ACCOUNT.provider}
    assert "apmDetails" not in refund
    assert "ItemDetails" in refund["shoppingCartDetails"]
    assert b'"amount": 1.00,' in messages.to_json(refund)


@every(
    ("name", "path", "value", "wrong"),
    [
        ("follow_up_response", "state", {"state": "Approved"}, ""),
        ("follow_up_response", "state", {"STATE": "Approved"}, ""),
        ("follow_up_response", "state", {}, "it is left out"),
        ("follow_up_response", "state", {"state": 7}, "it is integer, not string"),
        ("follow_up_response", "state", {"state": True}, "it is boolean, not string"),
        ("follow_up_response", "state", "text", "it is left out"),
        ("follow_up_response", "apmDetails.apmProviderName", {"apmDetails": {}}, "it is left out"),
        ("payment_account", "cardType", {"cardType": "Paper"}, "it is none of Card, Token"),
        ("checkout_response", "redirectUrl", {"redirectUrl": "/1"}, "it does not match ^https?://"),
        ("status_records", "transactionAmount", {"transactionAmount": -1}, "it is below 0"),
    ],
)
def test_one_field_is_judged_by_itself(name: str, path: str, value: object, wrong: str) -> None:
    assert wrong_at(name, path, value) == wrong
