"""The fault matrix below HTTP, on raw sockets: what never left may be sent again, what left may not."""

from __future__ import annotations

import json
import socket

import pytest

from tests.client.certificates import Certificate
from tests.client.servers import Request, answer
from tests.explanations import explained
from tests.operations.conftest import MakeOrder, Pay, Sender, VirtualClock
from tests.operations.far_ends import LOST, NOT_SENT, FarEnd, behaving, refused, rows, untrusted
from tests.operations.subjects import Subject
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling import due
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState

FOREIGN_ECHO = b'{"state": "Approved", "currencyCode": "EUR", "clientSystemTransactionId": "another"}'


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


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (FOREIGN_ECHO, "reference_not_echoed"),
        (FOREIGN_ECHO.replace(b"another", b"@").replace(b"EUR", b"USD"), "currency_not_echoed"),
        (b'{"state": "Approved"}', "reference_not_echoed"),
    ],
    ids=["another reference", "another currency", "no echo"],
)
def test_an_approval_that_does_not_echo_our_request_is_no_evidence(
    body: bytes, told: str, subject: Subject, sender: Sender, certificate: Certificate
) -> None:
    def behave(connection: socket.socket, request: Request) -> bool:
        reference: str = json.loads(request.body)["clientSystemTransactionId"]
        connection.sendall(answer(body.replace(b"@", reference.encode())))
        return False

    with behaving(behave)(certificate) as far:
        transaction = subject.execute(sender(far))

    assert transaction.state == S.UNKNOWN
    assert told in explained(transaction)
    assert subject.reserved() == subject.amount


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_after_three_tries_by_the_sweep_what_never_left_is_left_to_a_person(
    subject: Subject, sender: Sender, certificate: Certificate, clock: VirtualClock
) -> None:
    with refused(certificate) as far:
        transaction = subject.execute(sender(far))
        waits = []
        while transaction.next_send_at is not None:
            waits.append((transaction.next_send_at - clock.now()).total_seconds())
            clock.advance_to(transaction.next_send_at)
            sweep(context=sender(far))
            transaction.refresh_from_db()

    assert waits == [1, 4, 16]
    assert (transaction.state, transaction.attempt_no) == (S.NOT_SENT, 4)
    assert subject.reserved() == subject.amount


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_certificate_that_is_refused_is_tried_once_more_only(
    subject: Subject, sender: Sender, certificate: Certificate, clock: VirtualClock
) -> None:
    with untrusted(certificate) as far:
        transaction = subject.execute(sender(far))
        clock.advance_to(transaction.next_send_at)
        sweep(context=sender(far))
        transaction.refresh_from_db()

    assert (transaction.state, transaction.attempt_no, transaction.next_send_at) == (S.NOT_SENT, 2, None)


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


# The status query


# An empty list is an answer to a query: the gateway knows of nothing.
@rows({name: row for name, row in (NOT_SENT | LOST).items() if name != "F14-no-object"})
def test_a_query_that_fails_below_http_is_no_news(
    far_end: FarEnd,
    told: str,
    pay: Pay,
    wallet_sandbox: SandboxControl,
    sender: Sender,
    certificate: Certificate,
    context: GatewayContext,
    clock: VirtualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    payment = pay("return")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    transaction = payment.opening
    before = (transaction.query_count, transaction.absent_count)
    clock.advance_to(transaction.next_query_at)
    with far_end(certificate) as far:
        assert due.reconcile_due(context=sender(far)) == 1

    assert told in caplog.text
    transaction.refresh_from_db()
    assert transaction.state == S.OPEN
    assert (transaction.query_count - before[0], transaction.absent_count - before[1]) == (1, 0)
    clock.advance_to(transaction.next_query_at)
    due.reconcile_due(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
