"""One operation at a time, one for each key, and what never left is sent by one sender once more."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.money.sending.movers import FOLLOW_UPS, Mover, mover
from tests.support.database_faults import WRITING, meddling
from tests.support.gateway import Answer, Killed, answering, killing, losing, refusing
from tests.support.refusals import refuses
from tests.support.shop import Shop, order_of, reloaded
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.client.errors import NotSentReason
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.payments.errors import (
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
)

pytestmark = pytest.mark.django_db
CAPTURE, REFUND, REVERSE = payments.capture, payments.refund, payments.reverse
E = ErrorCode
FIVE = Decimal("5.00")
send_again = payments.follow_ups.send_again
on_both = pytest.mark.parametrize("name", ["refund", "detached_refund"])


def sent(shop: Shop) -> int:
    return len(shop.gateway.sent)


# One at a time


@pytest.mark.parametrize(
    ("first", "state", "second", "amount"),
    [
        (CAPTURE, "UNKNOWN", CAPTURE, None),
        (CAPTURE, "SENDING", CAPTURE, "1.00"),
        (CAPTURE, "UNKNOWN", CAPTURE, "26.00"),
        (CAPTURE, "UNKNOWN", REFUND, "1.00"),
        (CAPTURE, "SENDING", REVERSE, None),
        (REFUND, "UNKNOWN", REFUND, None),
        (REFUND, "SENDING", REFUND, "6.00"),
        (REFUND, "UNKNOWN", CAPTURE, "1.00"),
        (REVERSE, "SENDING", CAPTURE, "1.00"),
        (REVERSE, "UNKNOWN", REFUND, None),
        (REVERSE, "UNKNOWN", REVERSE, None),
    ],
)
def test_a_second_operation_is_told_of_the_first_and_not_of_what_is_left(
    first: Callable[..., GatewayTransaction],
    state: str,
    second: Callable[..., GatewayTransaction],
    amount: str | None,
    shop: Shop,
) -> None:
    payment = shop.pay(type="preauthorization")
    if first is REFUND:
        CAPTURE(order_of(payment), Decimal("10.00"))
    shop.gateway.answers.append(losing if state == "UNKNOWN" else killing)
    try:
        first(order_of(payment), *([] if first is REVERSE else [FIVE]))
    except Killed:
        assert state == "SENDING"
    assert GatewayTransaction.objects.latest("pk").state == state
    before = sent(shop)
    with refuses(OperationOutstanding, E.OPERATION_OUTSTANDING):
        second(order_of(payment), *([] if amount is None else [Decimal(amount)]))
    assert sent(shop) == before


def test_beside_a_request_that_waits_to_be_sent_the_amount_that_is_left_decides(shop: Shop) -> None:
    payment = shop.pay()
    with shop.cut_off():
        assert REFUND(order_of(payment), Decimal("20.00")).state == "NOT_SENT"
        with refuses(InvalidState, E.AMOUNT_TOO_HIGH):
            REFUND(order_of(payment), Decimal("10.01"))
        assert REFUND(order_of(payment), Decimal("10.00")).state == "NOT_SENT"


# Keys


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        *((None, name) for name in FOLLOW_UPS),
        (losing, "reversal"),
        (losing, "detached_refund"),
        (answering(state="Errored"), "capture"),
        (answering(state="Errored"), "refund"),
    ],
)
def test_a_repeated_key_brings_the_first_transaction_and_sends_nothing(
    answer: Answer | None, name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(*([answer] if answer else []))
    first = operation.execute(idempotency_key="click-1")
    for _ in range(2):
        again = operation.execute(idempotency_key="click-1")
        assert (again.pk, again.state) == (first.pk, first.state)
    assert sent(shop) == 1


def test_a_repeated_key_without_an_amount_brings_the_first_transaction(shop: Shop) -> None:
    payment = shop.pay()
    first = REFUND(order_of(payment), idempotency_key="click-1")
    assert REFUND(order_of(payment), idempotency_key="click-1").pk == first.pk


def test_a_key_belongs_to_one_kind_one_payment_and_one_amount(shop: Shop) -> None:
    payment, other = shop.pay(type="preauthorization"), shop.pay(type="preauthorization")
    CAPTURE(order_of(payment), FIVE, idempotency_key="click-1")
    for verb, subject, amount in (
        (CAPTURE, payment, "5.01"),
        (CAPTURE, payment, "4.99"),
        (CAPTURE, other, "5.00"),
        (REFUND, payment, "5.00"),
        (REVERSE, other, None),
    ):
        with refuses(IdempotencyConflict, E.KEY_TAKEN, key="click-1"):
            verb(order_of(subject), *([Decimal(amount)] if amount else []), idempotency_key="click-1")
    assert sent(shop) == 1


@every("others", [FIVE, Decimal("4.00")])
def test_a_key_that_another_click_takes_at_the_same_moment_is_as_one_taken_before(
    others: Decimal, shop: Shop
) -> None:
    payment, made = shop.pay(), list[GatewayTransaction]()

    def click(amount: Decimal) -> GatewayTransaction:
        return REFUND(order_of(payment), amount, idempotency_key=f"click-{others}")

    before = sent(shop)
    with meddling(WRITING, act=lambda: made.append(click(others))):
        if others == FIVE:
            assert click(FIVE).pk == made[0].pk
        else:
            with refuses(IdempotencyConflict, E.KEY_TAKEN, key=f"click-{others}"):
                click(FIVE)
    assert sent(shop) == before + 1


@every("key", ["", "x" * 65, "a b", "click-1 ", "click\n", "ключ", "a\0"])
def test_what_two_databases_might_read_differently_is_no_key(key: str, shop: Shop) -> None:
    with refuses(InvalidInput, E.ARGUMENT_INVALID, says="1 to 64 visible"):
        REFUND(order_of(shop.pay()), FIVE, idempotency_key=key)


@pytest.mark.every_database
def test_keys_differ_by_letter_case_and_without_one_two_calls_are_two_refunds(shop: Shop) -> None:
    payment = shop.pay()
    rows = {REFUND(order_of(payment), FIVE, idempotency_key=key).pk for key in ("Click", "click", None, None)}
    assert len(rows) == 4


@pytest.mark.every_database
@pytest.mark.parametrize("amount", [None, FIVE], ids=["all", "a part"])
def test_a_click_that_lost_the_race_is_given_the_winners_transaction(
    amount: Decimal | None, shop: Shop
) -> None:
    """Both looked for the key before either had stored it."""
    order, won = order_of(shop.pay()), list[GatewayTransaction]()
    with meddling(WRITING, act=lambda: won.append(REFUND(order, amount, idempotency_key="click-1"))):
        lost = REFUND(order, amount, idempotency_key="click-1")
    assert ([one.pk for one in won], sent(shop)) == ([lost.pk], 1)

    # Without a key, the one that has no outcome yet is in the way.
    shop.gateway.answers.append(losing)
    other = order_of(shop.pay())
    with meddling(WRITING, act=lambda: REFUND(other, FIVE)), pytest.raises(OperationOutstanding):
        REFUND(other, FIVE)


# What never left


def left_to_a_person(operation: Mover, reason: NotSentReason = NotSentReason.DNS) -> GatewayTransaction:
    """Return what never left although the sweep has tried as often as it does."""
    shop, waits = operation.shop, list[float]()
    with shop.cut_off(reason):
        transaction = operation.execute()
        while transaction.next_send_at is not None:
            assert not transaction.needs_operator
            waits.append(round((transaction.next_send_at - shop.clock.now()).total_seconds()))
            shop.sweep_when_due(transaction)
    assert waits == ([1] if reason is NotSentReason.TLS else [1, 4, 16])
    assert (transaction.state, transaction.needs_operator) == ("NOT_SENT", True)
    operation.check_money(transaction)
    return transaction


@pytest.mark.every_database
@pytest.mark.parametrize("name", FOLLOW_UPS)
def test_a_person_sends_it_once_more_with_the_same_reference_and_bytes(name: str, shop: Shop) -> None:
    operation = mover(name, shop)
    transaction = left_to_a_person(operation)
    body = transaction.request_body
    assert hashlib.sha256(body.encode()).hexdigest() == transaction.body_hash
    # What does not leave this time is a person's again.
    with shop.cut_off():
        again = send_again(transaction, by="anna")
    assert (again.state, again.needs_operator, again.next_send_at) == ("NOT_SENT", True, None)

    done = send_again(transaction, by="anna", comment="the gateway is back")
    assert (done.pk, done.state, done.needs_operator) == (transaction.pk, "APPROVED", False)
    (request,) = operation.requests(done)
    assert request == json.loads(body)
    operation.check_money(done)
    asked = TransactionEvent.objects.filter(kind="DECISION").latest("pk")
    assert (asked.created_by, asked.explanation) == ("anna", "To be sent again: the gateway is back")


def test_a_refused_handshake_is_tried_once_more_and_then_asks_for_a_person(shop: Shop) -> None:
    assert left_to_a_person(mover("refund", shop), NotSentReason.TLS).attempt_no == 2


def test_it_may_be_sent_before_the_sweep_is_through(shop: Shop) -> None:
    operation = mover("refund", shop)
    with shop.cut_off():
        transaction = operation.execute()
    assert send_again(transaction).state == "APPROVED"
    shop.clock.by += timedelta(minutes=1)
    assert (payments.sweep()[0].sent_again, sent(shop)) == (0, 1)


@pytest.mark.parametrize("answer", [None, losing, refusing(400)], ids=["approved", "lost", "refused"])
def test_what_has_left_is_never_sent_again(answer: Answer | None, shop: Shop) -> None:
    operation = mover("refund", shop)
    transaction = left_to_a_person(operation)
    operation.will(*([answer] if answer else []))
    send_again(transaction)
    with refuses(InvalidState, E.WRONG_STATE, says="never sent"):
        send_again(transaction)
    page = GatewayTransaction.objects.get(kind="CHECKOUT")
    with refuses(InvalidState, E.WRONG_STATE, says="The customer starts a new one"):
        send_again(page)
    assert sent(shop) == 1


@pytest.mark.every_database
@on_both
def test_nothing_is_sent_while_it_is_frozen_and_another_one_is(name: str, shop: Shop) -> None:
    frozen, free = mover(name, shop), mover("capture", shop)
    held, other = left_to_a_person(frozen), left_to_a_person(free)
    rows = type(frozen.row()).objects.filter(pk=frozen.row().pk)
    rows.update(is_frozen=True)
    with refuses(InvalidState, E.PAYMENT_FROZEN):
        send_again(held)
    assert sent(shop) == 0
    assert send_again(other).state == "APPROVED"
    assert (reloaded(held).state, held.attempt_no) == ("NOT_SENT", 4), "one that is sent claims no other"
    rows.update(is_frozen=False)


@on_both
def test_one_that_another_operation_keeps_from_being_sent_for_an_hour_is_left_to_a_person(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    with shop.cut_off():
        unsent = operation.execute()
    operation.will(losing)
    lost = operation.execute()
    with pytest.raises(OperationOutstanding):
        send_again(unsent)
    shop.gateway.queries.extend([lambda _: (500, b"")] * 100)
    shop.clock.by += timedelta(minutes=59)
    payments.sweep()
    assert (reloaded(unsent).state, unsent.needs_operator) == ("NOT_SENT", False)
    shop.clock.by += timedelta(minutes=2)
    assert payments.sweep()[0].sent_again == 0
    assert (reloaded(unsent).state, unsent.needs_operator) == ("NOT_SENT", True)

    shop.gateway.queries.clear()
    shop.gateway.approve(operation.requests(lost)[0])
    for _ in range(2):
        shop.clock.by += timedelta(hours=1)
        payments.sweep()
    unsent.refresh_from_db()
    assert (unsent.state, unsent.needs_operator) == ("APPROVED", False), "a later sweep sends it all the same"


@pytest.mark.every_database
@pytest.mark.parametrize("leaves", [True, False])
def test_whoever_is_second_sends_nothing(leaves: bool, shop: Shop) -> None:
    transaction = left_to_a_person(mover("refund", shop))

    def be_first() -> None:
        if leaves:
            send_again(transaction, by="bert")
            return
        # Another try that does not leave: two senders would have the same number.
        with shop.cut_off():
            send_again(transaction, by="bert")

    with meddling(WRITING, act=be_first), pytest.raises(OperationRefused) as refused:
        send_again(transaction, by="anna")
    assert refused.value.code == (E.CHANGED_MEANWHILE if leaves else E.SENDING_STOPPED)
    assert (sent(shop), TransactionEvent.objects.get(kind="DECISION").created_by) == (leaves, "bert")


# A stored request that cannot be read any more


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("refund", ""),
        ("detached_refund", '{"merchantId":"shop-1","amount":"5.0'),
        ("refund", "[1]"),
        ("detached_refund", '{"merchantId":"shop-1"}'),
        ("refund", '{"merchantId":17}'),
    ],
    ids=["erased", "cut short", "not an object", "a field is missing", "a number for a text"],
)
def test_a_request_that_cannot_be_read_any_more_stays_unsent_and_asks_for_a_person(
    name: str, body: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    with shop.cut_off():
        transaction = operation.execute()
    GatewayTransaction.objects.filter(pk=transaction.pk).update(request_body=body)
    shop.until(transaction.next_send_at)
    for _ in range(2):
        payments.sweep()
        assert (reloaded(transaction).state, transaction.attempt_no, transaction.needs_operator) == (
            "NOT_SENT",
            1,
            True,
        )
        assert transaction.next_send_at is None
        shop.clock.by += timedelta(hours=1)
    with refuses(InvalidState, E.REQUEST_UNREADABLE, reference=transaction.reference):
        send_again(transaction, by="anna")
    assert sent(shop) == 0
    given_up = payments.approvals.resolve(transaction, decision="DID_NOT_HAPPEN", reason="gone", by="anna")
    assert (given_up.state, operation.held(), operation.execute().state) == ("ABANDONED", 0, "APPROVED")


@pytest.mark.parametrize(
    "change",
    [lambda _: "", lambda _: "[1]", lambda body: body.replace(",", ", ")],
    ids=["erased", "not an object", "in other bytes than it would be sent in"],
)
def test_a_checkout_that_cannot_be_sent_as_it_is_any_more_is_begun_anew(
    change: Callable[[str], str], shop: Shop
) -> None:
    with shop.cut_off():
        first = mover("checkout", shop).execute()
    GatewayTransaction.objects.filter(pk=first.pk).update(request_body=change(first.request_body))
    second = payments.start_checkout(order_of(first.opened_payment))
    first.refresh_from_db()
    assert (second.reference != first.reference, first.state, first.attempt_no) == (True, "NOT_SENT", 1)
    shop.clock.by += timedelta(hours=1)
    payments.sweep()
    assert reloaded(first).state == "ABANDONED"
