"""The fault matrix below HTTP, on raw sockets: what never left may be sent again, what left may not."""

from __future__ import annotations

import pytest

from tests.client.certificates import Certificate
from tests.explanations import explained
from tests.operations.conftest import MakeOrder, Sender, VirtualClock
from tests.operations.far_ends import LOST, NOT_SENT, FarEnd, rows
from tests.operations.subjects import Subject
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
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
    subject: Subject,
    sender: Sender,
    certificate: Certificate,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    with far_end(certificate) as far:
        transaction = subject.execute(sender(far))
        assert far.requests == 1

        assert transaction.state == S.UNKNOWN
        assert told in explained(transaction)
        assert (subject.reserved(), subject.booked()) == (subject.amount, 0)
        for _ in range(3):
            clock.advance_to(transaction.next_query_at)
            sweep(context=context)
            transaction.refresh_from_db()
        assert far.requests == 1

    assert (transaction.state, transaction.absent_count) == (S.UNKNOWN, 3)
    assert subject.order_state_is(done=False)
    assert subject.requests() == 0


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
