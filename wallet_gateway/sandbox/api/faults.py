"""Faults that are set and wait for their requests: what there is, what fits what, and whose turn it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from wallet_gateway.sandbox.api.request_parser import TRANSACTION_OPERATIONS, Operation
from wallet_gateway.sandbox.db_transactions import CachedValue, write_lock
from wallet_gateway.sandbox.json_calls import InvalidInput, write_seconds
from wallet_gateway.sandbox.models import SetFault

ANY_OPERATION: Final = "*"
"""Stands for every operation."""


class FaultKind(StrEnum):
    """What can go wrong with a request."""

    DROP_BEFORE = "drop_before"
    DROP_AFTER = "drop_after"
    DELAY_BEFORE = "delay_before"
    DELAY_AFTER = "delay_after"
    STATUS_BEFORE = "status_before"
    STATUS_AFTER = "status_after"
    TRUNCATED = "truncated"
    NOT_JSON = "not_json"
    WRONG_SHAPE = "wrong_shape"
    EMPTY = "empty"
    LATE = "late"
    UNDOCUMENTED_STATE = "undocumented_state"
    REDIRECTED = "redirected"
    DRIP = "drip"
    ERRORED = "errored"
    PARTIAL = "partial"
    THROTTLED = "throttled"
    DUPLICATE = "duplicate"
    ERROR_BODY = "error_body"
    BARE_ERROR = "bare_error"
    ERROR_200 = "error_200"
    MIXED = "mixed"
    RESET = "reset"
    BAD_GZIP = "bad_gzip"
    BAD_STATUS_LINE = "bad_status_line"
    UNREADABLE_RECORD = "unreadable_record"


_APPLICABLE_TO: Final[dict[FaultKind, frozenset[Operation]]] = {
    FaultKind.PARTIAL: frozenset({Operation.DETACHED_REFUND}),
    FaultKind.ERRORED: TRANSACTION_OPERATIONS,
    FaultKind.UNDOCUMENTED_STATE: TRANSACTION_OPERATIONS | {Operation.STATUS},
    FaultKind.UNREADABLE_RECORD: frozenset({Operation.STATUS}),
}
"""Faults that mean nothing to other operations; all the rest fit every one."""


class FaultNotApplicable(InvalidInput):
    """A fault was set for an operation it means nothing to."""


cached_has_faults = CachedValue(SetFault.objects.exists)
"""Whether any fault waits, as long as none is set or used up."""


def set_fault(operation: str, fault: FaultKind, **details: Any) -> None:
    """Set a fault for an operation, or for ``ANY`` that it fits; raises ``FaultDoesNotFit``.

    ``details`` are the other fields of ``SetFault``.
    """
    if operation != ANY_OPERATION and not applies_to(fault, Operation(operation)):
        allowed = ", ".join(sorted(_APPLICABLE_TO[fault]))
        raise FaultNotApplicable(f"{fault} means nothing to {operation}; set it for one of: {allowed}.")
    with write_lock():
        SetFault.objects.create(operation=operation, fault=fault, **details)
        cached_has_faults.forget()


def applies_to(fault: FaultKind, operation: Operation | None) -> bool:
    """Tell whether a fault means anything to an operation; None is a request nobody understood."""
    return fault not in _APPLICABLE_TO or operation in _APPLICABLE_TO[fault]


def clear_faults() -> None:
    """Take back every fault that waits."""
    with write_lock():
        SetFault.objects.all().delete()
        cached_has_faults.forget()


def list_faults() -> list[SetFault]:
    """Give the faults that wait, in the order in which they were set."""
    return list(SetFault.objects.order_by("pk"))


def take_fault(operation: Operation | None) -> SetFault | None:
    """Give the fault that hits this request, if one does, and count it.

    Of several the one set first hits. A fault that still lets requests pass counts this one and leaves it to
    the next.
    """
    if not cached_has_faults.get():
        return None
    with write_lock():
        for fault in SetFault.objects.filter(
            operation__in=[ANY_OPERATION, operation or ANY_OPERATION]
        ).order_by("pk"):
            if not applies_to(FaultKind(fault.fault), operation):
                continue
            if fault.skip:
                fault.skip -= 1
                fault.save(update_fields=["skip"])
                continue
            _count(fault)
            return fault
    return None


def _count(fault: SetFault) -> None:
    if fault.times is None:
        return
    fault.times -= 1
    if fault.times:
        fault.save(update_fields=["times"])
    else:
        fault.delete()
        cached_has_faults.forget()


def describe(fault: SetFault) -> dict[str, Any]:
    """Write a fault as the control interface does; what was not given is left out."""
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
