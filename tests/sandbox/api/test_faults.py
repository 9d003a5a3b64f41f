"""Setting faults: which request each one hits, how often, after how many, and what cannot be set."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.sandbox.merchant import Answer, Merchant, new_reference
from tests.tables import every
from wallet_gateway.sandbox.api.faults import FaultKind, applies_to
from wallet_gateway.testing.control import SandboxControl, SandboxRefused


def hits(ask: Callable[[], Answer], times: int) -> list[bool]:
    """Ask that often; tell each time whether the fault of status 503 hit."""
    return [ask().status == 503 for _ in range(times)]


def test_a_fault_hits_once_unless_told_otherwise(control: SandboxControl, merchant: Merchant) -> None:
    control.fault("status", "status_before", status=503)
    assert hits(lambda: merchant.status("X"), 3) == [True, False, False]


def test_times_and_skip_count_the_operations_own_requests(
    control: SandboxControl, merchant: Merchant
) -> None:
    control.fault("status", "status_before", status=503, times=2, skip=1)
    merchant.checkout(new_reference())
    assert hits(lambda: merchant.status("X"), 5) == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("operation", "ask"),
    [
        ("checkout", lambda merchant: merchant.checkout(new_reference())),
        ("capture", lambda merchant: merchant.capture(new_reference(), "X")),
        ("refund", lambda merchant: merchant.refund(new_reference(), "X")),
        ("reversal", lambda merchant: merchant.reverse(new_reference(), "X")),
        ("detached_refund", lambda merchant: merchant.detached(new_reference(), "X")),
        ("status", lambda merchant: merchant.status("X")),
    ],
)
def test_a_fault_hits_its_operation_and_no_other(
    control: SandboxControl, merchant: Merchant, operation: str, ask: Callable[[Merchant], Answer]
) -> None:
    others = {"checkout", "capture", "refund", "reversal", "detached_refund", "status"} - {operation}
    for other in others:
        control.fault(other, "throttled")
    assert ask(merchant).status != 429
    control.fault(operation, "throttled")
    assert ask(merchant).status == 429


@pytest.mark.parametrize(
    ("operation", "fault"),
    [("refund", "partial"), ("status", "errored"), ("public_key", "undocumented_state"), ("*", "explode")],
)
def test_a_fault_that_means_nothing_there_is_refused(
    control: SandboxControl, operation: str, fault: str
) -> None:
    with pytest.raises(SandboxRefused, match=fault) as refused:
        control.fault(operation, fault)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("details", "field"),
    [
        ({"times": -1}, "times"),
        ({"times": 1.5}, "times"),
        ({"skip": -1}, "skip"),
        ({"seconds": -1}, "seconds"),
        ({"status": 99}, "status"),
        ({"status": 600}, "status"),
        ({"code": " "}, "code"),
        ({"message": "x" * 501}, "message"),
    ],
    ids=str,
)
def test_details_out_of_bounds_are_refused_by_name(
    control: SandboxControl, details: dict[str, float], field: str
) -> None:
    with pytest.raises(SandboxRefused, match=field):
        control.fault("refund", "delay_before", **details)  # type: ignore[arg-type]


@every("fault", FaultKind)
def test_a_request_nobody_understood_has_no_state_to_spoil(fault: FaultKind) -> None:
    needs_a_transaction = {FaultKind.PARTIAL, FaultKind.ERRORED, FaultKind.UNDOCUMENTED_STATE}
    needs_a_transaction |= {FaultKind.UNREADABLE_RECORD}
    assert applies_to(fault, None) is (fault not in needs_a_transaction)
