"""Evidence is added and never changed, by whatever way one tries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction as db_transaction
from django.db.models import ProtectedError

from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import Evidence, EvidenceKind
from wallet_gateway.models.evidence import EvidenceIsAppendOnly

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def evidence() -> Evidence:
    return Evidence.objects.create(
        transaction=a_transaction(),
        kind=EvidenceKind.ANSWER,
        event="APPROVED",
        state_after="APPROVED",
        detail="as it was",
        occurred_at=NOW,
    )


def changed(evidence: Evidence) -> Evidence:
    evidence.detail = "as somebody would like it"
    return evidence


WAYS: dict[str, Callable[[Evidence], object]] = {
    "save": lambda row: changed(row).save(),
    "save some": lambda row: changed(row).save(update_fields=["detail"]),
    "save a fresh copy": lambda row: changed(Evidence.objects.get(pk=row.pk)).save(),
    "delete": lambda row: row.delete(),
    "update all": lambda _: Evidence.objects.update(detail="x"),
    "update some": lambda row: Evidence.objects.filter(pk=row.pk).update(detail="x"),
    "delete all": lambda _: Evidence.objects.all().delete(),
    "delete some": lambda row: Evidence.objects.filter(pk=row.pk).delete(),
    "bulk update": lambda row: Evidence.objects.bulk_update([changed(row)], ["detail"]),
    "update or create": lambda row: Evidence.objects.update_or_create(pk=row.pk, defaults={"detail": "x"}),
    "through its transaction": lambda row: row.transaction.evidence.update(detail="x"),
    "delete through its transaction": lambda row: row.transaction.evidence.all().delete(),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_there_is_no_way_to_change_what_was_learned(
    way: Callable[[Evidence], object], evidence: Evidence
) -> None:
    with pytest.raises(EvidenceIsAppendOnly, match="never"), db_transaction.atomic():
        way(evidence)
    assert Evidence.objects.get().detail == "as it was"


def test_an_transaction_cannot_be_deleted_from_under_it(evidence: Evidence) -> None:
    with pytest.raises(ProtectedError):
        evidence.transaction.delete()


def test_more_can_be_added(evidence: Evidence) -> None:
    Evidence(
        transaction=evidence.transaction, kind=EvidenceKind.FAULT, state_after="UNKNOWN", occurred_at=NOW
    ).save()
    assert [str(row) for row in Evidence.objects.all()] == ["ANSWER APPROVED", "FAULT no news"]
