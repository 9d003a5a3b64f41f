"""What would be sent is what is sent, less its secrets."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture
from wallet_gateway.operations.follow_ups.preview import NOT_YET, preview, shown_body
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_the_preview_is_the_request_but_for_its_reference(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization", order_number="A-1001")

    shown = json.loads(preview(payment, TransactionKind.CAPTURE, 500, context=context))
    transaction = capture(payment=payment, amount=Decimal("5.00"), context=context)

    sent = json.loads(TransactionEvent.objects.get(transaction=transaction).request_body)
    assert shown.pop("clientSystemTransactionId") == NOT_YET
    assert sent.pop("clientSystemTransactionId") == transaction.reference
    assert shown == sent


def test_nothing_is_stored_and_nothing_is_sent(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    asked = len(wallet_sandbox.journal())

    preview(payment, TransactionKind.REVERSAL, 2000, context=context)

    assert len(wallet_sandbox.journal()) == asked
    assert payment.transactions.count() == 1


def test_a_body_that_waits_to_be_sent_is_shown_without_its_secrets() -> None:
    shown = shown_body('{"amount":"5.00","cryptogram":"AgAAAA","cardholderEmail":"ada@example.org"}')

    assert json.loads(shown)["amount"] == "5.00"
    assert "AgAAAA" not in shown
    assert "ada@" not in shown
    assert shown_body("") == ""
