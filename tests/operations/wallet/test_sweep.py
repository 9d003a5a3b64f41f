"""The sweep ends what the button has begun, and nothing secret outlives its use."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder, TransactionEvent, WalletKey
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.sending import send as sending
from wallet_gateway.operations.wallet.sweep import (
    erase_secrets,
    expire_buttons,
    give_up_unsent_authorizations,
    sweep_wallet,
)
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


class Died(BaseException):
    """The process is gone."""


def die_while(
    doing: str, customer: Customer, order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> GatewayTransaction:
    """Let the process die at a step of the authorization."""

    def die(*args: object, **kwargs: object) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(sending, doing, die)
        with pytest.raises(Died):
            customer.pay(order)
    return GatewayTransaction.objects.get()


def test_a_button_that_nobody_pressed_ends_and_can_be_shown_anew(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock
) -> None:
    order = make_order()
    customer.open(order)
    clock.advance(minutes=59)
    assert expire_buttons(context=customer.context, limit=5) == 0
    clock.advance(minutes=2)
    assert sweep(context=customer.context).buttons_expired == 1
    order.refresh_from_db()
    assert (GatewayTransaction.objects.get().state, order.state) == (S.EXPIRED, OrderState.EXPIRED)
    assert order.is_payable
    assert customer.pay(order).opening.state == S.APPROVED


def test_a_sender_that_died_leaves_no_cryptogram_and_an_outcome_to_ask_after(
    customer: Customer,
    make_order: MakeOrder,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    transaction = die_while("retry_unsent", customer, order, monkeypatch)
    assert transaction.state == S.SENDING
    assert transaction.wallet_secrets
    assert PaymentOrder.objects.get().state == OrderState.PENDING

    clock.advance(seconds=121)
    sweep(context=customer.context)
    transaction.refresh_from_db()
    assert transaction.state == S.UNKNOWN
    assert not transaction.wallet_secrets
    assert not PaymentOrder.objects.get().is_payable
    while transaction.absent_count < 3:
        clock.advance_to(transaction.next_query_at)
        sweep(context=customer.context)
        transaction.refresh_from_db()
    assert transaction.state == S.UNKNOWN
    assert not [e for e in wallet_sandbox.journal() if e["operation"] == "authorization"]


def test_a_cryptogram_is_gone_after_fifteen_minutes_whatever_kept_it(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    transaction = die_while("retry_unsent", customer, make_order(), monkeypatch)
    # A lease that never ends: the sweep of leases does not come to it.
    GatewayTransaction.objects.update(leased_until=clock.now() + timedelta(days=1))
    clock.advance(minutes=14)
    assert erase_secrets(context=customer.context) == 0
    clock.advance(minutes=1)
    assert sweep_wallet(context=customer.context, limit=5) == 0
    transaction.refresh_from_db()
    assert not transaction.wallet_secrets


def test_no_secret_outlasts_the_gateway_that_the_settings_named_once(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    transaction = die_while("retry_unsent", customer, make_order(), monkeypatch)
    clock.advance(days=2)
    sweep_wallet(context=replace(customer.context, alias="second"), limit=5)
    transaction.refresh_from_db()
    assert not transaction.wallet_secrets
    assert not WalletKey.objects.exclude(api_key=b"").exists()


def test_what_never_left_is_given_up_when_its_sender_died_and_is_never_sent(
    customer: Customer,
    make_order: MakeOrder,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    transaction = die_while("retry_unsent", customer, order, monkeypatch)
    GatewayTransaction.objects.update(state=S.NOT_SENT, next_send_at=clock.now())
    TransactionEvent.objects.create(
        transaction=transaction, kind="FAULT", state_after=S.NOT_SENT, occurred_at=clock.now()
    )
    clock.advance(seconds=10)
    assert give_up_unsent_authorizations(context=customer.context, limit=5) == 0
    assert sweep(context=customer.context).sent_again == 0

    clock.advance(seconds=120)
    sweep(context=customer.context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.wallet_secrets) == (S.ABANDONED, None)
    assert PaymentOrder.objects.get().is_payable
    assert not OutboxEvent.objects.exists()
    assert not [e for e in wallet_sandbox.journal() if e["operation"] == "authorization"]
