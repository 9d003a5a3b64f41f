"""What can be switched is named by what people know it by, and starts as the interface describes it."""

from __future__ import annotations

from datetime import timedelta

from wallet_gateway.sandbox.models import DuplicatePolicy, LetterCase, SandboxState, SetFault, WalletMode


def test_a_fault_is_named_by_what_it_hits() -> None:
    assert str(SetFault(fault="late", operation="*")) == "late on *"


def test_a_fault_hits_one_request_unless_it_says_otherwise() -> None:
    fault = SetFault(fault="late", operation="*")
    assert (fault.times, fault.skip) == (1, 0)


def test_a_new_sandbox_behaves_as_the_interface_says() -> None:
    state = SandboxState()
    assert str(state) == "state of the sandbox"
    assert (state.duplicates, state.letter_case) == (DuplicatePolicy.REJECT, LetterCase.CANONICAL)
    assert (state.clock_ahead, state.status_lag) == (timedelta(), timedelta())
    assert (state.numeric_amounts, state.share_references, state.another_card) == (False, False, False)
    assert state.wallet_mode == WalletMode.READY
