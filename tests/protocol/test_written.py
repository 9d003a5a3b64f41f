"""A written message says as values, as bytes and as a message the same."""

from __future__ import annotations

import pytest

from wallet_gateway.protocol.checkout import CheckoutResponse
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.written import WrittenMessage, write_down

MESSAGE = CheckoutResponse.build(redirect_url="https://gateway.example/1")


def test_it_says_what_the_message_says() -> None:
    written = write_down(MESSAGE)
    assert (written.to_wire(), written.to_json()) == (MESSAGE.to_wire(), MESSAGE.to_json())
    assert written.message() == MESSAGE
    assert "gateway.example" not in repr(written)


def test_its_values_are_copied_for_who_may_change_them() -> None:
    written = write_down(MESSAGE)
    written.to_wire().clear()
    assert written.values == MESSAGE.to_wire()


def test_values_that_break_a_rule_are_no_message() -> None:
    with pytest.raises(InvalidMessage):
        WrittenMessage(model=CheckoutResponse, values={"redirectUrl": "x"}, body=b"").message()
