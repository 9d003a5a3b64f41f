"""JSON answers of the views."""

from __future__ import annotations

import pytest

from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.engine.refusals import CheckoutExpired
from wallet_gateway.sandbox.responses import json_response, refusal_response


def test_a_value_is_written_as_json_and_numbers_as_they_are() -> None:
    response = json_response({"a": NumberText("1.50"), "b": [None, True, "\u20ac"]}, status=201)
    assert (response.status_code, response["Content-Type"]) == (201, "application/json")
    assert response.content.decode() == '{"a":1.50,"b":[null,true,"\u20ac"]}'


def test_money_cannot_slip_out_as_a_float() -> None:
    with pytest.raises(TypeError):
        json_response({"amount": 1.5})


def test_a_refusal_is_its_status_and_its_error_body() -> None:
    response = refusal_response(CheckoutExpired("Too late."))
    assert response.status_code == 409
    assert response.content == b'{"code":"4409006","details":{"message":"CheckoutExpired: Too late."}}'
