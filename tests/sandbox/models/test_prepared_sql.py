"""Statements with a fixed text write and read what Django itself would have written and read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, models

from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.sandbox.models import AcceptedRequest, Checkout, JournalEntry, Merchant, SandboxState
from wallet_gateway.sandbox.models.prepared_sql import insert_row, select_rows, update_row

NOON = datetime(2026, 3, 29, 12, 30, 15, 123456, tzinfo=UTC)
TEXT = "50 % off ? 'all' ; -- \\ ü 漢 \U0001f600"


@pytest.fixture(autouse=True)
def tables(transactional_db: None) -> Iterator[None]:
    """The tables of the sandbox, which is no app of the suite's project."""
    made = (Merchant, Checkout, AcceptedRequest, JournalEntry, SandboxState)
    with connection.schema_editor() as editor:
        for model in made:
            editor.create_model(model)
    yield
    with connection.schema_editor() as editor:
        for model in reversed(made):
            editor.delete_model(model)


@pytest.fixture
def store() -> Merchant:
    return Merchant.objects.create(merchant_id="M", store_id="S", user_id="U", provider="P", gateway_name="G")


def checkout_of(store: Merchant, **changes: Any) -> Checkout:
    values: dict[str, Any] = {
        "merchant": store,
        "reference": TEXT,
        "type": CheckoutType.SALE,
        "amount_minor": 2**62,
        "currency": "EUR",
        "request": {"text": TEXT, "number": NumberText("1.50"), "list": [1, {"a": None, "b": True}]},
        "created_at": NOON,
    }
    return Checkout(**(values | changes))


def entry(**changes: Any) -> JournalEntry:
    return JournalEntry(**({"method": "POST", "path": "/", "received_at": NOON} | changes))


def columns_of(row: models.Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_an_inserted_row_is_the_one_that_django_would_have_saved(store: Merchant) -> None:
    inserted, saved = checkout_of(store), checkout_of(store)
    insert_row(inserted)
    saved.save()
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wallet_sandbox_checkout ORDER BY id")
        names = [column[0] for column in cursor.description]
        first, second = (dict(zip(names, row, strict=True)) for row in cursor.fetchall())
    assert (first.pop("id"), second.pop("id")) == (inserted.pk, saved.pk)
    assert (first.pop("token"), second.pop("token")) == (inserted.token, saved.token)
    assert first == second


def test_an_inserted_row_can_be_changed_and_saved(store: Merchant) -> None:
    row = checkout_of(store)
    insert_row(row)
    assert not row._state.adding
    row.decided_at = NOON
    row.save(update_fields=["decided_at"])
    assert Checkout.objects.get().decided_at == NOON


def test_truth_and_durations_are_written_and_read_as_django_does() -> None:
    SandboxState.objects.create(pk=1)
    update_row(SandboxState, 1, numeric_amounts=True, clock_ahead=timedelta(days=1, microseconds=1))
    stored = SandboxState.objects.get()
    assert (stored.numeric_amounts, stored.clock_ahead) == (True, timedelta(days=1, microseconds=1))
    assert columns_of(select_rows(SandboxState, numeric_amounts=True)[0]) == columns_of(stored)


def test_a_constraint_speaks_as_it_does_to_save(store: Merchant) -> None:
    row = checkout_of(store)
    insert_row(row)
    with pytest.raises(IntegrityError, match="token"):
        insert_row(checkout_of(store, token=row.token))


def test_a_selected_row_equals_the_one_that_a_query_set_reads(store: Merchant) -> None:
    insert_row(checkout_of(store, expires_at=NOON))
    (found,) = select_rows(Checkout, merchant_id=store.pk, reference=TEXT)
    assert columns_of(found) == columns_of(Checkout.objects.get())
    assert found == Checkout.objects.get()
    assert not found._state.adding
    assert found.merchant == store


def test_rows_are_selected_by_every_column_and_the_oldest_comes_first(store: Merchant) -> None:
    for reference, kind in (("A", "x"), ("B", "x"), ("A", "y"), ("A", "x")):
        row = AcceptedRequest(
            merchant=store, reference=reference, type=kind, fingerprint="", answer={"of": kind}
        )
        insert_row(row)
    assert [row.pk for row in select_rows(AcceptedRequest, merchant_id=store.pk, reference="A")] == [1, 3, 4]
    assert [row.pk for row in select_rows(AcceptedRequest, reference="A", type="x")] == [1, 4]
    assert select_rows(AcceptedRequest, reference="C") == []


def test_an_update_writes_the_named_columns_of_one_row() -> None:
    changed, other = entry(request_body="asked"), entry()
    insert_row(changed)
    insert_row(other)
    update_row(JournalEntry, changed.pk, answer_status=200, answer_body=TEXT)
    stored = JournalEntry.objects.get(pk=changed.pk)
    assert columns_of(stored) == columns_of(changed) | {"answer_status": 200, "answer_body": TEXT}
    assert columns_of(JournalEntry.objects.get(pk=other.pk)) == columns_of(other)


def test_an_update_of_a_row_that_is_gone_does_nothing() -> None:
    update_row(JournalEntry, 1, answer_status=200)
    assert not JournalEntry.objects.exists()
