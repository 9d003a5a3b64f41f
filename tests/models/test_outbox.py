"""OutboxEvent: one id for one event, and an amount that is money."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import OutboxEvent, OutboxEventKind

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def an_outbox_event(**columns: Any) -> OutboxEvent:
    transaction = a_transaction()
    assert transaction.payment is not None
    given: dict[str, Any] = {
        "kind": OutboxEventKind.PAID,
        "order": transaction.payment.order,
        "transaction": transaction,
        "currency": "EUR",
        "amount_minor": 500,
        "occurred_at": NOW,
    }
    return OutboxEvent.objects.create(**given | columns)


def test_every_event_has_an_id_of_its_own() -> None:
    assert an_outbox_event().event_id != an_outbox_event().event_id
    same = uuid.uuid4()
    an_outbox_event(event_id=same)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        an_outbox_event(event_id=same)


def test_every_kind_fits_its_column() -> None:
    assert max(map(len, OutboxEventKind)) <= 24
