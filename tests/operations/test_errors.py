"""Codes, parameters and messages of what operations refuse; the classes that a shop catches."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import traceback
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils.translation import override

import wallet_gateway
from tests.tables import every
from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.documentation import address_of
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.gateway_address import GatewayAddress, sandbox_address
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Approval
from wallet_gateway.operations import errors
from wallet_gateway.operations.error_messages import DESCRIPTIONS, message_of
from wallet_gateway.operations.errors import OperationError, OperationRefused
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.money import Money

LANGUAGES = ["de", "fr", "es", "ar"]
PACKAGE = Path(wallet_gateway.__file__).parent
CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, OperationError)
}
PARAMS: dict[str, object] = {
    "account": "ACCOUNT-7",
    "address": GatewayAddress("http://127.0.0.1:8001", "python -m wallet_gateway.sandbox"),
    "after": timedelta(days=7),
    "amount": Money(Decimal("8.00"), "EUR"),
    "answer": "«4000340»",
    "argument": "«Order»",
    "call": "«Payments.refund»",
    "count": 3,
    "currency": "EUR",
    "eci": "06",
    "expected": "«a text»",
    "fault": "«no complete answer in time»",
    "field": "«by»",
    "fields": "«eci»",
    "gateway": "«default»",
    "gateways": "«default, second»",
    "given": "USD",
    "host": "evil.example",
    "scheme": "http",
    "key": "«click-1»",
    "known": "«shipped»",
    "left": Money(Decimal("5.00"), "EUR"),
    "limit": 400,
    "name": "«anna»",
    "needed": 5,
    "network": "VISA",
    "now": "«merchantId M-2, storeId S»",
    "order": "SHOP-1",
    "other": "«second»",
    "payment": "PAY-1",
    "permission": "wallet_gateway.refund_payment",
    "problem": "«1,5»",
    "problems": "«items[0].price»",
    "reason": NotSentReason.REFUSED_CONNECTION,
    "reference": "REF-1",
    "state": OrderState.PAID,
    "status": "U",
    "transaction": "REF-2",
    "type": "«int»",
    "used": "«merchantId M-1, storeId S»",
    "until": "2030-01-01T00:00:00+00:00",
}
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def placeholders(code: ErrorCode) -> set[str]:
    with override(None):
        return set(PLACEHOLDER.findall(str(DESCRIPTIONS[code].message)))


def raised() -> Iterator[tuple[str, str, set[str]]]:
    """Yield class, code and parameters of each place in the package that makes an error with a fixed code."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            code = node.args[0]
            if (
                isinstance(code, ast.Attribute)
                and isinstance(code.value, ast.Name)
                and code.value.id == "ErrorCode"
                and node.func.id != "CardMismatch"
            ):
                given = {keyword.arg for keyword in node.keywords if keyword.arg}
                yield node.func.id, code.attr, given


RAISED = sorted(raised(), key=lambda found: (found[1], found[0]))


# Codes and classes


def test_every_code_has_a_message_and_a_status() -> None:
    assert set(DESCRIPTIONS) == set(ErrorCode)
    assert all(description.status in range(400, 600) for description in DESCRIPTIONS.values())


@every(("name", "code", "given"), RAISED, ids=lambda value: value if isinstance(value, str) else "")
def test_an_error_is_made_with_the_parameters_of_its_message(name: str, code: str, given: set[str]) -> None:
    given |= {"problems"} if "errors" in given else set()
    assert placeholders(ErrorCode[code]) <= given


def test_a_code_belongs_to_one_class() -> None:
    classes = defaultdict(set)
    for name, code, _given in RAISED:
        classes[code].add(name)
    shared = {code: names for code, names in classes.items() if len(names) > 1}
    assert shared == {}


def test_about_a_dozen_classes_are_what_a_shop_catches() -> None:
    assert len(CLASSES) == 16
    assert {cls for cls in CLASSES.values() if not issubclass(cls, OperationRefused)} == {
        OperationError,
        errors.AwaitingApproval,
        errors.GatewayRefused,
        errors.GatewayUnreachable,
    }


def test_no_other_class_of_the_package_is_for_a_shop_to_catch() -> None:
    found = {
        node.name
        for path in PACKAGE.rglob("*.py")
        if "sandbox" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        and {base.id for base in node.bases if isinstance(base, ast.Name)} & CLASSES.keys()
    }
    # The last two are caught before an operation ends.
    assert found - CLASSES.keys() == {"UnreadableSecret", "SecondPersonNeeded"}


