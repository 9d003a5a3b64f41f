"""The authorisations that lapse first, with what is left of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import NOW, a_payment, an_intent, an_order
from wallet_gateway.domain.capture_window import CaptureWindow
from wallet_gateway.domain.lifecycle import IntentState, TransactionKind
from wallet_gateway.queries.authorisations import ending_authorisations

pytestmark = pytest.mark.django_db


def authorised(days_ago: float, gateway: str = "default") -> str:
    payment = a_payment(an_order(type="preauthorization"), authorised=2000, captured=500)
    since, kind = NOW - timedelta(days=days_ago), TransactionKind.CHECKOUT
    reference = str(payment.reference)
    an_intent(
        payment,
        reference=reference,
        kind=kind,
        state=IntentState.APPROVED,
        state_since=since,
        gateway=gateway,
    )
    return reference


def test_the_most_urgent_comes_first_with_its_countdown(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fresh, late, lapsed = authorised(4.9), authorised(6), authorised(8)
    other = authorised(1.5, gateway="second")
    windows = {"default": CaptureWindow(), "second": CaptureWindow(length=timedelta(days=2))}
    with django_assert_num_queries(2):
        found = ending_authorisations(windows, now=NOW)
    assert [row.payment.reference for row in found] == [lapsed, other, late]
    assert fresh not in [row.payment.reference for row in found]
    assert [row.time_left(NOW) for row in found] == [
        timedelta(days=-1),
        timedelta(days=0.5),
        timedelta(days=1),
    ]
    assert str(found[0].left) == "15.00 EUR"


def test_no_more_are_read_than_are_shown() -> None:
    for _ in range(3):
        authorised(6)
    assert len(ending_authorisations({"default": CaptureWindow()}, now=NOW, limit=2)) == 2
