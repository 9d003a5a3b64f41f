"""A shop's rows of an earlier version come through the migrations with what later versions want to know."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

pytestmark = pytest.mark.every_database

APP = "wallet_gateway"


def _migrated_to(name: str) -> Apps:
    executor = MigrationExecutor(connection)
    executor.migrate([(APP, name)])
    # The executor's own state may know later models; this one is what stands at the name.
    return executor.loader.project_state((APP, name)).apps


@pytest.fixture
def before() -> Iterator[Apps]:
    last = MigrationExecutor(connection).loader.graph.leaf_nodes(APP)[0][1]
    yield _migrated_to("0005_desk")
    _migrated_to(last)


def _attempt(apps: Apps, reference: str, kind: str, state: str) -> None:
    now = timezone.now()
    money = {"currency": "EUR", "amount_minor": 1250}
    order = apps.get_model(APP, "PaymentOrder").objects.create(
        reference=f"O-{reference}",
        token=reference,
        type="sale",
        created_at=now,
        updated_at=now,
        content={},
        content_hash="x",
        **money,
    )
    payment = apps.get_model(APP, "Payment").objects.create(
        order=order, number=1, reference=reference, type="sale", state="OPEN", created_at=now, **money
    )
    apps.get_model(APP, "GatewayTransaction").objects.create(
        payment=payment, kind=kind, reference=reference, state=state, created_at=now, state_since=now, **money
    )


@pytest.mark.django_db(transaction=True)
def test_buttons_nobody_pressed_and_types_of_payments_are_known_afterwards(before: Apps) -> None:
    _attempt(before, "BUTTON", "AUTHORIZATION", "AWAITING_RESULT")
    _attempt(before, "PAGE", "CHECKOUT", "OPEN")

    after = _migrated_to("0009_offered_payments")

    states = dict(after.get_model(APP, "Payment").objects.values_list("reference", "state"))
    assert states == {"BUTTON": "OFFERED", "PAGE": "OPEN"}
    types = after.get_model(APP, "GatewayTransaction").objects.values_list("payment_type", flat=True)
    assert list(types) == ["sale", "sale"]


@pytest.mark.django_db(transaction=True)
def test_an_earlier_version_finds_no_state_that_it_has_no_name_for(before: Apps) -> None:
    _attempt(before, "BUTTON", "AUTHORIZATION", "AWAITING_RESULT")
    _migrated_to("0009_offered_payments")

    back = _migrated_to("0008_approvals")

    assert list(back.get_model(APP, "Payment").objects.values_list("state", flat=True)) == ["OPEN"]


@pytest.mark.django_db(transaction=True)
def test_what_the_version_before_had_stopped_asking_about_is_asked_again(before: Apps) -> None:
    now = timezone.now()
    states = ("PENDING", "UNKNOWN", "OPEN", "AWAITING_3DS", "APPROVED", "ABANDONED", "ANOMALY", "NOT_SENT")
    for state in states:
        _attempt(before, state, "CHECKOUT", state)
    for days in (6, 9):
        _attempt(before, f"REFUSED-{days}", "CHECKOUT", "REJECTED")
        refused = before.get_model(APP, "GatewayTransaction").objects.filter(reference=f"REFUSED-{days}")
        refused.update(expires_at=now - timedelta(days=days))
    _attempt(before, "CARD", "AUTHORIZATION", "REJECTED")

    after = _migrated_to("0011_ask_again")

    intents = after.get_model(APP, "GatewayTransaction").objects
    awake = set(intents.filter(next_query_at__isnull=False).values_list("reference", flat=True))
    assert awake == {"PENDING", "UNKNOWN", "OPEN", "AWAITING_3DS", "REFUSED-6"}
