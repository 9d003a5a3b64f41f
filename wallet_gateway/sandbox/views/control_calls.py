"""What all control calls have in common: methods, input, and how a result or a failure is written."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.sandbox.control_input import Input, InvalidInput
from wallet_gateway.sandbox.engine.refusals import (
    BodyTooLarge,
    InvalidCall,
    MethodNotAllowed,
    Refusal,
)
from wallet_gateway.sandbox.faults import FaultDoesNotFit
from wallet_gateway.sandbox.request_parser import MOST_BYTES
from wallet_gateway.sandbox.responses import json_response, refusal_response
from wallet_gateway.sandbox.state import ClockAtItsEnd

Call = Callable[[HttpRequest], object]
"""Carries one call out and gives a JSON value."""


def calls(name: str, **by_method: Call) -> URLPattern:
    """Mount the calls of one address, by HTTP method."""

    def view(request: HttpRequest) -> HttpResponse:
        call = by_method.get(request.method or "")
        if call is None:
            allowed = ", ".join(sorted(by_method))
            refusal = MethodNotAllowed(f"{request.path} takes {allowed}, not {request.method}.")
            response = refusal_response(refusal)
            response.headers["Allow"] = allowed
            return response
        return answer(call, request)

    return path(name, view)


def with_input(call: Callable[[Input], object]) -> Call:
    """Give a call the JSON object of the request; nothing at all counts as an empty one."""

    def with_request(request: HttpRequest) -> object:
        return call(_read(request.body))

    return with_request


def answer(call: Call, request: HttpRequest) -> HttpResponse:
    """Carry a call out and write its result, or the reason why there is none, as JSON."""
    try:
        if len(request.body) > MOST_BYTES:
            raise BodyTooLarge(f"A body has at most {MOST_BYTES} bytes.")
        return json_response(call(request))
    except Refusal as refusal:
        return refusal_response(refusal)
    except (InvalidInput, FaultDoesNotFit, ClockAtItsEnd, ProtocolError) as error:
        return refusal_response(InvalidCall(str(error)))


def _read(body: bytes) -> Input:
    value = strict_json.loads(body) if body.strip() else {}
    if not isinstance(value, dict):
        raise InvalidInput("The body must be a JSON object.")
    return Input(value)
