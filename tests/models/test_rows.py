"""What a row says of itself: whether an order is paid or payable, which page opened a payment."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind
from wallet_gateway.models import Allowance, AllowanceUse, GoLiveCheck, Payment, PaymentOrder, WalletKey
from wallet_gateway.models.orders import PAYABLE_STATES, new_token

pytestmark = pytest.mark.django_db


# Orders


def test_a_token_is_128_random_bits_for_a_url() -> None:
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", token) for token in tokens)


@pytest.mark.parametrize("reference", ["a b", "ä", "", "a\n"])
def test_a_form_refuses_references_that_not_every_database_reads_alike(reference: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        PaymentOrder(reference=reference).full_clean()
    assert "reference" in refusal.value.message_dict


def test_an_order_is_paid_payable_or_neither_and_never_both() -> None:
    assert {OrderState.OPEN, OrderState.FAILED, OrderState.EXPIRED, OrderState.REVERSED} == PAYABLE_STATES
    for state in OrderState:
        order = an_order(state=state)
        assert order.is_paid is (state == OrderState.PAID), state
        assert order.is_payable is (state in PAYABLE_STATES), state
        assert order.is_final is (state not in {OrderState.OPEN, OrderState.PENDING, OrderState.CANCELLED})


def test_a_cancelled_order_is_final_once_it_is_released() -> None:
    order = an_order(state=OrderState.CANCELLED, cancelled_at=timezone.now())
    assert (order.is_cancelled, order.is_released, order.is_final) == (True, False, False)
    order.released_at = timezone.now()
    assert (order.is_released, order.is_final) == (True, True)


def test_an_order_is_payable_until_its_end_and_not_at_it() -> None:
    end = timezone.now()
    order = an_order(payable_until=end)
    assert order.is_payable_at(end - timedelta(microseconds=1))
    assert not order.is_payable_at(end)
    assert not order.is_payable


# Payments and deposits


@pytest.mark.parametrize("kind", [TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION])
def test_the_transaction_that_opened_it_is_the_one_with_its_reference(kind: TransactionKind) -> None:
    payment = a_payment()
    opened = {"reference": payment.reference, "state": "OPEN", "redirect_url": "https://p/"}
    opening = a_transaction(payment, kind=kind, **opened)
    a_transaction(payment)
    assert payment.opening == opening
    assert (payment.redirect_url, payment.is_open) == ("https://p/", True)
    assert payment.expires_at == opening.expires_at
    assert Payment.objects.get().opening == opening


def test_of_an_unknown_deposit_nobody_knows_what_is_left() -> None:
    assert a_deposit(refunded=10**9).refundable is None


# Allowances: what counts of an account's uses, from when on


def use(
    allowance: Allowance, minor: int, *, hours: int = 0, is_decision: bool = False, **columns: Any
) -> None:
    AllowanceUse.objects.create(
        allowance=allowance,
        transaction=a_transaction(kind="REFUND", amount_minor=minor, **columns),
        amount_minor=minor,
        is_decision=is_decision,
        occurred_at=NOW - timedelta(hours=hours),
    )


@pytest.mark.every_database
def test_what_is_reserved_approved_or_decided_counts_up_to_the_last_unit_and_nothing_else() -> None:
    mine, other = (
        Allowance.objects.create(gateway="default", account=account, currency="EUR") for account in "78"
    )
    use(mine, 100, state="UNKNOWN", holds_reservation=True)
    use(mine, 20, state="APPROVED", approved_minor=20)
    use(mine, 3, state="ABANDONED", is_decision=True)
    use(mine, 4000, state="REJECTED")
    use(mine, 50000, state="APPROVED", approved_minor=50000, hours=24)
    since = NOW - timedelta(hours=24)
    mine.lock()
    assert mine.has_left(877, limit=1000, since=since)
    assert not mine.has_left(878, limit=1000, since=since)
    other.lock()
    assert other.has_left(1000, limit=1000, since=since)


# What is never shown, and what is kept


def test_keys_are_columns_of_octets_that_no_text_of_a_row_shows() -> None:
    instants = {"fetched_at": NOW, "expires_at": NOW + timedelta(hours=1)}
    keys = {"api_key": b"ciphertext-1", "encryption_key": b"ciphertext-2"}
    key = WalletKey.objects.create(gateway="default", **keys, **instants)
    key.refresh_from_db()
    assert bytes(key.api_key) == b"ciphertext-1"
    assert "ciphertext" not in repr(key) + str(key)
    assert not WalletKey._meta.get_field("api_key").editable


def test_no_column_for_a_card_takes_a_whole_number() -> None:
    for model in apps.get_app_config("wallet_gateway").get_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.CharField) and "card" in field.name:
                assert field.max_length is None or field.max_length < 13 or field.name == "card_network"


def test_each_go_live_check_is_kept_with_its_amount() -> None:
    given = {"gateway": "default", "order": an_order(), "currency": "EUR", "checked_at": NOW}
    GoLiveCheck.objects.create(**given, amount_minor=100, checked_by="anna")
    GoLiveCheck.objects.create(**given, amount_minor=200, checked_by="ben")
    assert [str(check.amount) for check in GoLiveCheck.objects.all()] == ["2.00 EUR", "1.00 EUR"]
