"""A subclass of the client for a gateway with other habits, and what comes of faults in the shop's code."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.client.calls import ACCOUNT, CAPTURE, CAPTURED, KEYS, RECORDS
from tests.client.wires import Wire, wire
from tests.support.tables import every
from wallet_gateway.client.errors import BadAnswer, NotSent, NotSentReason, OutcomeUnknown
from wallet_gateway.client.exchange import GatewayRequest
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.endpoints import FOLLOW_UP, PUBLIC_KEY, STATUS, Endpoint
from wallet_gateway.protocol.strict_json import JsonValue

Adapt = Callable[[Endpoint, Any], Any]


def adapting(transport: Wire, *, request: Adapt | None = None, answer: Adapt | None = None) -> Gateway:
    """Return a client of a subclass with these two methods."""
    methods = {"adapt_request": request, "adapt_answer": answer}
    own = {
        name: lambda self, endpoint, value, act=act: act(endpoint, value)
        for name, act in methods.items()
        if act is not None
    }
    subclass: type[Gateway] = type("OurGateway", (Gateway,), own)
    return subclass(account=ACCOUNT, transport=transport)


def test_a_request_may_have_another_method_path_query_body_and_header() -> None:
    def other(endpoint: Endpoint, request: GatewayRequest) -> GatewayRequest:
        assert endpoint is PUBLIC_KEY
        wanted = {"user": request.body["userId"]}  # type: ignore[call-overload,index]
        moved = replace(request, method="PUT", path="/k/{id}", path_values={"id": "a/b"}, body=wanted)
        return replace(moved, query={"v": "2"}).with_header("X-Version", "2")

    transport = wire(KEYS)
    answer = adapting(transport, request=other).public_key()
    sent = transport.given[0]
    assert (sent["method"], sent["path"], sent["query"]) == ("PUT", "/k/a%2Fb", {"v": "2"})
    assert json.loads(sent["body"]) == {"user": "user-1"}  # type: ignore[arg-type]
    assert sent["headers"] == {"X-Version": "2"}
    assert (answer.exchange.method, answer.exchange.url_path) == ("PUT", "/k/{id}")
    assert json.loads(answer.exchange.request_body) == {"user": "user-1"}


def test_an_answer_of_another_shape_is_read_after_it_was_adapted() -> None:
    def inner(endpoint: Endpoint, value: JsonValue) -> JsonValue:
        assert isinstance(value, dict)
        return value["data"]

    body = b'{"code": "0", "data": ' + CAPTURED + b"}"
    answer = adapting(wire(body), answer=inner).follow_up(CAPTURE)
    assert answer.message.state == "Approved"
    assert json.loads(answer.exchange.answer_body)["code"] == "0", "what is kept is what came"


def test_records_are_adapted_too_where_one_of_them_cannot_be_read() -> None:
    seen: list[Endpoint] = []

    def note(endpoint: Endpoint, value: JsonValue) -> JsonValue:
        seen.append(endpoint)
        return value

    broken = RECORDS.rstrip(b"] ") + b', {"id": "1", "ID": "2"}]'
    answer = adapting(wire(broken), answer=note).status("order-1")
    assert (len(answer.message.unreadable), seen) == (1, [STATUS])


# Faults of the shop's code


class Secret(Exception):
    """What must not reach a log: its text could be a part of a body."""


def fails(*_: object) -> None:
    raise Secret("card 4111111111111111")


BAD_REQUESTS = [fails, lambda *_: None, lambda _, request: replace(request, body={"amount": object()})]


@every("fault", BAD_REQUESTS)
def test_a_fault_before_sending_means_that_nothing_was_sent(fault: Adapt) -> None:
    transport = wire(CAPTURED)
    with pytest.raises(NotSent) as failure:
        adapting(transport, request=fault).follow_up(CAPTURE)
    assert not transport.given
    assert "4111" not in "".join(traceback.format_exception(failure.value))
    assert failure.value.__context__ is None
    assert failure.value.exchange is not None
    assert not failure.value.exchange.sent


@every(("status", "kind"), [(200, BadAnswer), (400, OutcomeUnknown), (500, OutcomeUnknown)])
@every("fault", [fails, lambda *_: None, lambda *_: {"state": 7}, lambda *_: object()])
def test_a_fault_after_sending_means_that_the_outcome_is_unknown(
    fault: Adapt,
    status: int,
    kind: type[OutcomeUnknown],
) -> None:
    with pytest.raises(OutcomeUnknown) as failure:
        adapting(wire(CAPTURED, status=status), answer=fault).follow_up(CAPTURE)
    assert type(failure.value) is kind
    assert "4111" not in str(failure.value)
    assert failure.value.exchange is not None
    assert failure.value.exchange.sent


# The key service's key for other requests


def test_a_subclass_may_sign_with_the_current_key_of_the_key_service() -> None:
    class Keyed(Gateway):
        def adapt_request(self, endpoint: Endpoint, request: GatewayRequest) -> GatewayRequest:
            if endpoint is not FOLLOW_UP:
                return request
            return request.with_header("Authorization", f"PublicApiKey {self.current_api_key()}")

    transport = wire(CAPTURED)
    Keyed(account=ACCOUNT, transport=transport, api_key=lambda: "pk-9").follow_up(CAPTURE)
    assert transport.given[0]["headers"] == {"Authorization": "PublicApiKey pk-9"}

    with pytest.raises(NotSent) as failure:
        Keyed(account=ACCOUNT, transport=transport).follow_up(CAPTURE)
    assert failure.value.reason == NotSentReason.NO_API_KEY
    assert len(transport.given) == 1
