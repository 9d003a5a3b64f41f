"""Amounts, ids, states and references as a gateway may write them: in answers and in status records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl

ZEROS = "00000000-0000-0000-0000-000000000000"
UNDECIDED = ("refused", "cancelled", "error", "pending")
OUTCOMES = {"success": "Approved", "pending": "Pending", "refused": "Errored", "error": "Errored"}

Pay = Callable[..., str]


@pytest.fixture
def decided(merchant: Merchant, control: SandboxControl) -> Pay:
    """Opens a checkout of 10.00 EUR, has it end in an outcome, and gives its reference."""

    def decide(outcome: str) -> str:
        reference = new_reference()
        assert merchant.checkout(reference).status == 200
        control.complete_checkout(reference, outcome)
        return reference

    return decide


@pytest.mark.parametrize(
    ("given", "in_force", "written"),
    [
        (None, "requested", b'"transactionAmount":10.00,'),
        ("requested", "requested", b'"transactionAmount":10.00,'),
        (0, "0", b'"transactionAmount":0,'),
        ("0.00", "0.00", b'"transactionAmount":0.00,'),
        ("1000", "1000", b'"transactionAmount":1000,'),
        ("-10.00", "-10.00", b'"transactionAmount":-10.00,'),
        ("0.000001", "0.000001", b'"transactionAmount":0.000001,'),
        ("null", "null", b'"transactionAmount":null,'),
    ],
    ids=str,
)
def test_errored_records_alone_carry_the_amount_that_was_set(
    given: Any,  # noqa: ANN401
    in_force: str,
    written: bytes,
    merchant: Merchant,
    control: SandboxControl,
    decided: Pay,
) -> None:
    assert control.behaviour(errored_amount=given)["erroredAmount"] == in_force
    assert written in merchant.status(decided("refused")).body
    for outcome in ("success", "pending"):
        assert b'"transactionAmount":10.00,' in merchant.status(decided(outcome)).body


@pytest.mark.parametrize(("kind", "id_"), [("zeros", ZEROS), ("zero", "0"), ("empty", "")])
def test_until_it_is_approved_a_record_has_the_placeholder_for_its_id(
    kind: str, id_: str, merchant: Merchant, control: SandboxControl, decided: Pay
) -> None:
    control.behaviour(placeholder_ids=kind)
    references = [decided(outcome) for outcome in UNDECIDED]
    assert [merchant.record(reference)["id"] for reference in references] == [id_] * len(UNDECIDED)
    pending = references[-1]
    assert control.settle_pending(pending, "success")["id"].startswith("SBX-")
    assert merchant.record(pending)["id"].startswith("SBX-")
    assert merchant.record(decided("success"))["id"].startswith("SBX-")


@pytest.mark.parametrize(
    "words",
    [
        {"Approved": "Settled", "Errored": "Declined", "Pending": "Processing"},
        {"Approved": "APPROVED", "Errored": "errored"},
        {"approved": "Approved ", "PENDING": "in Arbeit"},
        {},
    ],
    ids=str,
)
def test_states_are_said_in_the_words_that_were_set(
    words: dict[str, str], merchant: Merchant, control: SandboxControl, decided: Pay
) -> None:
    documented = {state.lower(): state for state in OUTCOMES.values()}
    expected = {documented[state.lower()]: word for state, word in words.items()}
    assert control.behaviour(state_words=words)["stateWords"] == expected
    for outcome, state in OUTCOMES.items():
        assert merchant.record(decided(outcome))["state"] == expected.get(state, state)
    # The engine goes by its own words: what is settled can be given back.
    assert merchant.refund(new_reference(), decided("success")).status == 200


def test_a_follow_up_of_the_portal_may_have_a_reference_of_the_gateways_own(
    merchant: Merchant, control: SandboxControl, reserved: str
) -> None:
    capture = control.portal(reserved, "ecom.capture", "4.00")
    assert capture["clientSystemTransactionId"] == reserved
    control.behaviour(portal_references="own")
    refunds = [control.portal(reserved, "ecom.refund", amount) for amount in ("1.00", "2.00")]
    references = [refund["clientSystemTransactionId"] for refund in refunds]
    assert len({reserved, *references}) == 3
    # The answer about the original still has all of them, also after the behaviour has changed back.
    control.behaviour(portal_references="original")
    assert [record["id"] for record in merchant.records(reserved)][1:] == [
        one["id"] for one in (capture, *refunds)
    ]
    assert merchant.records(references[0]) == [refunds[0]]
