"""A request for a second person as its row has it: what is kept, who may decide on it, and when it ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.models.rows import a_deposit, a_payment, an_approval
from tests.operations.conftest import MUG, VirtualClock
from tests.operations.second_person import needs_two, person
from tests.operations.settlement.rows import a_page, a_reservation, in_state
from tests.refusals import refuses
from tests.tables import every
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import Approval, ApprovalState, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.operations.approvals.requests import (
    Grant,
    SecondPersonNeeded,
    ask_for,
    ask_to_decide,
    check_alone,
    check_second_person,
    consume_approval,
    decline,
    expire_requests,
    find_request_by_key,
    is_author,
    limit_for,
    outcome_of,
    within,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    AwaitingApproval,
    IdempotencyConflict,
    InvalidState,
    OperationError,
)
from wallet_gateway.operations.follow_ups.cart import cart_of

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
WEEK, SECOND = timedelta(days=7), timedelta(seconds=1)
Columns = dict[str, Any]


@pytest.fixture
def draft(context: GatewayContext) -> GatewayTransaction:
    """A refund of 5.00 that anna wants, not saved."""
    opening = a_reservation(context)
    return GatewayTransaction(
        payment=opening.payment,
        kind=TransactionKind.REFUND,
        currency="EUR",
        amount_minor=500,
        created_by="anna",
        created_by_account="key-of-anna",
        reason_code="returned",
        comment="as told",
    )


# The limit of one person


@every(
    ("refunded", "reserved", "minor", "alone", "is_within"),
    [
        (0, 0, 500, 500, True),
        (0, 0, 501, 500, False),
        (200, 0, 300, 500, True),
        (201, 0, 300, 500, False),
        (0, 200, 300, 500, True),
        (0, 201, 300, 500, False),
        (100, 100, 300, 500, True),
        (100, 101, 300, 500, False),
        (400, 400, 900, None, True),
        (0, 0, 1, 0, False),
    ],
)
def test_refunds_of_one_payment_add_up_to_the_limit_of_one_person(
    refunded: int, reserved: int, minor: int, alone: int | None, is_within: bool
) -> None:
    counters: Columns = {
        "refunded": refunded,
        "refund_reserved": reserved,
        "captured": 2000,
        "authorized": 2000,
    }
    payment = a_payment(**counters)
    assert Payment.objects.filter(within(alone, minor), pk=payment.pk).exists() is is_within
    if is_within:
        check_alone(payment, minor, alone)
    else:
        with refuses(SecondPersonNeeded, ErrorCode.AWAITING_APPROVAL):
            check_alone(payment, minor, alone)
    Payment.objects.filter(pk=payment.pk).delete()
    payment.order.delete()


def test_what_a_second_person_has_agreed_to_has_no_limit(context: GatewayContext) -> None:
    two = needs_two(context, EUR=500)
    assert limit_for("EUR", two, is_agreed=False) == 500
    assert limit_for("EUR", two, is_agreed=True) is None
    assert limit_for("EUR", context, is_agreed=False) is None


# Asking


def test_a_request_keeps_all_that_the_operation_needs(
    draft: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    raised = ask_for(draft, context=context, order_number="A-1001")
    row = Approval.objects.get()
    assert raised.approval == row
    assert (row.payment, row.deposit, row.subject, row.decision) == (draft.payment, None, None, "")
    assert (row.gateway, row.kind, row.currency, row.amount_minor) == ("default", "REFUND", "EUR", 500)
    assert (row.created_by, row.created_by_account) == ("anna", "key-of-anna")
    assert (row.reason_code, row.comment) == ("returned", "as told")
    assert (row.order_number, row.cart, row.state) == ("A-1001", None, ApprovalState.WAITING)
    assert row.outstanding_key == draft.parent_key
    assert row.idempotency_key.startswith("approval-")
    assert len(row.idempotency_key) == len("approval-") + 22
    assert (row.created_at, row.expires_at) == (clock.now(), clock.now() + WEEK)


def test_a_request_of_a_deposit_keeps_the_callers_key(context: GatewayContext) -> None:
    deposit = a_deposit()
    draft = GatewayTransaction(
        deposit=deposit, kind=TransactionKind.DETACHED_REFUND, currency="EUR", amount_minor=500
    )
    draft.idempotency_key = "click-1"
    ask_for(draft, context=context)
    row = Approval.objects.get()
    assert (row.deposit, row.payment, row.order_number) == (deposit, None, "")
    assert (row.idempotency_key, row.outstanding_key) == ("click-1", f"deposit:{deposit.pk}")


def test_a_request_keeps_the_lines_that_the_operation_sends(
    draft: GatewayTransaction, context: GatewayContext
) -> None:
    lines = cart_of(items=[MUG], shipping=None, discounts=(), currency="EUR")
    ask_for(draft, context=context, cart=lines)
    assert Approval.objects.get().shopping_cart == lines


def test_a_request_to_decide_on_a_refund_of_a_deposit_names_the_deposit(context: GatewayContext) -> None:
    held = {"deposit": a_deposit(refund_reserved=500), "holds_reservation": True}
    lost = in_state(TransactionKind.DETACHED_REFUND, TransactionState.UNKNOWN, **held)
    asked_for: Columns = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711", "actor": person("anna")}
    ask_to_decide(lost, context=context, **asked_for)
    row = Approval.objects.get()
    assert (row.deposit, row.payment, row.subject) == (lost.deposit, None, lost)
    assert row.idempotency_key.startswith("approval-")


def test_a_second_request_with_the_same_key_is_the_first_and_with_another_key_has_to_wait(
    draft: GatewayTransaction, context: GatewayContext
) -> None:
    draft.idempotency_key = "click-1"
    first = ask_for(draft, context=context).approval
    assert ask_for(draft, context=context).approval == first
    draft.idempotency_key = "click-2"
    with refuses(InvalidState, ErrorCode.APPROVAL_PENDING):
        ask_for(draft, context=context)
    assert find_request_by_key("click-1") == first
    assert find_request_by_key("click-2") is None


def test_a_request_whose_time_is_over_makes_room_and_another_payments_does_not_end_by_it(
    draft: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    of_another = asked_of(expires_at=clock.now() - SECOND, outstanding_key="payment:0")
    first = ask_for(draft, context=context).approval
    clock.instant += WEEK
    second = ask_for(draft, context=context).approval
    first.refresh_from_db()
    of_another.refresh_from_db()
    assert (first.state, first.outstanding_key, first.decided_at) == ("EXPIRED", None, clock.now())
    assert (second.state, of_another.state) == ("WAITING", "WAITING")


# Ends


def asked_of(**columns: Any) -> Approval:
    payment = a_page().payment
    return an_approval(**{"payment": payment, "created_by_account": "key-of-anna"} | columns)


@pytest.mark.parametrize(("wait", "is_over"), [(-SECOND, True), (timedelta(0), True), (SECOND, False)])
def test_a_request_expires_with_its_last_moment(wait: timedelta, is_over: bool, clock: VirtualClock) -> None:
    lines = {"lines": "of a cart"}
    waiting = asked_of(expires_at=clock.now() + wait, outstanding_key="payment:1", cart=lines)
    decided = asked_of(expires_at=clock.now() + wait, state=ApprovalState.DECLINED)
    assert expire_requests(now=clock.now()) == is_over
    waiting.refresh_from_db()
    decided.refresh_from_db()
    assert decided.state == ApprovalState.DECLINED
    found: tuple[Any, ...] = (waiting.state, waiting.outstanding_key, waiting.cart, waiting.decided_at)
    over = (ApprovalState.EXPIRED, None, None, clock.now())
    assert found == (over if is_over else (ApprovalState.WAITING, "payment:1", lines, None))
    if is_over:
        with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
            decline(waiting, by=person("bert"), reason="late", clock=clock)


@pytest.mark.parametrize(
    ("by", "state"), [("bert", ApprovalState.DECLINED), ("anna", ApprovalState.WITHDRAWN)]
)
def test_a_request_is_declined_by_another_and_withdrawn_by_its_author(
    by: str, state: ApprovalState, clock: VirtualClock
) -> None:
    other = asked_of(expires_at=clock.now() + WEEK)
    request = asked_of(expires_at=clock.now() + WEEK, outstanding_key="payment:1", cart={"a": "line"})
    ended = decline(request, by=person(by), reason=" not returned ", clock=clock)
    assert (ended.state, ended.decided_by, ended.decided_by_account) == (state, by, f"key-of-{by}")
    assert (ended.reason, ended.decided_at) == ("not returned", clock.now())
    assert (ended.outstanding_key, ended.cart) == (None, None)
    other.refresh_from_db()
    assert other.state == ApprovalState.WAITING


def test_an_approval_is_consumed_once_and_both_names_are_kept(
    context: GatewayContext, clock: VirtualClock
) -> None:
    other = asked_of(expires_at=clock.now() + WEEK)
    request = asked_of(expires_at=clock.now() + WEEK, outstanding_key="payment:1")
    transaction = a_page()
    grant = Grant(approval=request, actor=person("bert"), reason="seen the parcel")
    consume_approval(grant, transaction, now=clock.now())
    request.refresh_from_db()
    other.refresh_from_db()
    assert (request.state, request.decided_by, request.reason) == ("AGREED", "bert", "seen the parcel")
    assert (request.decided_at, request.outstanding_key, other.state) == (clock.now(), None, "WAITING")
    event = TransactionEvent.objects.get(approval=request)
    assert (event.transaction, event.kind, event.state_after) == (transaction, "APPROVAL", "OPEN")
    assert (event.created_by, event.created_by_account) == ("bert", "key-of-bert")
    assert (event.explanation, event.occurred_at) == ("seen the parcel", clock.now())
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
        consume_approval(grant, transaction, now=clock.now())


@every(
    ("state", "kind", "code"),
    [
        (ApprovalState.WAITING, AwaitingApproval, None),
        (ApprovalState.AGREED, InvalidState, ErrorCode.CHANGED_MEANWHILE),
        (ApprovalState.DECLINED, IdempotencyConflict, ErrorCode.KEY_TAKEN),
        (ApprovalState.WITHDRAWN, IdempotencyConflict, ErrorCode.KEY_TAKEN),
        (ApprovalState.EXPIRED, IdempotencyConflict, ErrorCode.KEY_TAKEN),
    ],
)
def test_a_repeated_key_is_answered_by_what_became_of_its_request(
    state: ApprovalState, kind: type[OperationError], code: ErrorCode | None
) -> None:
    error = outcome_of(Approval(pk=7, kind="REFUND", amount_minor=500, currency="EUR", state=state))
    assert type(error) is kind
    assert code is None or error.code is code


# Who is a second person


@every(
    ("actor", "author", "says"),
    [
        (person("bert"), person("anna"), ""),
        (person("bert"), Actor(name="nightly"), ""),
        (person("anna"), person("anna"), "your own request"),
        (person("anna"), person("renamed", "key-of-anna"), "your own request"),
        (person("Anna", "another"), person("anna"), "your own request"),
        (Actor(name="nightly"), person("anna"), "a name without an account"),
        (person("a" * 200, "another"), person("a" * 150), "your own request"),
    ],
)
def test_a_second_person_has_an_account_and_is_not_the_first(actor: Actor, author: Actor, says: str) -> None:
    assert is_author(actor, author) is (says == "your own request")
    if not says:
        check_second_person(actor, author)
    else:
        with refuses(InvalidState, ErrorCode.NOT_PERMITTED, says=says):
            check_second_person(actor, author)
    assert is_author(replace(author, name=author.name), author)
