"""The base of every message: three ways in, two ways out, and nothing half-right in between."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, ValidationError
from pydantic_core import SchemaError

from tests.protocol import samples
from tests.protocol.test_messages import GOLDEN
from wallet_gateway.protocol.endpoints import MESSAGES
from wallet_gateway.protocol.errors import InvalidMessage, ProtocolError
from wallet_gateway.protocol.field_types import Amount, Text
from wallet_gateway.protocol.strict_json import dumps
from wallet_gateway.protocol.wire import BuiltOnFirstUse, TransactionRequest, WireModel

every_message = pytest.mark.parametrize("name", GOLDEN)


def read(name: str) -> WireModel:
    return MESSAGES[name].from_wire(GOLDEN[name])


@every_message
def test_a_message_is_a_value(name: str) -> None:
    message = read(name)
    assert message == read(name)
    assert hash(message) == hash(read(name))
    assert pickle.loads(pickle.dumps(message)) == message
    assert copy.deepcopy(message) == message
    with pytest.raises(ValidationError, match="frozen"):
        setattr(message, next(iter(type(message).model_fields)), "x")


@every_message
def test_what_is_none_is_left_out(name: str) -> None:
    def has_null(value: object) -> bool:
        if isinstance(value, dict):
            return any(part is None or has_null(part) for part in value.values())
        return isinstance(value, list) and any(map(has_null, value))

    nulled = samples.renamed(GOLDEN[name], str) | {"somethingElse": None}
    assert not has_null(MESSAGES[name].from_wire(nulled).to_wire())


@every_message
def test_text_outside_ascii_is_sent_as_it_is(name: str) -> None:
    body = dumps(samples.renamed(GOLDEN[name], str)).replace(b"SchemaValidationError", "Prüfung".encode())
    assert b"\\u" not in MESSAGES[name].from_json(body).to_json()


@every_message
def test_an_unknown_keyword_is_a_type_error_not_a_silence(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} has no field 'ammount'"):
        MESSAGES[name].build(ammount="1.00")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["10.00", "EUR", "ecom.sale", "1,0"]),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3),
    max_leaves=6,
)


@every_message
@settings(max_examples=60)
@given(data=st.data())
def test_any_value_in_any_field_is_taken_or_an_invalid_message(name: str, data: st.DataObject) -> None:
    values = samples.renamed(GOLDEN[name], str)
    field = data.draw(st.sampled_from(sorted(values)))
    values[field] = data.draw(JSON)
    try:
        message = MESSAGES[name].from_wire(values)
    except InvalidMessage as error:
        assert all(len(fault.message) < 200 for fault in error.errors)  # noqa: PT017  (both ends are right)
        assert all(fault.path.startswith(field) or fault.path in values for fault in error.errors)  # noqa: PT017
    else:
        assert MESSAGES[name].from_wire(message.to_wire()) == message


@every_message
@settings(max_examples=40)
@given(body=st.binary(max_size=40) | st.text(max_size=40))
def test_any_body_is_a_message_or_a_protocol_error(name: str, body: bytes | str) -> None:
    with pytest.raises(ProtocolError):
        MESSAGES[name].from_json(body)


class Pair(WireModel):
    first: Text
    second: Amount


def test_a_fault_found_while_normalizing_is_not_told_twice() -> None:
    with pytest.raises(InvalidMessage) as caught:
        Pair.build(first="x", second=1.5)
    assert [fault.path for fault in caught.value.errors] == ["second"]
    assert "floating-point" in str(caught.value)


def test_the_constructor_raises_pydantics_own_error() -> None:
    with pytest.raises(ValidationError):
        Pair(first="", second="1.00")
    assert Pair(first="x", second="1.00") == Pair.build(first="x", second="1.00")


def test_a_copy_with_changes_is_checked() -> None:
    original = Pair(first="x", second="1.00")
    assert original.model_copy(update={"first": "y"}) == Pair(first="y", second="1.00")
    assert original.model_copy(deep=True) == original
    with pytest.raises(InvalidMessage, match="first: is empty"):
        original.model_copy(update={"first": ""})
    with pytest.raises(TypeError, match="third"):
        original.model_copy(update={"third": "z"})


def test_threads_that_need_a_message_first_all_read_it_by_its_own_rules() -> None:
    for _ in range(20):

        class Longer(Pair):
            third: Text

        started = threading.Barrier(8)

        def faults(_: int, message: type[Pair] = Longer, start: threading.Barrier = started) -> list[str]:
            start.wait()
            with pytest.raises(InvalidMessage) as caught:
                message.build(first="", second="1.00")
            return samples.paths(caught.value)

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(faults, range(8))) == [["first", "third"]] * 8


def test_what_every_message_is_read_with_can_be_built_before_it_is_needed() -> None:
    class Wrong(BuiltOnFirstUse):
        second: Annotated[str, Field(pattern="(")]

    try:
        with pytest.raises(SchemaError, match="unclosed group"):
            BuiltOnFirstUse.build_all()
    finally:
        del Wrong
        gc.collect()
    BuiltOnFirstUse.build_all()


def test_every_request_that_moves_money_says_how_much() -> None:
    said = {}
    for name in MESSAGES:
        message = read(name)
        if isinstance(message, TransactionRequest):
            said[name] = str(message.money)
    assert said == {
        "CheckoutRequest": "66.77 EUR",
        "FollowUpRequest": "10.00 EUR",
        "DetachedRefundRequest": "7.50 EUR",
        "AuthorizationRequest": "66.77 EUR",
    }
