"""One order's story for support: everything that helps, and nothing of a person."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from tests.explanations import commented
from tests.models.rows import NOW, a_payment, a_transaction, an_approval, an_order
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.models import Discrepancy, OutboxEvent, PaymentOrder, TransactionEvent
from wallet_gateway.queries.support_bundle import support_bundle

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
PERSONAL = ("Lovelace", "ada@", "Anna", "Main Street", "ticket 4711", "SECRET-KEY")


@pytest.fixture
def order() -> PaymentOrder:
    """An order into every text of which something personal was written."""
    order = an_order(
        reference="R-1",
        content={"checkoutDetails": {"cardholderLastName": "Lovelace", "cardholderEmail": "ada@example.com"}},
        order_number="Lovelace 1",
    )
    transaction = a_transaction(
        a_payment(order),
        request_body='{"amount":"5.00","cardholderLastName":"Lovelace",'
        '"itemDetails":[{"productName":"Main Street"}]}',
        created_by="Anna",
        comment="Anna said ticket 4711",
        **commented("Anna: ticket 4711"),
    )
    TransactionEvent.objects.create(
        transaction=transaction,
        kind="ANSWER",
        lifecycle_event="APPROVED",
        state_after="APPROVED",
        http_status=200,
        answer_body='{"state":"Approved","apiKey":"SECRET-KEY",'
        '"ApmDetails":{"Amount":5.00,"street":"Main Street"},'
        '"Lovelace":{"state":"Errored","ada@example.com":1}}',
        occurred_at=NOW,
    )
    TransactionEvent.objects.create(
        transaction=transaction,
        kind="DECISION",
        state_after="APPROVED",
        **commented("Anna: ticket 4711"),
        created_by="Anna",
        answer_body="Lovelace <ada@example.com>",
        occurred_at=NOW,
    )
    Discrepancy.objects.create(
        kind=DiscrepancyKind.MADE_ELSEWHERE,
        gateway="default",
        payment=transaction.payment,
        fingerprint="f",
        found_at=NOW,
        closed_by="Anna",
        reason="ticket 4711",
    )
    an_approval(payment=transaction.payment, created_by="Anna", comment="Anna: ticket 4711")
    OutboxEvent.objects.create(
        kind="PAID", order=order, transaction=transaction, currency="EUR", occurred_at=NOW
    )
    return order


def read(order: PaymentOrder) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(support_bundle(order))) as archive:
        assert archive.testzip() is None
        return {
            name: json.loads(archive.read(name)) if name.endswith("json") else archive.read(name).decode()
            for name in archive.namelist()
        }


def test_nothing_of_a_person_is_in_it(order: PaymentOrder) -> None:
    text = str(read(order))
    assert [word for word in PERSONAL if word in text] == []


def test_what_helps_is_in_it(order: PaymentOrder) -> None:
    files = read(order)
    assert files["order.json"]["reference"] == "R-1"
    (transaction,) = files["transactions.json"]
    assert transaction["request"] == {
        "amount": "5.00",
        "cardholderLastName": "[left out]",
        "itemDetails": [{"productName": "[left out]"}],
    }
    answer, decision = files["events.json"]
    assert answer["answer"]["state"] == "Approved"
    assert answer["answer"]["ApmDetails"] == {"Amount": "5.00", "street": "[left out]"}
    assert answer["answer"]["[name 4]"] == {"state": "Errored", "[name 2]": "[left out]"}
    assert (answer["by_person"], decision["by_person"]) == (False, True)
    assert decision["answer"] == "[26 characters that are no JSON]"
    assert files["discrepancies.json"][0]["kind"] == "MADE_ELSEWHERE"
    assert files["approvals.json"][0]["kind"] == "REFUND"
    assert files["outbox.json"][0]["kind"] == "PAID"
    assert set(files["versions.json"]) == {"wallet_gateway", "django", "python", "database"}


def test_another_orders_story_is_not_in_it(order: PaymentOrder) -> None:
    a_transaction(a_payment(an_order()), reference="OTHER")
    assert "OTHER" not in str(read(order))
