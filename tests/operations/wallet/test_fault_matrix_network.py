"""The fault matrix of the wallet button below HTTP: a card is charged once or never, questions go on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.client.certificates import Certificate
from tests.explanations import explained
from tests.operations.conftest import MakeOrder, Sender, VirtualClock
from tests.operations.far_ends import LOST, NOT_SENT, FarEnd, rows
from tests.operations.journal import times_sent
from tests.operations.wallet_customer import Customer, authorizing_through, diverted
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import PaymentOrder, TransactionEvent, WalletKey
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import TryAgain, WalletUnavailable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


# The authorization


@rows(NOT_SENT)
def test_an_authorization_that_never_left_is_given_up_and_the_button_pressed_again(
    far_end: FarEnd,
    told: str,
    customer: Customer,
    sender: Sender,
    make_order: MakeOrder,
    certificate: Certificate,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    with far_end(certificate) as far:
        context = authorizing_through(sender(far), context=customer.context)
        payment = customer.post(order, detail, context)
        assert far.requests == 0
        if told == "tls" and far.server is not None:
            assert far.server.connections == 1, "a certificate does not heal within a request"

    transaction = payment.opening
    assert (transaction.state, transaction.wallet_secrets, payment.order.state) == (
        S.ABANDONED,
        None,
        OrderState.FAILED,
    )
    said = TransactionEvent.objects.filter(transaction=transaction).order_by("pk")
    assert [row.lifecycle_event for row in said] == ["NOTHING_LEFT", "ABANDONED"]
    assert told in explained(said[0])

    clock.advance(minutes=5)
    sweep(context=customer.context)
    assert times_sent(wallet_sandbox, "authorization") == 0
    assert customer.pay(order).order.state == OrderState.PAID
    assert times_sent(wallet_sandbox, "authorization") == 1


@rows(LOST)
def test_an_authorization_that_left_is_unknown_and_nothing_else_of_its_order_can_be_paid(
    far_end: FarEnd,
    told: str,
    customer: Customer,
    sender: Sender,
    make_order: MakeOrder,
    certificate: Certificate,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    with far_end(certificate) as far:
        context = authorizing_through(sender(far), context=customer.context)
        transaction = customer.post(order, detail, context).opening
        assert (transaction.state, transaction.wallet_secrets) == (S.UNKNOWN, None)
        assert told in explained(transaction)
        for _ in range(3):
            clock.advance_to(transaction.next_query_at)
            sweep(context=context)
            transaction.refresh_from_db()
        assert far.requests == 1

    assert (transaction.state, transaction.absent_count) == (S.UNKNOWN, 3)
    assert PaymentOrder.objects.get().state == OrderState.PENDING
    assert times_sent(wallet_sandbox, "authorization") == 0


# The questions before it


TRIES = {"F3-untrusted": 2, "F3-handshake-breaks": 2, "F14-no-object": 1}
"""How often a question is asked where that is not four times."""
ASKED: dict[str, tuple[FarEnd, int]] = {
    name: (far_end, TRIES.get(name, 4)) for name, (far_end, _) in (NOT_SENT | LOST).items()
}
asked = pytest.mark.parametrize(("far_end", "tries"), ASKED.values(), ids=ASKED.keys())


def noting(waits: list[float], context: GatewayContext) -> GatewayContext:
    """Return a context that notes its pauses and sleeps none: one fewer than it tries."""
    return replace(context, sleep=waits.append)


@asked
def test_an_account_that_cannot_be_asked_about_charges_nothing_and_the_same_result_pays_later(
    far_end: FarEnd,
    tries: int,
    customer: Customer,
    sender: Sender,
    make_order: MakeOrder,
    certificate: Certificate,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    waits: list[float] = []
    with far_end(certificate) as far:
        context = diverted("payment_account", sender(far), context=noting(waits, customer.context))
        with pytest.raises(TryAgain):
            customer.post(order, detail, context)

    assert len(waits) + 1 == tries
    assert times_sent(wallet_sandbox, "authorization") == 0
    assert PaymentOrder.objects.get().is_payable
    assert customer.post(order, detail).opening.state == S.APPROVED


@asked
def test_a_key_service_that_cannot_be_reached_costs_the_button_alone(
    far_end: FarEnd,
    tries: int,
    customer: Customer,
    sender: Sender,
    make_order: MakeOrder,
    certificate: Certificate,
    clock: VirtualClock,
) -> None:
    order = make_order()
    waits: list[float] = []
    with far_end(certificate) as far:
        context = diverted("public_key", sender(far), context=noting(waits, customer.context))
        with pytest.raises(WalletUnavailable):
            replace(customer, context=context).open(order)

    assert len(waits) + 1 == tries
    assert not WalletKey.objects.exists()
    assert PaymentOrder.objects.get().is_payable
    clock.advance(seconds=31)
    assert customer.pay(order).opening.state == S.APPROVED
