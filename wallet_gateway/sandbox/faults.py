"""The queue of faults: which exist, which operations they apply to, and which request they hit."""

from __future__ import annotations

from typing import Any, Final

from wallet_gateway.sandbox.json_calls import InvalidInput, write_seconds
from wallet_gateway.sandbox.models import FaultKind, SetFault
from wallet_gateway.sandbox.requests import TRANSACTION_OPERATIONS, Operation
from wallet_gateway.sandbox.state import write_lock

ANY_OPERATION: Final = "*"
"""Stands for all operations."""


_APPLICABLE_TO: Final[dict[FaultKind, frozenset[Operation]]] = {
    FaultKind.PARTIAL: frozenset({Operation.DETACHED_REFUND}),
    FaultKind.ERRORED: TRANSACTION_OPERATIONS,
    FaultKind.UNDOCUMENTED_STATE: TRANSACTION_OPERATIONS | {Operation.STATUS},
    FaultKind.UNREADABLE_RECORD: frozenset({Operation.STATUS}),
}
"""Faults that apply to some operations only; all others apply to every operation."""


def set_fault(operation: str, fault: FaultKind, **details: Any) -> None:
    """Set a fault for an operation, or for ``ANY_OPERATION``; raises ``InvalidInput``.

    ``details`` are the other fields of ``SetFault``.
    """
    if operation != ANY_OPERATION and not applies_to(fault, Operation(operation)):
        allowed = ", ".join(sorted(_APPLICABLE_TO[fault]))
        raise InvalidInput(f"{fault} means nothing to {operation}; set it for one of: {allowed}.")
    with write_lock():
        SetFault.objects.create(operation=operation, fault=fault, **details)


def applies_to(fault: FaultKind, operation: Operation | None) -> bool:
    """Tell whether a fault applies to an operation; None stands for a request that could not be parsed."""
    return fault not in _APPLICABLE_TO or operation in _APPLICABLE_TO[fault]


def clear_faults() -> None:
    """Remove all faults."""
    with write_lock():
        SetFault.objects.all().delete()


def list_faults() -> list[SetFault]:
    """Return the faults that are set, in the order in which they were set."""
    return list(SetFault.objects.order_by("pk"))


def take_fault(operation: Operation | None) -> SetFault | None:
    """Return the fault that hits this request, or None, and update its counters.

    If several match, the one that was set first hits. A fault that still has requests to skip counts this
    request and leaves it to the next fault.
    """
    matching = SetFault.objects.filter(operation__in=[ANY_OPERATION, operation or ANY_OPERATION])
    if not matching.exists():
        return None
    with write_lock():
        for fault in matching.order_by("pk"):
            if not applies_to(FaultKind(fault.fault), operation):
                continue
            if fault.skip:
                fault.skip -= 1
                fault.save(update_fields=["skip"])
                continue
            if fault.times == 1:
                fault.delete()
            elif fault.times is not None:
                fault.times -= 1
                fault.save(update_fields=["times"])
            return fault
    return None


def describe(fault: SetFault) -> dict[str, Any]:
    """Return a fault in the JSON form of the control interface, without fields that were not given."""
    given = {
        "operation": fault.operation,
        "fault": fault.fault,
        "times": fault.times,
        "skip": fault.skip or None,
        "seconds": None if fault.delay is None else write_seconds(fault.delay),
        "status": fault.status,
        "code": fault.code or None,
        "message": fault.message or None,
    }
    return {name: value for name, value in given.items() if value is not None}
