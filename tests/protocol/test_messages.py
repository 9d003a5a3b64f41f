"""Every message of the interface, both ways: what each has in common with the others."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings
from django.utils import translation

from tests.protocol.samples import (
    authorization,
    checkout,
    detached_refund,
    detached_refund_response,
    follow_up,
    follow_up_response,
    payment_account_request,
    payment_account_response,
    record,
    renamed,
)
from tests.tables import every
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError, UnreadableBody

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wallet_gateway.protocol.wire import WireModel

# Every message with every field the interface gives it.
GOLDEN: dict[str, dict[str, Any]] = {
    "CheckoutRequest": checkout(),
    "CheckoutResponse": {"redirectUrl": "https://gateway.example/checkout/8f14e45f"},
    "FollowUpRequest": follow_up() | {"shoppingCartDetails": checkout()["shoppingCartDetails"]},
    "FollowUpResponse": follow_up_response(),
    "DetachedRefundRequest": detached_refund(),
    "DetachedRefundResponse": detached_refund_response(),
    "StatusQuery": {"merchantId": "M-1001", "storeId": "S-1", "clientSystemTransactionId": "ORDER-1-a7"},
    "StatusRecord": record(),
    "PublicKeyRequest": {"merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user"},
    "PublicKeyResponse": {
        "apiKey": "pk-8f14e45f",
        "encryptionKey": "ek-8f14e45f",
        "expiresAt": "2026-05-01T10:20:30Z",
    },
    "PaymentAccountRequest": payment_account_request(),
    "PaymentAccountResponse": payment_account_response(),
    "PaymentAccountQuery": {
        "transactionAccountId": "ACC-8f14e45f",
        "merchantId": "M-1001",
        "storeId": "S-1",
        "encryptionKeyId": "ek-8f14e45f",
    },
    "PaymentAccount": {
        "transactionAccountId": "ACC-8f14e45f",
        "cardType": "Token",
        "cardNetwork": "VISA",
        "maskedAccountNumber": "************1111",
        "expirationMonth": 12,
        "expirationYear": 2030,
    },
    "AuthorizationRequest": authorization(),
    "AuthorizationResponse": follow_up_response()
    | {"redirectUrl": "https://gateway.example/three-d-secure/8f14e45f/"},
    "ErrorBody": {
        "code": "4107940",
        "description": "GeneralValidationError",
        "details": {"message": "SchemaValidationError: amount is missing"},
    },
    "MigrationRow": {
        "parentTransactionId": "OLD-1",
        "transactionDateTime": "2023-04-05T06:07:08.1234567",
        "amount": "100.00",
        "currencyCode": "EUR",
        "refundedAmount": "25.50",
        "providerTransactionId": "P-77",
    },
}
REQUESTS = ["CheckoutRequest", "FollowUpRequest", "DetachedRefundRequest", "AuthorizationRequest"]
ANSWERS = [
    "CheckoutResponse",
    "FollowUpResponse",
    "DetachedRefundResponse",
    "StatusRecord",
    "ErrorBody",
]

each_message = pytest.mark.parametrize("name", GOLDEN)


def read(name: str) -> WireModel:
    return MESSAGES[name].from_wire(GOLDEN[name])


def test_every_message_of_the_interface_is_there_in_its_order() -> None:
    assert list(MESSAGES) == list(GOLDEN)


@each_message
def test_a_message_with_every_field_goes_through_unchanged(name: str) -> None:
    assert read(name).to_wire() == GOLDEN[name]
    sent = json.loads(read(name).to_json(), parse_float=str)
    assert sent == GOLDEN[name]


@each_message
def test_a_message_read_from_its_own_bytes_is_equal_and_gives_the_same_bytes(name: str) -> None:
    again = MESSAGES[name].from_json(read(name).to_json())
    assert again == read(name)
    assert hash(again) == hash(read(name))
    assert again.to_json() == read(name).to_json()


@each_message
def test_the_order_of_fields_received_does_not_matter(name: str) -> None:
    def backwards(value: Any) -> Any:  # noqa: ANN401
        return {key: backwards(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    assert MESSAGES[name].from_wire(backwards(GOLDEN[name])).to_json() == read(name).to_json()


@each_message
@pytest.mark.parametrize(
    "rename",
    [str.upper, str.lower, str.swapcase, lambda name: name[0].upper() + name[1:]],
    ids=["upper", "lower", "swapped", "pascal"],
)
def test_names_are_read_in_any_letter_case_and_written_in_one(
    name: str, rename: Callable[[str], str]
) -> None:
    assert MESSAGES[name].from_wire(renamed(GOLDEN[name], rename)).to_wire() == GOLDEN[name]


@each_message
def test_what_nobody_documented_is_ignored(name: str) -> None:
    extended = {"$schema": None, **GOLDEN[name], "newField": [{"amount": 1}], "\u212aind": "x", "": 0}
    assert MESSAGES[name].from_wire(extended) == read(name)


@each_message
def test_an_attribute_name_of_python_is_not_read_from_the_wire(name: str) -> None:
    snake = renamed(GOLDEN[name], lambda part: re.sub(r"(?<=[a-z])([A-Z])", r"_\1", part).lower())
    if snake == GOLDEN[name]:
        assert name == "ErrorBody"
    elif name in {"FollowUpResponse", "DetachedRefundResponse", "AuthorizationResponse"}:
        assert MESSAGES[name].from_wire(snake).to_wire().keys() <= {"state", "id", "amount"}
    else:
        with pytest.raises(InvalidMessage, match="is missing"):
            MESSAGES[name].from_wire(snake)


@each_message
def test_two_spellings_of_one_field_are_refused_whichever_comes_first(name: str) -> None:
    first = next(iter(GOLDEN[name]))
    value = GOLDEN[name][first]
    for doubled in (
        {first.upper(): value, **GOLDEN[name]},
        {**GOLDEN[name], first.upper(): value},
    ):
        with pytest.raises(InvalidMessage, match="is given more than once") as caught:
            MESSAGES[name].from_wire(doubled)
        assert [fault.path for fault in caught.value.errors] == [first]
        assert repr(first) in str(caught.value)
        assert repr(first.upper()) in str(caught.value)
        with pytest.raises(UnreadableBody, match="the same field"):
            MESSAGES[name].from_json(json.dumps(doubled))


@each_message
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"amount": NaN}',
        b'{"amount": 1e999999999}',
        b'{"redirectUrl": ' + b"9" * 100_000 + b"}",
        b" " * 1_048_577,
        b"[]",
        b"null",
        b'"x"',
        b"<html>502</html>",
        b'{"id": "\\ud800", "code": "\\ud800"}',
        b"{}",
    ],
    ids=lambda body: ascii(body[:16]),
)
def test_a_hostile_body_is_refused_as_such_and_shortly(name: str, body: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        MESSAGES[name].from_json(body)
    assert type(caught.value) in {UnreadableBody, InvalidMessage}
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_built_of_its_own_attributes_is_the_same(name: str) -> None:
    assert type(read(name)).build(**dict(read(name))) == read(name)


@every("name", REQUESTS)
@every("language", ["de", "fr", "ar", "hi"])
def test_amounts_on_the_wire_know_no_language(name: str, language: str) -> None:
    sent = read(name).to_json()
    with override_settings(USE_THOUSAND_SEPARATOR=True), translation.override(language):
        assert read(name).to_json() == sent
        assert MESSAGES[name].from_json(sent).to_wire() == GOLDEN[name]


@pytest.mark.parametrize("name", ANSWERS)
def test_in_an_answer_a_number_may_stand_for_a_text(name: str) -> None:
    field = "redirectUrl" if name == "CheckoutResponse" else next(iter(GOLDEN[name]))
    body = json.dumps(GOLDEN[name] | {field: 12345}).encode()
    if name == "CheckoutResponse":
        with pytest.raises(InvalidMessage, match="'12345' is no absolute"):
            MESSAGES[name].from_json(body)
    else:
        assert MESSAGES[name].from_json(body).to_wire()[field] == "12345"


def schema(name: str) -> dict[str, Any]:
    return MESSAGES[name].model_json_schema(by_alias=True)


@each_message
def test_a_schema_names_the_fields_as_the_interface_does(name: str) -> None:
    document = schema(name)
    definitions = document.get("$defs", {})

    def names_of(part: dict[str, Any]) -> set[str]:
        found = set(part.get("properties", {}))
        for text in re.findall(r"#/\$defs/(\w+)", json.dumps(part)):
            found |= names_of(definitions[text])
        return found

    def sent(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(sent, value.values()))
        return set().union(*map(sent, value)) if isinstance(value, list) else set()

    assert names_of({key: part for key, part in document.items() if key != "$defs"}) >= sent(GOLDEN[name])
    assert not [each for each in names_of(document) if "_" in each]


def test_the_schema_of_a_record_says_that_its_amount_is_a_number() -> None:
    amount = schema("StatusRecord")["properties"]["transactionAmount"]
    assert [kind["type"] for kind in amount["anyOf"]] == ["number", "null"]


def leaves(value: object) -> Iterator[str]:
    """Every text and number in a message's wire form."""
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield str(value)


@every("name", GOLDEN)
def test_a_message_shows_the_names_of_what_is_given_and_no_value(name: str) -> None:
    message = MESSAGES[name].from_wire(GOLDEN[name])
    shown = repr(message)

    given = [field for field in type(message).model_fields if getattr(message, field) is not None]
    assert shown == f"{name}({', '.join(given)})"
    assert str(message) == shown
    assert f"{message}" == shown
    for text in leaves(GOLDEN[name]):
        # Texts of one or two letters are in the names by chance.
        if len(text) > 2:
            assert text not in shown
