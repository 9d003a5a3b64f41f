"""The words for operations, as the sandbox's users know them."""

from __future__ import annotations

from wallet_gateway.protocol.endpoints import OPERATIONS
from wallet_gateway.sandbox.api.request_parser import TRANSACTION_OPERATIONS, Operation


def test_the_words_are_these() -> None:
    assert {operation.value for operation in Operation} == {
        "checkout",
        "capture",
        "refund",
        "reversal",
        "detached_refund",
        "status",
        "public_key",
        "create_payment_account",
        "get_payment_account",
        "authorization",
    }


def test_the_wire_language_uses_the_same_words() -> None:
    assert set(OPERATIONS.values()) <= {operation.value for operation in Operation}


def test_what_only_reads_has_no_state_to_spoil() -> None:
    reading = {Operation.STATUS, Operation.PUBLIC_KEY, Operation.GET_PAYMENT_ACCOUNT}
    assert not TRANSACTION_OPERATIONS & reading
