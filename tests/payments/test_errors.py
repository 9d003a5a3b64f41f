"""Codes, parameters and messages of what operations refuse; the classes that a shop catches."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import traceback
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils.translation import override

import wallet_gateway
from tests.support.tables import every
from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.documentation import address_of
from wallet_gateway.domain import error_codes, states
from wallet_gateway.domain.error_codes import ORDER_NOT_PAYABLE, ErrorCode, Refusal
from wallet_gateway.domain.policy import GatewayAddress, sandbox_address
from wallet_gateway.domain.states import OrderState, TransactionState
from wallet_gateway.encryption import UnreadableSecret
from wallet_gateway.models import Approval
from wallet_gateway.payments import errors
from wallet_gateway.payments.errors import OperationError
from wallet_gateway.protocol.errors import FieldError

PACKAGE = Path(wallet_gateway.__file__).parent
CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, OperationError)
}
SHARED = {
    name: refusal
    for name, refusal in (vars(error_codes) | vars(states)).items()
    if isinstance(refusal, Refusal)
}


def raised() -> Iterator[tuple[str, Refusal, set[str]]]:
    """Yield class, refusal and parameters of each place in the package that makes an error."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[first, *rest]) if name in CLASSES:
                    given = {keyword.arg or "" for keyword in node.keywords}
                    if "errors" in given:
                        given.add("problems")
                    code = CLASSES[name].code
                    match first, rest:
                        case ast.Starred(value=ast.Name(id=shared)), _ if shared in SHARED:
                            yield name, SHARED[shared], given
                        case ast.Call(args=[ast.Constant(value=str(text))]), [ast.Attribute(attr=own)]:
                            yield name, Refusal(text, ErrorCode[own]), given
                        case ast.Call(args=[ast.Constant(value=str(text))]), []:
                            yield name, Refusal(text, code), given


def test_an_error_is_made_with_the_values_of_its_sentence() -> None:
    number = 0
    for name, refusal, given in raised():
        assert set(re.findall(r"%\((\w+)\)s", refusal.sentence)) <= given, (name, refusal)
        number += 1
    assert number > 80


# Messages


def test_a_message_is_in_the_language_a_log_in_english_and_a_traceback_names_the_page() -> None:
    paid = errors.OrderNotPayable(*ORDER_NOT_PAYABLE, order="SHOP-1\n", state=OrderState.PAID)
    early = errors.InvalidState("%(after)s", after=timedelta(hours=24))
    nothing = errors.InvalidState("Nothing is captured.", ErrorCode.NOTHING_LEFT)
    with override("de"):
        assert "Bezahlt" in str(paid)
        assert "PAID" not in str(paid)
        assert "24 Stunden" in str(early)
        assert str(nothing) == "Es ist nichts eingezogen."
        assert repr(paid) == (
            "OrderNotPayable(order_not_payable, "
            "'Order SHOP-1\\n has the state “PAID”. It must not be paid again.')"
        ), "a log has it in English, on one line"
    assert nothing.message == "Nothing is captured."
    assert nothing.docs == address_of("reference/errors", "nothing_left")
    assert traceback.format_exception_only(nothing)[-1] == f"See {nothing.docs}\n"
    assert nothing.docs not in nothing.message
    of_another_version = errors.message_of(ErrorCode("of_another_version"), state="PAID")
    assert of_another_version == "of_another_version"


SANDBOX = "python -m wallet_gateway.sandbox"


@every(
    ("address", "named"),
    [
        (GatewayAddress("https://gateway.example"), "https://gateway.example"),
        *(
            (sandbox_address(url), f"{url} (the sandbox; start it with `{SANDBOX}{port}`)")
            for url, port in (
                ("http://127.0.0.1:8001", ""),
                ("http://localhost:8001/", ""),
                ("http://127.0.0.1:9000", " --port 9000"),
            )
        ),
    ],
)
def test_an_address_that_cannot_be_reached_is_named_and_the_sandbox_with_its_command(
    address: GatewayAddress, named: str
) -> None:
    reason = NotSentReason.REFUSED_CONNECTION
    error = errors.GatewayUnreachable("%(address)s: %(reason)s", address=address, reason=reason)
    assert error.message == f"{named}: connection refused"


# Errors as values

FAULTS = [FieldError("amount", "is needed"), FieldError("type", "must be sale")]
EXAMPLES = [
    errors.InvalidState("It is %(state)s.", state=TransactionState.UNKNOWN),
    errors.InvalidState("Too much.", ErrorCode.AMOUNT_TOO_HIGH),
    errors.InvalidInput("The order is not valid. %(problems)s", errors=FAULTS),
    errors.AwaitingApproval(Approval(amount_minor=800, currency="EUR")),
    OperationError("The pricing function left nothing to pay."),
    UnreadableSecret(),
]


@every("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_can_be_copied_and_pickled(error: OperationError) -> None:
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert (other.code, other.params, other.status) == (error.code, error.params, error.status)
        assert str(other) == str(error)
        assert getattr(other, "errors", None) == getattr(error, "errors", None)
    if isinstance(error, errors.InvalidInput):
        assert error.errors == tuple(FAULTS)
        assert error.message == "The order is not valid. amount: is needed; type: must be sale"


@every(
    ("error", "status"),
    [
        (errors.InvalidInput("x"), 400),
        (errors.InvalidInput("x", ErrorCode.WALLET_SESSION_UNKNOWN), 404),
        (errors.InvalidState("x"), 409),
        (errors.InvalidState("x", ErrorCode.NOT_PERMITTED), 403),
        (errors.InvalidState("x", ErrorCode.TOO_MANY_RESULTS), 429),
        (errors.WalletUnavailable("x"), 503),
        (errors.WalletUnavailable("x", ErrorCode.WALLET_LIMIT_REACHED), 403),
        (errors.GatewayRefused("x"), 502),
        (errors.InsideTransaction("x"), 500),
        (OperationError("x"), 503),
    ],
)
def test_an_error_has_the_http_status_of_its_class_or_of_its_code(error: OperationError, status: int) -> None:
    assert error.status == status
