"""The work queue on the dashboard: hostile text is cut and visible; more than ten rows lead to the list."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from tests.explanations import commented
from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway.admin.dashboard_work_queue import work_of
from wallet_gateway.domain.lifecycle import PaymentState, TransactionState
from wallet_gateway.queries.work_queue import waiting

pytestmark = pytest.mark.django_db


def viewer(*permissions: str) -> HttpRequest:
    """A request of somebody with these permissions."""
    user = SimpleNamespace(has_perm=lambda name: name in permissions)
    request = RequestFactory().get("/")
    request.user = user  # type: ignore[assignment]
    return request


def test_text_that_turns_text_around_is_made_visible() -> None:
    a_transaction(state=TransactionState.ANOMALY, **commented("paid \u202e00.01"))
    (work,) = work_of(waiting({}, now=NOW), viewer())
    assert work.items[0].detail == "paid \\u202e00.01"


@pytest.mark.parametrize(
    ("columns", "what", "detail"),
    [
        ({"state": PaymentState.FROZEN, "is_frozen": True}, "Frozen", ""),
        ({"state": PaymentState.AUTHORIZED, "capture_reserved": 500}, "Authorized", "Under way: €5.00"),
    ],
    ids=["frozen", "a capture without an outcome"],
)
def test_an_authorization_that_lapses_says_what_keeps_it_from_being_captured(
    columns: dict[str, Any], what: str, detail: str
) -> None:
    order = an_order(type="preauthorization")
    a_payment(order, authorized=2000, created_at=NOW - timedelta(days=6), **columns)
    (work,) = work_of(waiting({"default": NOW - timedelta(days=5)}, now=NOW), viewer())
    (item,) = work.items
    assert (work.slug, item.what, item.detail, str(item.amount)) == ("expiring", what, detail, "20.00 EUR")


@pytest.mark.parametrize(
    ("kind", "permission"),
    [
        ("CAPTURE", "capture_payment"),
        ("REFUND", "refund_payment"),
        ("REVERSAL", "reverse_payment"),
        ("DETACHED_REFUND", "detached_refund"),
    ],
)
def test_what_was_refused_afterwards_has_a_button_for_those_with_its_permission(
    kind: str, permission: str
) -> None:
    row = a_transaction(kind=kind, state="REJECTED", refusal_unseen_since=NOW, **commented("no funds"))
    (work,) = work_of(waiting({}, now=NOW), viewer(f"wallet_gateway.{permission}"))
    (item,) = work.items
    assert (work.slug, item.detail, item.seen_url) == (
        "refused",
        "no funds",
        f"/admin/wallet_gateway/gatewaytransaction/{row.pk}/refusal-seen/",
    )
    (work,) = work_of(waiting({}, now=NOW), viewer("wallet_gateway.resolve_unknown"))
    assert [item.seen_url for item in work.items] == [""]
