"""The countdown of authorizations: in words, for a page of orders at once, and those that end soon alone."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.models.rows import a_payment, a_transaction, an_order
from tests.tables import every
from wallet_gateway.admin.capture_deadline import in_words
from wallet_gateway.models import PaymentOrder

LIST = "/admin/wallet_gateway/paymentorder/"
WORDS = [
    (timedelta(days=6, hours=23), "6 days"),
    (timedelta(days=2), "2 days"),
    (timedelta(days=1, hours=23), "47 hours"),
    (timedelta(hours=1), "1 hour"),
    (timedelta(minutes=59), "less than an hour"),
    (timedelta(), "may have expired"),
    (timedelta(days=-3), "may have expired"),
]


@every(("left", "words"), WORDS)
def test_what_is_left_is_said_in_days_and_at_the_end_in_hours(left: timedelta, words: str) -> None:
    assert in_words(left) == words


def held(days: float, *, captured: int = 0, gateway: str = "default") -> PaymentOrder:
    """Store an order of 20.00 EUR that has been authorized for so many days; the window is seven."""
    since = timezone.now() - timedelta(days=days)
    order = an_order(type="preauthorization", state="AUTHORIZED", gateway=gateway)
    payment = a_payment(order, authorized=2000, captured=captured, state="AUTHORIZED", created_at=since)
    a_transaction(
        payment, kind="CHECKOUT", state="APPROVED", state_changed_at=since, reference=payment.reference
    )
    return order


def column(page: str) -> list[str]:
    return re.findall(r"field-to_capture[^>]*>([^<]*)<", page)


@pytest.mark.django_db
def test_the_list_says_how_long_each_order_can_still_be_captured(superuser: Client) -> None:
    held(0.5)
    held(6)
    held(8)
    held(1, captured=2000)
    held(1, gateway="unknown")
    an_order()

    page = superuser.get(LIST).content.decode()

    assert column(page) == ["-", "-", "-", "may have expired", "23 hours", "6 days"]


@pytest.mark.django_db
def test_the_filter_keeps_those_that_end_soon(superuser: Client) -> None:
    late, soon = held(1), held(5.5)
    page = superuser.get(f"{LIST}?expires=soon").content.decode()
    assert soon.reference in page
    assert late.reference not in page
    assert "Ends soon" in page
