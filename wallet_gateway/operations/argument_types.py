"""Refuse an argument of a wrong type with a sentence that says what came and what would be right.

Without it, a reference in place of an order ends in an AttributeError far from the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

T = TypeVar("T")

EXPECTED: Mapping[type, str] = {
    Approval: "an Approval, as `payments.approvals.waiting()` returns it",
    Discrepancy: "a Discrepancy, such as `Discrepancy.objects.get(pk=…)`",
    GatewayTransaction: "a GatewayTransaction, as `payments.refund(order)` returns it",
    MigratedDeposit: "a MigratedDeposit, such as `MigratedDeposit.objects.get(pk=…)`",
    OperationBatch: "an OperationBatch, as `payments.batches.draft(…)` returns it",
    Payment: "a Payment, such as `order.payments.get(number=1)`",
    PaymentOrder: "a PaymentOrder, as `payments.get_order(reference)` returns it",
}
"""By class, what to pass."""


def type_name(value: object) -> str:
    """Return what a value is, in words for a developer: its type, or `None`."""
    return "None" if value is None else type(value).__name__


def check_instances(**arguments: tuple[object, type, type] | tuple[object, type]) -> None:
    """Raise `InvalidInput` that names the first argument which is no instance of its classes.

    Each argument is given by name, as a tuple of its value and the classes that it may have.
    """
    for argument, (value, *kinds) in arguments.items():
        if not isinstance(value, tuple(kinds)):
            expected = ", or ".join(EXPECTED[kind] for kind in kinds)
            raise InvalidInput(
                ErrorCode.ARGUMENT_TYPE, argument=argument, expected=expected, given=type_name(value)
            )


def check_order(order: object) -> None:
    """Raise `InvalidInput` for anything that is no `PaymentOrder`: a reference, None, a shop's own order."""
    check_instances(order=(order, PaymentOrder))


def check_text(argument: str, value: object) -> None:
    """Raise `InvalidInput` for a value that is no text, such as a number for a reference."""
    if not isinstance(value, str):
        raise InvalidInput(
            ErrorCode.ARGUMENT_TYPE, argument=argument, expected="a text", given=type_name(value)
        )


def not_a_text(value: object) -> str:
    """Return what is wrong with a value that should be a text, and what to write instead."""
    cure = f"write str({value}) or '{value}'" if isinstance(value, int) else "give one"
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
