"""Every message of the interface, both ways: what each has in common with the others."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import override_settings
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.protocol.samples import GOLDEN, paths, renamed
from tests.support.tables import every
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError, UnreadableBody
from wallet_gateway.protocol.wire import TransactionRequest, WireModel

REQUESTS = ["CheckoutRequest", "FollowUpRequest", "DetachedRefundRequest", "AuthorizationRequest"]
RENAMED: list[Callable[[str], str]] = [
    str.upper,
    str.lower,
    str.swapcase,
    lambda name: name[0].upper() + name[1:],
]

each_message = pytest.mark.parametrize("name", GOLDEN)


def read(name: str) -> WireModel:
    return MESSAGES[name].from_wire(GOLDEN[name])


def test_every_message_of_the_interface_is_there_in_its_order() -> None:
    assert list(MESSAGES) == list(GOLDEN)


@each_message
def test_a_message_with_every_field_goes_through_unchanged_and_is_a_value(name: str) -> None:
    message = read(name)
    assert message.to_wire() == GOLDEN[name]
    assert json.loads(message.to_json(), parse_float=str) == GOLDEN[name]
    again = MESSAGES[name].from_json(message.to_json())
    assert (again, hash(again), again.to_json()) == (message, hash(message), message.to_json())
    assert pickle.loads(pickle.dumps(message)) == copy.deepcopy(message) == message
    assert MESSAGES[name].checked(message.to_wire()) == message
    with pytest.raises(ValidationError, match="frozen"):
        setattr(message, next(iter(type(message).model_fields)), "x")


@each_message
def test_names_are_read_in_any_letter_case_and_order_and_what_nobody_documented_is_ignored(name: str) -> None:
    def backwards(value: Any) -> Any:  # noqa: ANN401
        return {key: backwards(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    others = {"$schema": None, "newField": [{"amount": 1}], "\u212aind": "x", "": 0}
    for given_ in (backwards(GOLDEN[name]), *(renamed(GOLDEN[name], rename) for rename in RENAMED)):
        assert MESSAGES[name].from_wire(given_ | others).to_json() == read(name).to_json()


@each_message
def test_two_spellings_of_one_field_are_refused_by_both_names(name: str) -> None:
    first = next(iter(GOLDEN[name]))
    doubled = {first.upper(): GOLDEN[name][first], **GOLDEN[name]}
    with pytest.raises(InvalidMessage, match=f"'{first.upper()}' and '{first}'") as caught:
        MESSAGES[name].from_wire(doubled)
    assert paths(caught.value) == [first]
    with pytest.raises(UnreadableBody, match="the same field"):
        MESSAGES[name].from_json(json.dumps(doubled))


HOSTILE = [
    *(b"", b"\xff\xfe", b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"amount": NaN}', b" " * 1_048_577, b"<html>"),
    *(b'{"amount": 1e999999999}', b'{"redirectUrl": ' + b"9" * 100_000 + b"}"),
    *(b"[]", b"null", b'"x"', b'{"id": "\\ud800", "code": "\\ud800"}', b"{}"),
]


@every("name", GOLDEN)
@every("body", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_body_is_refused_as_such_and_shortly(name: str, body: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        MESSAGES[name].from_json(body)
    assert type(caught.value) in {UnreadableBody, InvalidMessage}
    assert len(str(caught.value)) < 1000


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["10.00", "EUR", "ecom.sale", "1,0"]),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3),
    max_leaves=6,
)


@settings(max_examples=250)
@given(name=st.sampled_from(list(GOLDEN)), data=st.data())
def test_any_value_in_any_field_is_taken_or_an_invalid_message(name: str, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(sorted(GOLDEN[name])))
    values = GOLDEN[name] | {field: data.draw(JSON)}
    try:
        message = MESSAGES[name].from_wire(values)
    except InvalidMessage as error:
        assert all(len(fault.message) < 200 for fault in error.errors)  # noqa: PT017  (both ends are right)
        assert all(fault.path.startswith(field) or fault.path in values for fault in error.errors)  # noqa: PT017
    else:
        assert MESSAGES[name].from_wire(message.to_wire()) == message


@each_message
def test_what_is_none_is_left_out_and_what_there_is_not_has_no_attribute(name: str) -> None:
    nulled = dict.fromkeys(type(read(name)).wire_names.values()) | GOLDEN[name]
    assert None not in MESSAGES[name].from_wire(nulled).to_wire().values()
    with pytest.raises(TypeError, match=f"{name} has no field 'ammount'"):
        MESSAGES[name].build(ammount="1.00")


@every("name", REQUESTS)
def test_a_request_built_of_its_own_attributes_is_the_same_and_says_how_much(name: str) -> None:
    message = read(name)
    assert type(message).build(**dict(message)) == message
    assert isinstance(message, TransactionRequest)
    assert str(message.money) == f"{GOLDEN[name]['amount']} EUR"
    with override_settings(USE_THOUSAND_SEPARATOR=True), translation.override("hi"):
        assert MESSAGES[name].from_json(message.to_json()).to_wire() == GOLDEN[name]


@every(
    ("name", "field"),
    [
        ("FollowUpResponse", "id"),
        ("DetachedRefundResponse", "state"),
        ("StatusRecord", "id"),
        ("ErrorBody", "code"),
    ],
)
def test_in_an_answer_a_number_may_stand_for_a_text(name: str, field: str) -> None:
    body = json.dumps(GOLDEN[name] | {field: 12345}).encode()
    assert MESSAGES[name].from_json(body).to_wire()[field] == "12345"


def names_in(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


@each_message
def test_a_schema_names_the_fields_as_the_interface_does(name: str) -> None:
    schema = MESSAGES[name].model_json_schema(by_alias=True)
    parts = [schema, *schema.get("$defs", {}).values()]
    names = {field for part in parts for field in part.get("properties", {})}
    assert names >= names_in(GOLDEN[name])
    assert not [field for field in names if "_" in field]


def test_the_schema_of_a_record_says_that_its_amount_is_a_number() -> None:
    amount = MESSAGES["StatusRecord"].model_json_schema(by_alias=True)["properties"]["transactionAmount"]
    assert [kind["type"] for kind in amount["anyOf"]] == ["number", "null"]


def leaves(value: object) -> Iterator[str]:
    """Every text and number in a message's wire form."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
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


def test_what_is_not_given_is_not_shown() -> None:
    assert repr(MESSAGES["FollowUpResponse"].from_wire({"state": "Approved"})) == "FollowUpResponse(state)"
