"""What needs a second person is said in words: an amount, or a decision, and how it stands."""

from __future__ import annotations

import pytest

from tests.models.rows import an_approval
from wallet_gateway.admin.approval_messages import reason_of, sentence_of_request, url_of, what_is_asked

pytestmark = pytest.mark.django_db


def test_an_amount_is_asked_for() -> None:
    request = an_approval(reason_code="returned", comment="box 7")
    assert what_is_asked(request) == "Refund of €5.00"
    assert reason_of(request) == "Goods returned: box 7"
    assert sentence_of_request(request).endswith("Nothing is reserved and nothing was sent.")
    assert url_of(request).endswith(f"/approval/{request.pk}/decide/")


def test_a_decision_is_said_with_what_was_decided() -> None:
    request = an_approval(decision="DID_NOT_HAPPEN", comment="returned: ticket 4711", state="EXPIRED")
    asked = "Refund of €5.00, decision: It did not happen; free its amount"
    assert sentence_of_request(request) == f"{asked}: Expired."
    assert reason_of(request) == "returned: ticket 4711"
