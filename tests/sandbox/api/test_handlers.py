"""From what is asked to its answer: the provider's constant, and refusals as answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.sandbox.api.handlers import process
from wallet_gateway.sandbox.api.request_parser import ParsedRequest
from wallet_gateway.sandbox.models import (
    BillingAddressRule,
    DuplicatePolicy,
    LetterCase,
    PlaceholderId,
    PortalReference,
)
from wallet_gateway.sandbox.refusals import UnknownPath
from wallet_gateway.sandbox.state import Behaviour, Conditions


@pytest.mark.parametrize("kind", ["detached", "checkout"])
def test_every_request_names_the_provider(merchant: Merchant, deposit: str, kind: str) -> None:
    if kind == "detached":
        answer = merchant.detached(new_reference(), deposit, apmDetails={"apmProvider": "Other"})
    else:
        answer = merchant.checkout(new_reference(), checkoutDetails={"paymentMethod": "Other"})
    assert (answer.status, answer.code) == (400, "4107940")
    assert "must be 'ExampleWalletV2', not 'Other'" in answer.message


def test_a_request_that_was_not_understood_is_answered_with_why() -> None:
    behaviour = Behaviour(
        duplicates=DuplicatePolicy.REJECT,
        status_lag=timedelta(),
        letter_case=LetterCase.CANONICAL,
        numeric_amounts=False,
        share_references=False,
        another_card=False,
        billing_address=BillingAddressRule.OPTIONAL,
        errored_amount="requested",
        placeholder_ids=PlaceholderId.OFF,
        state_words={},
        portal_references=PortalReference.ORIGINAL,
        newest_first=False,
    )
    parsed = ParsedRequest(message=UnknownPath("Not here."))
    status, value = process(
        parsed, Conditions(now=datetime.now(UTC), behaviour=behaviour), base_url="http://gateway.example"
    )
    assert status == 404
    assert value == {"code": "4404001", "details": {"message": "UnknownPath: Not here."}}
