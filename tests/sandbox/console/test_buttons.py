"""Which buttons there are: each sets what its call knows, and exactly one of a group is in force."""

from __future__ import annotations

from datetime import timedelta

from wallet_gateway.sandbox.api.faults import ANY_OPERATION, FaultKind
from wallet_gateway.sandbox.api.request_parser import Operation
from wallet_gateway.sandbox.console.buttons import (
    behaviour_form,
    behaviour_groups,
    clock_buttons,
    fault_form,
    fault_groups,
    wallet_buttons,
)
from wallet_gateway.sandbox.console.control_calls import CONTROL_CALLS
from wallet_gateway.sandbox.models import (
    BillingAddressRule,
    DuplicatePolicy,
    LetterCase,
    PlaceholderId,
    PortalReference,
    WalletMode,
)
from wallet_gateway.sandbox.state import Behaviour

BEHAVIOUR = Behaviour(
    duplicates=DuplicatePolicy.REPLAY,
    status_lag=timedelta(seconds=30),
    letter_case=LetterCase.LOWER,
    numeric_amounts=True,
    share_references=False,
    another_card=True,
    billing_address=BillingAddressRule.REQUIRED,
    errored_amount="0.00",
    placeholder_ids=PlaceholderId.ZERO,
    state_words={"Errored": "Declined"},
    portal_references=PortalReference.OWN,
    newest_first=False,
)


def test_the_value_in_force_of_each_behaviour_is_marked() -> None:
    marked = [
        dict(button.fields)
        for group in behaviour_groups(BEHAVIOUR)
        for button in group.buttons
        if button.in_force
    ]
    assert marked == [
        {"duplicates": "replay"},
        {"statusLagSeconds": "30"},
        {"letterCase": "lower"},
        {"numericAmounts": "true"},
        {"shareReferences": "false"},
        {"anotherCard": "true"},
        {"billingAddress": "required"},
        {"placeholderIds": "zero"},
        {"portalReferences": "own"},
        {"newestFirst": "false"},
    ]


def test_the_form_of_amounts_and_words_shows_what_is_in_force() -> None:
    in_force = {
        "erroredAmount": "0.00",
        "stateWords.Approved": "",
        "stateWords.Pending": "",
        "stateWords.Errored": "Declined",
    }
    assert behaviour_form(BEHAVIOUR, {}).fields == in_force
    given = {"call": "behaviour", "stateWords.Approved": "Settled", "stateWords.Errored": ""}
    assert behaviour_form(BEHAVIOUR, given).fields == in_force | {
        "stateWords.Approved": "Settled",
        "stateWords.Errored": "",
    }


def test_the_wallet_has_a_button_for_each_mode() -> None:
    found = wallet_buttons(WalletMode.SLOW)
    assert [button.fields["mode"] for button in found] == WalletMode.values
    assert [button.fields["mode"] for button in found if button.in_force] == ["slow"]


def test_the_form_of_faults_knows_every_operation_and_every_fault() -> None:
    operation, fault, *_ = fault_form({}).inputs
    assert operation.choices == (ANY_OPERATION, *Operation)
    assert fault.choices == tuple(FaultKind)


def test_a_form_is_filled_in_by_an_address_that_names_its_call() -> None:
    assert fault_form({"call": "set-fault", "code": "4"}).fields["code"] == "4"
    assert fault_form({"call": "portal", "code": "4"}).fields["code"] == ""


def test_each_button_makes_a_call_that_there_is() -> None:
    groups = [group.buttons for group in (*fault_groups(), *behaviour_groups(BEHAVIOUR))]
    found = [button for row in (clock_buttons(), *groups) for button in row]
    assert {button.call for button in found} <= set(CONTROL_CALLS)
