"""The shipped tables and examples: they agree with each other, and with what the project itself reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.architecture.sources import PACKAGE
from tests.tables import every
from wallet_gateway.conformance.messages import changed, without
from wallet_gateway.conformance.schemas import example, fields, mandatory, schema, violations, wrong_at
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
    ("path", "value", "said"),
    [
        ("amount", None, "amount: it is null"),
        ("amount", True, "amount: it is boolean"),
        ("amount", "1,00", "amount: it does not match"),
        ("currencyCode", "EURO", "currencyCode: it does not match"),
        ("checkoutDetails.redirectUrlTimeout", 901, "it is not between 0 and 900"),
        ("checkoutDetails.redirectUrlTimeout", "900", "it is string, not integer"),
        ("addressDetails", [], "addressDetails: it is array, not object"),
        (f"{LINE}.productType", "cake", "shoppingCartDetails.itemDetails[0].productType: it is none of"),
        (f"{LINE}.productQuantity", 1.5, "it is number, not integer"),
    ],
)
def test_what_a_table_does_not_allow_is_named(path: str, value: object, said: str) -> None:
    [found] = violations("checkout_request", changed(example("checkout_request"), path, value))
    assert said in found


def test_a_missing_field_is_named() -> None:
    less = without(example("checkout_request"), "redirectDetails.errorUrl")
    assert violations("checkout_request", less) == ["redirectDetails.errorUrl: it is left out"]
    assert violations(
        "follow_up_request", without(example("follow_up_request"), "apmdetails.apmProviderName")
    )


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        ("state", {"state": "Approved"}, ""),
        ("state", {"STATE": "Approved"}, ""),
        ("state", {}, "it is left out"),
        ("state", {"state": 7}, "it is integer, not string"),
        ("state", "text", "it is left out"),
        ("apmDetails.apmProviderName", {"apmDetails": {}}, "it is left out"),
    ],
)
def test_one_field_is_judged_by_itself(path: str, value: Any, wrong: str) -> None:  # noqa: ANN401
    assert wrong_at("follow_up_response", path, value) == wrong
