"""A person's decisions through the wired door."""

from __future__ import annotations

import pytest

from tests.payments.paid_orders import paid
from wallet_gateway import payments
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_a_decision_without_need_is_refused(wallet_sandbox: SandboxControl) -> None:
    order = paid(wallet_sandbox)
    transaction = order.payments.get().opening

    with pytest.raises(payments.errors.InvalidState):
        payments.approvals.resolve(transaction, decision="DID_NOT_HAPPEN", reason="a guess", by="grace")
