"""Attempts to pay: found by their reference, the latest of an order, and whether its page is open."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.web.rows import an_attempt, an_order
from wallet_gateway.domain.lifecycle import PaymentState, TransactionState
from wallet_gateway.domain.polling_schedule import REOPEN_MARGIN
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.queries.attempts import find_attempt, is_being_opened, latest_reference, open_page

pytestmark = pytest.mark.django_db


def test_an_attempt_is_found_by_its_own_reference() -> None:
    attempt = an_attempt(an_order())
    assert find_attempt(attempt.reference) == attempt
    for unknown in (attempt.order.reference, "", "\0"):
        with pytest.raises(Payment.DoesNotExist):
            find_attempt(unknown)


def test_a_button_that_was_not_pressed_is_the_latest_attempt_only_where_there_is_no_other() -> None:
    order = an_order()
    assert latest_reference(order) == ""
    shown = an_attempt(order)
    Payment.objects.update(state=PaymentState.OFFERED)
    assert latest_reference(order) == shown.reference
    pressed = an_attempt(order)
    later = an_attempt(order)
    Payment.objects.filter(pk=later.pk).update(state=PaymentState.EXPIRED)
    assert latest_reference(order) == pressed.reference


def test_a_page_is_open_until_its_time_ends_or_its_state_changes() -> None:
    order, now = an_order(), timezone.now()
    assert not open_page(order, now)
    an_attempt(order)
    assert open_page(order, now)
    [page] = GatewayTransaction.objects.all()
    assert page.expires_at is not None
    assert not open_page(order, page.expires_at - REOPEN_MARGIN)
    GatewayTransaction.objects.update(state=TransactionState.REJECTED)
    assert not open_page(order, now)


def test_a_page_is_being_opened_as_long_as_a_process_holds_its_request() -> None:
    order, now = an_order(), timezone.now()
    assert not is_being_opened(order, now)
    an_attempt(order, state=TransactionState.SENDING)
    for until, expected in ((None, False), (now + timedelta(seconds=1), True), (now, False)):
        GatewayTransaction.objects.update(leased_until=until)
        assert is_being_opened(order, now) is expected
    GatewayTransaction.objects.update(
        state=TransactionState.NOT_SENT, leased_until=now + timedelta(seconds=1)
    )
    assert not is_being_opened(order, now)
