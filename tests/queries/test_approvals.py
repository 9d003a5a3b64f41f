"""What waits for a second person, the soonest to expire first, and everything ever asked for on an order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.models.rows import NOW, a_deposit, a_payment, an_approval
from wallet_gateway.queries.approvals import approvals_of, waiting_approvals

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_what_waits_comes_the_soonest_to_lapse_first() -> None:
    late = an_approval(expires_at=NOW + timedelta(days=2))
    soon = an_approval(payment=None, deposit=a_deposit(), expires_at=NOW + timedelta(days=1))
    an_approval(state="DECLINED", decided_by="bert")
    an_approval(expires_at=NOW)
    assert waiting_approvals(now=NOW) == (soon, late)


def test_an_order_has_what_was_asked_for_on_its_payments() -> None:
    payment = a_payment()
    first, second = an_approval(payment=payment, state="EXPIRED"), an_approval(payment=payment)
    an_approval()
    assert list(approvals_of(payment.order)) == [first, second]
