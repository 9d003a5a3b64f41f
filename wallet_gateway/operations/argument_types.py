"""Refuse an argument of a wrong type with a sentence that says what came and what would be right.

Without it, a reference in place of an order ends in an AttributeError far from the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.protocol.errors import FieldError
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote

T = TypeVar("T")

EXPECTED: Mapping[type, str] = {
    Approval: "an Approval, as `payments.approvals.waiting()` returns it",
    Discrepancy: "a Discrepancy, such as `Discrepancy.objects.get(pk=…)`",
    GatewayTransaction: "a GatewayTransaction, as `payments.refund(order)` returns it",
    MigratedDeposit: "a MigratedDeposit, such as `MigratedDeposit.objects.get(pk=…)`",
    Money: 'a Money, such as `Money(Decimal("10.00"), "EUR")`',
    OperationBatch: "an OperationBatch, as `payments.batches.draft(…)` returns it",
    Payment: "a Payment, such as `order.payments.get(number=1)`",
    PaymentOrder: "a PaymentOrder, as `payments.get_order(reference)` returns it",
    datetime: "an aware datetime, such as `timezone.now() + timedelta(hours=1)`",
    int: "a whole number",
    str: "a text",
}
"""By class, what to pass."""


def type_name(value: object) -> str:
    """Return what a value is, in words for a developer: its type, or `None`."""
    return "None" if value is None else type(value).__name__


def wrong_type(argument: str, value: object, expected: str) -> InvalidInput:
    """Return the error that names an argument, what it should be, and the type that came."""
    return InvalidInput(ErrorCode.ARGUMENT_TYPE, argument=argument, expected=expected, given=type_name(value))


def check_type(argument: str, value: object, *kinds: type) -> None:
    """Raise `InvalidInput` for an argument that is of none of these classes; True is no whole number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong_type(argument, value, _expected(kinds))


def check_list(argument: str, values: object, *kinds: type) -> None:
    """Raise `InvalidInput` for an argument that is no list, or for the first thing in it of another class."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise wrong_type(argument, values, f"a list, each part of it {_expected(kinds)}")
    for index, value in enumerate(values if isinstance(values, Sequence) else ()):
        check_type(f"{argument}[{index}]", value, *kinds)


def check_order(order: object) -> None:
    """Raise `InvalidInput` for what is no stored `PaymentOrder`: a reference, None, a shop's own order."""
    check_type("order", order, PaymentOrder)
    if getattr(order, "pk", None) is None:
        raise InvalidInput(
            ErrorCode.ARGUMENT_TYPE,
            argument="order",
            expected=EXPECTED[PaymentOrder],
            given="one that is not stored",
        )


def check_text(argument: str, value: object) -> None:
    """Raise `InvalidInput` for a value that is no text, such as a number for a reference."""
    check_type(argument, value, str)


def _expected(kinds: Sequence[type]) -> str:
    return ", or ".join(EXPECTED[kind] for kind in kinds)


def not_a_text(value: object) -> str:
    """Return what is wrong with a value that should be a text, and what to write instead."""
    # Quoted: a number may be that of a card, or too long to be written.
    cure = f"write str({quote(value)}) or '{quote(value)}'" if isinstance(value, int) else "give one"
    return f"is no text, but {type_name(value)}; {cure}"


def lines_of(name: str, given: object, kind: type[T], faults: list[FieldError]) -> tuple[T, ...]:
    """Return the lines in an argument, items or discounts; add a fault for each that has a wrong type."""
    if given is None:
        return ()
    if isinstance(given, kind):
        faults.append(FieldError(name, f"is one {kind.__name__}; give a list: {name}=[{kind.__name__}(…)]"))
        return ()
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        faults.append(FieldError(name, f"must be a list of {kind.__name__}, not {type_name(given)}"))
        return ()
    lines = tuple(given)
    for index, line in enumerate(lines):
        check_line(f"{name}[{index}]", line, kind, faults)
    return lines


def check_line(path: str, line: object, kind: type, faults: list[FieldError]) -> None:
    """Add a fault for a line or shipping that is no instance of its class, such as a dict."""
    if not isinstance(line, kind):
        cure = f": write {kind.__name__}(**…)" if isinstance(line, Mapping) else ""
        faults.append(FieldError(path, f"must be {_article(kind)}, not {type_name(line)}{cure}"))


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"
