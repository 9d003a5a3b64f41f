"""The tables of endpoints and types, against the interface, and the command that lists the messages."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.tables import every
from wallet_gateway.protocol.__main__ import main
from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.endpoints import (
    AUTHORIZATION,
    CHECKOUT,
    CREATE_PAYMENT_ACCOUNT,
    DETACHED_REFUND,
    ENDPOINTS,
    FOLLOW_UP,
    GET_PAYMENT_ACCOUNT,
    MESSAGES,
    OPERATIONS,
    PUBLIC_KEY,
    STATUS,
    WIRE_TYPES,
    Endpoint,
    wire_type,
)
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType


@every(
    ("endpoint", "method", "path"),
    [
        (CHECKOUT, "POST", "/api/v5/checkout"),
        (FOLLOW_UP, "POST", "/api/v5/apmTransactions"),
        (DETACHED_REFUND, "POST", "/api/v5/apmTransactions"),
        (STATUS, "GET", "/api/v5/apmTransactions"),
        (PUBLIC_KEY, "POST", "/api/v5/publicKeys"),
        (CREATE_PAYMENT_ACCOUNT, "POST", "/api/v5/paymentAccounts"),
        (GET_PAYMENT_ACCOUNT, "GET", "/api/v5/paymentAccounts/{transactionAccountId}"),
        (AUTHORIZATION, "POST", "/api/v5/transactions"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_endpoint_has_the_method_and_path_of_the_interface(
    endpoint: Endpoint, method: str, path: str
) -> None:
    assert (endpoint.method, endpoint.path) == (method, path)
    assert endpoint in ENDPOINTS


@every(
    ("operation", "payment_type", "expected"),
    [
        ("checkout", "sale", "ecom.sale"),
        ("CHECKOUT", "preauthorization", "ecom.preAuthorization"),
        ("authorization", "preauthorization", "ecom.preauthorization"),
        ("CAPTURE", "", "ecom.capture"),
        ("refund", "sale", "ecom.refund"),
        ("REVERSAL", "preauthorization", "ecom.reversalPreauthorization"),
        ("DETACHED_REFUND", "", "detached.refund"),
    ],
)
def test_each_operation_has_its_type_on_the_wire(operation: str, payment_type: str, expected: str) -> None:
    assert wire_type(operation, payment_type) == expected
    assert OPERATIONS.get(expected, operation.lower()) == operation.lower()


def test_every_type_is_in_the_table_and_an_original_has_none_without_its_payment_type() -> None:
    values = {kind.value for kinds in (CheckoutType, AuthorizationType, FollowUpType) for kind in kinds}
    assert set(WIRE_TYPES.values()) == values | {DETACHED_REFUND_TYPE}
    assert set(OPERATIONS) == {*FollowUpType, DETACHED_REFUND_TYPE}
    for operation in ("checkout", "authorization"):
        with pytest.raises(KeyError):
            wire_type(operation)


def test_the_command_lists_every_message_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == list(MESSAGES)
    assert all(len(line.partition(": ")[2]) > 10 for line in lines)
    for arguments in (["Nothing"], ["followuprequest"], ["CheckoutRequest", "ErrorBody"], [""]):
        assert main(arguments) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.startswith("No such message: ")) == ("", True)
        assert said.err.splitlines()[1:] == lines
    assert main(["FollowUpRequest"]) == 0
    assert {"merchantId", "apmDetails"} <= json.loads(capsys.readouterr().out)["properties"].keys()


@pytest.mark.wire
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("wallet_gateway.protocol", "FollowUpRequest: "),
        ("wallet_gateway.conformance --list", "open.key-life [Authentication] life of keys"),
        ("proof kills-sqlite --help", "usage: "),
    ],
)
def test_commands_work_without_docstrings(command: str, line: str) -> None:
    run = subprocess.run(
        [sys.executable, "-OO", "-m", *command.split()], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert line in run.stdout
