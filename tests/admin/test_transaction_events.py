"""Evidence in the admin: laid out to be read, for those who may see it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import TransactionEvent

pytestmark = pytest.mark.django_db


def test_evidence_shows_what_was_sent_and_what_came_back(operator: Client, onlooker: Client) -> None:
    row = TransactionEvent.objects.create(
        transaction=a_transaction(),
        kind="ANSWER",
        lifecycle_event="APPROVED",
        state_after="APPROVED",
        http_status=200,
        request_body='{"amount":"5.00"}',
        answer_body='{"state":"Approved"}',
        occurred_at=NOW,
    )
    url = reverse("admin:wallet_gateway_transactionevent_change", args=[row.pk])

    page = operator.get(url).content.decode()

    for text in ("&quot;amount&quot;: &quot;5.00&quot;", "&quot;state&quot;: &quot;Approved&quot;", "Answer"):
        assert text in page
    assert onlooker.get(url).status_code == 403
