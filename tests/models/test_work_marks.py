"""How far background work has come: written over, or written once for all machines."""

from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import NOW
from wallet_gateway.models import WorkMark

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_a_mark_is_written_over() -> None:
    WorkMark.set("sweep:default", now=NOW, position=7, comment="x")
    WorkMark.set("sweep:default", now=NOW, position=9)
    (mark,) = WorkMark.objects.all()
    assert (str(mark), mark.position, mark.comment) == ("sweep:default", 9, "x")


def test_what_is_to_happen_once_is_marked_by_one_only() -> None:
    assert WorkMark.set_once("told", now=NOW, comment="first")
    assert not WorkMark.set_once("told", now=NOW, comment="second")
    assert WorkMark.objects.get().comment == "first"


def test_names_differ_by_case_and_are_unique() -> None:
    WorkMark.set("a", now=NOW)
    WorkMark.set("A", now=NOW)
    assert WorkMark.objects.count() == 2
    with pytest.raises(IntegrityError), db_transaction.atomic():
        WorkMark.objects.create(name="a", marked_at=NOW)