# Messages


@every("code", list(ErrorCode))
def test_an_english_message_is_one_or_more_sentences(code: ErrorCode) -> None:
    with override("en"):
        message = message_of(code, **PARAMS)
    assert not message[0].islower() or message.startswith("parent_transaction_id")
    assert message.endswith((".", "»"))
    assert "%(" not in message


@every("code", list(ErrorCode))
@every("language", LANGUAGES)
def test_a_message_is_translated_and_keeps_its_parameters(code: ErrorCode, language: str) -> None:
    with override("en"):
        english = str(DESCRIPTIONS[code].message)
    with override(language):
        translated = str(DESCRIPTIONS[code].message)
        said = message_of(code, **PARAMS)
    assert translated != english
    assert set(PLACEHOLDER.findall(translated)) == placeholders(code)
    assert "%(" not in said


def test_states_and_durations_are_said_in_the_language_too() -> None:
    with override("de"):
        payable = message_of(ErrorCode.ORDER_NOT_PAYABLE, order="SHOP-1", state=OrderState.PAID)
        early = message_of(ErrorCode.TOO_EARLY_UNKNOWN, after=timedelta(hours=24), needed=5, count=0)
    assert "Bezahlt" in payable
    assert "PAID" not in payable
    assert "24 Stunden" in early


def test_the_message_is_in_the_language_of_whoever_reads_it() -> None:
    error = errors.InvalidState(ErrorCode.NOTHING_CAPTURED)
    with override("de"):
        german = str(error)
    with override("en"):
        english = error.message
    assert (english, german) == ("Nothing is captured.", "Es ist nichts eingezogen.")


# Errors as values

EXAMPLES = [
    errors.InvalidState(ErrorCode.NOT_UNSENT, state=TransactionState.UNKNOWN),
    errors.InvalidInput(ErrorCode.ORDER_INVALID, errors=[FieldError("amount", "is needed")]),
    errors.AwaitingApproval(Approval(amount_minor=800, currency="EUR")),
    OperationError(ErrorCode.PRICING_NOTHING_TO_PAY),
]


@every("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_can_be_copied_and_pickled(error: OperationError) -> None:
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert (other.code, other.params, other.status) == (error.code, error.params, error.status)
        assert str(other) == str(error)
        assert getattr(other, "errors", None) == getattr(error, "errors", None)


def test_an_error_carries_the_approval_that_waits() -> None:
    approval = Approval(amount_minor=800, currency="EUR")
    assert errors.AwaitingApproval(approval).approval is approval


def test_what_is_wrong_with_an_order_is_named_field_by_field() -> None:
    faults = [FieldError("amount", "is needed"), FieldError("type", "must be sale")]
    error = errors.InvalidInput(ErrorCode.ORDER_INVALID, errors=faults)
    assert error.errors == tuple(faults)
    with override("en"):
        assert str(error) == "The order is not valid. amount: is needed; type: must be sale"


def test_a_log_has_the_code_and_the_parameters_in_english() -> None:
    error = errors.OrderNotPayable(ErrorCode.ORDER_NOT_PAYABLE, order="SHOP-1", state=OrderState.PAID)
    with override("de"):
        assert repr(error) == "OrderNotPayable(order_not_payable, order='SHOP-1', state='PAID')"


def test_a_traceback_names_the_page_that_describes_the_code_and_the_message_does_not() -> None:
    error = errors.InvalidState(ErrorCode.NOTHING_CAPTURED)
    assert error.docs == address_of("reference/errors", "nothing_captured")
    assert traceback.format_exception_only(error)[-1] == f"See {error.docs}\n"
    assert error.docs not in error.message


def test_an_address_that_cannot_be_reached_is_named_and_the_sandbox_with_its_command() -> None:
    def said(address: GatewayAddress) -> str:
        reason = NotSentReason.REFUSED_CONNECTION
        with override("en"):
            return message_of(ErrorCode.NOTHING_SENT, address=address, reason=reason)

    ends = "cannot be reached: connection refused. Nothing was sent."
    assert said(GatewayAddress("https://gateway.example")) == f"The gateway at https://gateway.example {ends}"
    assert said(sandbox_address("http://127.0.0.1:8001")) == (
        "The gateway at http://127.0.0.1:8001 (the sandbox; start it with "
        f"`python -m wallet_gateway.sandbox`) {ends}"
    )


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_class_says_when_it_is_raised(name: str) -> None:
    assert CLASSES[name].__doc__
