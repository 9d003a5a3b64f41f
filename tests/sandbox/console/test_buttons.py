"""Which buttons there are: each sets what its call knows, and exactly one of a group is in force."""

from __future__ import annotations

from datetime import timedelta

from wallet_gateway.sandbox.console.buttons import (
    behaviour_form,
    behaviour_groups,
)
from wallet_gateway.sandbox.models import (
    BillingAddressRule,
    DuplicatePolicy,
    LetterCase,
    PlaceholderId,
    PortalReference,
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
