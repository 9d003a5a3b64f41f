"""The fault matrix below HTTP, on raw sockets: what never left may be sent again, what left may not.

A card of the button is charged once or never: what never left is given up, and the button pressed again.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.client.certificates import Certificate
from tests.explanations import explained
from tests.operations.conftest import MakeOrder, Sender, VirtualClock
from tests.operations.far_ends import LOST, NOT_SENT, FarEnd, rows
from tests.operations.journal import times_sent
from tests.operations.subjects import Subject
from tests.operations.wallet_customer import Customer, authorizing_through, diverted
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, PaymentOrder, TransactionEvent, WalletKey
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, TryAgain, WalletUnavailable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


@rows(NOT_SENT)
def test_what_never_left_holds_its_amount_and_is_sent_by_the_sweep(
    far_end: FarEnd,
    told: str,
    subject: Subject,
    sender: Sender,
    certificate: Certificate,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    with far_end(certificate) as far:
        transaction = subject.execute(sender(far))
        assert far.requests == 0

    assert transaction.state == S.NOT_SENT
    assert told in explained(transaction)
    assert (subject.reserved(), subject.booked()) == (subject.amount, 0)
    assert subject.order_state_is(done=False)
    assert transaction.next_query_at is None
    body = transaction.request_body

    clock.advance_to(transaction.next_send_at)
    assert sweep(context=context).sent_again == 1
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert (subject.reserved(), subject.booked()) == (0, subject.amount)
    assert subject.order_state_is(done=True)
    assert subject.requests() == 1
    assert subject.executed(transaction) == subject.amount
    sent = next(entry for entry in subject.control.journal() if entry["operation"] == subject.name)
    assert sent["body"]["clientSystemTransactionId"] == transaction.reference
    assert transaction.reference in body


@rows(LOST)
def test_what_left_is_unknown_and_never_sent_again(
    far_end: FarEnd,
    told: str,
    mover: Subject,
    sender: Sender,
    certificate: Certificate,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    with far_end(certificate) as far:
        transaction = mover.execute(sender(far))
        assert far.requests == 1

        assert transaction.state == S.UNKNOWN
        assert told in explained(transaction)
        assert (mover.reserved(), mover.booked()) == (mover.amount, 0)
        for _ in range(3):
            clock.advance_to(transaction.next_query_at)
            sweep(context=context)
            transaction.refresh_from_db()
        assert far.requests == 1

    assert (transaction.state, transaction.absent_count) == (S.UNKNOWN, 3)
    assert mover.order_state_is(done=False)
    assert mover.requests() == 0


# The checkout


@rows(NOT_SENT)
def test_a_checkout_that_never_left_is_sent_again_with_the_next_click_byte_for_byte(
    far_end: FarEnd,
    told: str,
    make_order: MakeOrder,
    sender: Sender,
    certificate: Certificate,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    order = make_order()
    with far_end(certificate) as far, pytest.raises(GatewayUnreachable):
        start_checkout(order=order, context=sender(far), return_urls=return_urls)

    transaction = GatewayTransaction.objects.get()
    assert transaction.state == S.NOT_SENT
    assert told in explained(transaction)
    order.refresh_from_db()
    assert order.state == OrderState.OPEN
    written = transaction.request_body

    clock.advance(seconds=20)
    assert sweep(context=context).sent_again == 0, "nobody waits for a page that nobody clicked for"
    payment = start_checkout(order=order, context=context, return_urls=return_urls)
    assert payment.reference == transaction.reference
    assert payment.is_open
    sent = [entry["body"] for entry in wallet_sandbox.journal() if entry["operation"] == "checkout"]
    assert len(sent) == 1
    assert sent[0]["redirectDetails"]["returnUrl"] in written
    transaction.refresh_from_db()
    assert (transaction.attempt_no, transaction.state) == (2, S.OPEN)


@rows(LOST)
def test_a_checkout_that_left_is_given_up_and_kept_on_watch(
    far_end: FarEnd,
    told: str,
    make_order: MakeOrder,
    sender: Sender,
    certificate: Certificate,
) -> None:
    order = make_order()
    with far_end(certificate) as far:
        with pytest.raises(GatewayUnreachable):
            start_checkout(order=order, context=sender(far), return_urls=return_urls)
        assert far.requests == 1

    transaction = GatewayTransaction.objects.get()
    assert transaction.state == S.ABANDONED
    assert told in explained(transaction)
    assert transaction.next_query_at is not None


# The button


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
