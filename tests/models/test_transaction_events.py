"""Evidence is added and never changed, by whatever way one tries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction as db_transaction
from django.db.models import ProtectedError

from tests.models.rows import NOW, a_transaction
from tests.support.tables import every
from wallet_gateway.models import TransactionEvent, TransactionEventKind
from wallet_gateway.models.transactions import EventsAreAppendOnly

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def evidence() -> TransactionEvent:
    return TransactionEvent.objects.create(
        transaction=a_transaction(),
        kind=TransactionEventKind.ANSWER,
        lifecycle_event="APPROVED",
        state_after="APPROVED",
        explanation_code="no_record",
        occurred_at=NOW,
    )


def changed(evidence: TransactionEvent) -> TransactionEvent:
    evidence.explanation_code = "comment"
    return evidence


WAYS: dict[str, Callable[[TransactionEvent], object]] = {
    "save": lambda row: changed(row).save(),
    "save some": lambda row: changed(row).save(update_fields=["explanation_code"]),
    "save a fresh copy": lambda row: changed(TransactionEvent.objects.get(pk=row.pk)).save(),
    "delete": lambda row: row.delete(),
    "update all": lambda _: TransactionEvent.objects.update(explanation_code="x"),
    "update some": lambda row: TransactionEvent.objects.filter(pk=row.pk).update(explanation_code="x"),
    "delete all": lambda _: TransactionEvent.objects.all().delete(),
    "delete some": lambda row: TransactionEvent.objects.filter(pk=row.pk).delete(),
    "bulk update": lambda row: TransactionEvent.objects.bulk_update([changed(row)], ["explanation_code"]),
    "update or create": lambda row: TransactionEvent.objects.update_or_create(
        pk=row.pk, defaults={"explanation_code": "x"}
    ),
    "through its transaction": lambda row: row.transaction.events.update(explanation_code="x"),
    "delete through its transaction": lambda row: row.transaction.events.all().delete(),
}


@every("way", WAYS.values(), ids=WAYS)
def test_there_is_no_way_to_change_what_was_learned(
    way: Callable[[TransactionEvent], object], evidence: TransactionEvent
) -> None:
    with pytest.raises(EventsAreAppendOnly, match="never"), db_transaction.atomic():
        way(evidence)
    assert TransactionEvent.objects.get().explanation_code == "no_record"


def test_a_transaction_cannot_be_deleted_from_under_it(evidence: TransactionEvent) -> None:
    with pytest.raises(ProtectedError):
        evidence.transaction.delete()
