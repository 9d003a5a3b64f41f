"""A person's decisions: when one is open, what it books, and that no decision hides what the gateway says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Resolve, VirtualClock, sweep_until
from tests.operations.dying import in_the_name_of
from tests.operations.subjects import Subject
from tests.operations.wallet_customer import CARD, Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import (
    GatewayTransaction,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


@pytest.fixture
def stuck(subject: Subject, context: GatewayContext, clock: VirtualClock) -> GatewayTransaction:
    """An outcome that nobody could find out for a day."""
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    return transaction


# Words


@pytest.mark.parametrize("words", [{"reason": ""}, {"reason": "  "}, {"by": ""}, {"by": "\n"}])
@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_decision_needs_a_reason_and_a_name(
    words: dict[str, str], stuck: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says=" is missing"):
        resolve(stuck, NOT_HAPPENED, **words)
    stuck.refresh_from_db()
    assert stuck.state == S.UNKNOWN


@pytest.mark.parametrize("words", [{"reason": "\ud800"}, {"by": "a\udfff"}, {"reason": "a\0b"}], ids=ascii)
@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_words_that_cannot_be_stored_are_refused(
    words: dict[str, str], stuck: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field=next(iter(words))):
        resolve(stuck, NOT_HAPPENED, **words)


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_long_words_are_cut_and_kept(stuck: GatewayTransaction, resolve: Resolve) -> None:
    resolve(stuck, NOT_HAPPENED, reason="r" * 900, by="a" * 300)
    decision = TransactionEvent.objects.get(transaction=stuck, kind="DECISION")
    assert (decision.explanation, decision.created_by) == ("r" * 500, "a" * 150)


# Outcomes that nobody can find out


def test_what_was_sent_for_an_account_that_the_settings_no_longer_name_is_not_given_up(
    subject: Subject, stuck: GatewayTransaction, resolve: Resolve, context: GatewayContext
) -> None:
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED):
        resolve(stuck, NOT_HAPPENED, context=in_the_name_of("ANOTHER", context))
    assert subject.reserved() == subject.amount


def test_what_nobody_can_find_out_is_given_up_and_watched(
    subject: Subject, stuck: GatewayTransaction, resolve: Resolve, clock: VirtualClock
) -> None:
    assert subject.reserved() == subject.amount
    given_up = resolve(stuck, NOT_HAPPENED)

    assert given_up.state == S.ABANDONED
    assert (subject.reserved(), subject.booked()) == (0, 0)
    assert given_up.decided_by_person
    assert not given_up.needs_operator
    assert given_up.next_query_at is not None
    assert given_up.next_query_at > clock.now()
    assert "ticket 4711" in given_up.explanation
    assert subject.execute().state == S.APPROVED
    assert subject.requests() == 2


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_what_was_given_up_is_watched_for_ninety_days(
    stuck: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = resolve(stuck, NOT_HAPPENED)
    began = clock.now()
    sweep_until(transaction, lambda row: row.next_query_at is None, context=context, clock=clock)
    assert timedelta(days=89) < clock.now() - began < timedelta(days=92)


# 3-D Secure that the gateway never ends


@pytest.fixture
def held(customer: Customer, make_order: MakeOrder, clock: VirtualClock) -> GatewayTransaction:
    """A card whose 3-D Secure nobody finishes, at a gateway whose own clock never ends it."""
    transaction = customer.pay(make_order(), CARD).opening
    assert transaction.state == S.AWAITING_3DS
    clock.sandbox = None
    return transaction


def test_three_d_secure_that_never_ends_is_left_to_a_person_after_a_day(
    held: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    began = clock.now()
    with refuses(InvalidState, ErrorCode.TOO_EARLY, needed=5, count=0):
        resolve(held, NOT_HAPPENED)
    sweep_until(held, lambda row: row.absent_count == 8, context=context, clock=clock)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, after=timedelta(hours=24), count=8):
        resolve(held, NOT_HAPPENED)
    assert not held.needs_operator

    sweep_until(held, lambda row: row.needs_operator, context=context, clock=clock)
    assert timedelta(days=1) <= clock.now() - began < timedelta(days=2)
    given_up = resolve(held, NOT_HAPPENED)

    assert (given_up.state, given_up.decided_by_person) == (S.ABANDONED, True)
    order = PaymentOrder.objects.get()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)


@pytest.fixture
def unreachable(make_context: MakeContext) -> GatewayContext:
    return make_context(f"http://127.0.0.1:{unused_port()}")


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
@pytest.mark.parametrize("by", ["a\0b", "\ud800"], ids=ascii)
def test_a_name_that_cannot_be_stored_gives_nothing_up(
    subject: Subject, unreachable: GatewayContext, by: str
) -> None:
    transaction = subject.execute(unreachable)
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="by"):
        resolutions.give_up_unsent(transaction, by=by, context=unreachable)
    transaction.refresh_from_db()
    assert transaction.state == TransactionState.NOT_SENT


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_who_has_no_name_is_stored_as_a_dash(subject: Subject, unreachable: GatewayContext) -> None:
    transaction = subject.execute(unreachable)
    assert resolutions.give_up_unsent(transaction, by=" ", context=unreachable)
    assert TransactionEvent.objects.get(kind="DECISION").created_by == "-"
