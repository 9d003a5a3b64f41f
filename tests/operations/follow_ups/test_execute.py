"""What all transactions have in common: one at a time, and one for each key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.client.servers import RawServer, hangs_up, unused_port
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import posts
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    OperationOutstanding,
)
from wallet_gateway.operations.follow_ups.capture_refund_reverse import (
    capture,
    refund,
    reverse,
)
from wallet_gateway.operations.follow_ups.execute import Initiator, resend_unsent
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def eur(text: str) -> Decimal:
    return Decimal(text)


# One at a time


@pytest.mark.parametrize("second", [capture, refund])
def test_while_an_outcome_is_unknown_nothing_else_is_begun(
    second: Callable[..., GatewayTransaction],
    authorized: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    capture(payment=authorized, context=context, amount=eur("5.00"))
    authorized.refresh_from_db()
    wallet_sandbox.fault("capture", "drop_after")
    unknown = capture(payment=authorized, context=context, amount=eur("5.00"))
    assert unknown.state == S.UNKNOWN

    with refuses(OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        second(payment=authorized, context=context, amount=eur("1.00"))
    authorized.refresh_from_db()
    assert (authorized.capture_reserved, authorized.refund_reserved) == (500, 0)

    clock.advance_to(unknown.next_query_at)
    sweep(context=context)
    assert second(payment=authorized, context=context, amount=eur("1.00")).state == S.APPROVED


PARTS = {"all": None, "a part of the rest": eur("1.00"), "more than the rest": eur("16.00")}


@pytest.mark.parametrize("part", PARTS.values(), ids=list(PARTS))
@pytest.mark.parametrize(
    ("first", "taken", "second"),
    [
        (capture, eur("20.00"), capture),
        (capture, eur("20.00"), refund),
        (capture, eur("20.00"), reverse),
        (capture, eur("5.00"), capture),
        (refund, eur("15.00"), refund),
        (refund, eur("14.00"), refund),
        (refund, eur("15.00"), capture),
        (reverse, None, capture),
        (reverse, None, refund),
        (reverse, None, reverse),
    ],
)
@pytest.mark.parametrize("state", [S.UNKNOWN, S.SENDING])
def test_a_second_operation_is_told_of_the_first_and_not_of_what_is_left(
    first: Callable[..., GatewayTransaction],
    taken: Decimal | None,
    second: Callable[..., GatewayTransaction],
    part: Decimal | None,
    state: TransactionState,
    authorized: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    if first is refund:
        capture(payment=authorized, context=context, amount=eur("15.00"))
    given = {} if taken is None else {"amount": taken}
    if state == S.SENDING:
        with pytest.raises(Killed):
            first(payment=authorized, context=interrupted(context, before=kill), **given)
    else:
        kind = {capture: "capture", refund: "refund", reverse: "reversal"}[first]
        wallet_sandbox.fault(kind, "drop_after")
        first(payment=authorized, context=context, **given)
    assert GatewayTransaction.objects.latest("pk").state == state
    sent = len(posts(wallet_sandbox))

    with refuses(OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        second(payment=authorized, context=context, **({} if second is reverse else {"amount": part}))
    assert len(posts(wallet_sandbox)) == sent


def test_beside_a_request_that_waits_to_be_sent_the_amount_that_is_left_decides(
    paid: Payment, make_context: MakeContext
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    assert refund(payment=paid, context=unreachable, amount=eur("15.00")).state == S.NOT_SENT
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH):
        refund(payment=paid, context=unreachable, amount=eur("6.00"))


# Keys


@pytest.mark.parametrize("fault", [None, "drop_after", "errored", "status_before"])
def test_a_repeated_key_brings_the_first_transaction_and_sends_nothing(
    fault: str | None, paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    if fault:
        wallet_sandbox.fault("refund", fault)
    who = Initiator(idempotency_key="click-1")
    first = refund(payment=paid, context=context, amount=eur("5.00"), who=who)
    for _ in range(3):
        again = refund(payment=paid, context=context, amount=eur("5.00"), who=who)
        assert (again.pk, again.state) == (first.pk, first.state)
    assert len(posts(wallet_sandbox)) == 1


def test_a_repeated_key_without_an_amount_brings_the_first_transaction(
    paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    who = Initiator(idempotency_key="click-1")
    first = refund(payment=paid, context=context, who=who)
    paid.refresh_from_db()
    assert refund(payment=paid, context=context, who=who).pk == first.pk
    assert len(posts(wallet_sandbox)) == 1


def test_a_key_belongs_to_one_kind_of_operation(paid: Payment, context: GatewayContext) -> None:
    refund(payment=paid, context=context, amount=eur("1.00"), who=Initiator(idempotency_key="click-1"))
    with pytest.raises(IdempotencyConflict):
        reverse(payment=paid, context=context, who=Initiator(idempotency_key="click-1"))


def test_a_click_that_lost_the_race_for_the_amount_is_given_the_winners_transaction(
    paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = Initiator(idempotency_key="click-1")
    stale = Payment.objects.select_related("order").get()
    first = refund(payment=paid, context=context, who=who)
    with monkeypatch.context() as patch:
        # Both looked for the key before either had stored it.
        patch.setattr(
            "wallet_gateway.operations.follow_ups.capture_refund_reverse.find_by_idempotency_key",
            lambda *_, **__: None,
        )
        assert refund(payment=stale, context=context, amount=eur("20.00"), who=who).pk == first.pk
    assert len(posts(wallet_sandbox)) == 1


@pytest.mark.parametrize("amount", [eur("5.01"), eur("4.99")])
def test_a_key_with_another_amount_is_a_conflict(
    amount: Decimal, paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    refund(payment=paid, context=context, amount=eur("5.00"), who=Initiator(idempotency_key="click-1"))
    with refuses(IdempotencyConflict, ErrorCode.KEY_TAKEN, key="click-1"):
        refund(payment=paid, context=context, amount=amount, who=Initiator(idempotency_key="click-1"))
    assert len(posts(wallet_sandbox)) == 1


def test_a_key_belongs_to_one_payment(pay: Pay, context: GatewayContext) -> None:
    first, second = pay(), pay()
    refund(payment=first, context=context, amount=eur("5.00"), who=Initiator(idempotency_key="click-1"))
    with pytest.raises(IdempotencyConflict):
        refund(payment=second, context=context, amount=eur("5.00"), who=Initiator(idempotency_key="click-1"))


@pytest.mark.parametrize("key", ["", "x" * 65, "a b", "click-1 ", "click\n", "ключ", "a\0"])
def test_what_two_databases_might_read_differently_is_no_key(
    key: str, paid: Payment, context: GatewayContext
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="1 to 64 visible"):
        refund(payment=paid, context=context, amount=eur("5.00"), who=Initiator(idempotency_key=key))


def test_keys_differ_by_letter_case(paid: Payment, context: GatewayContext) -> None:
    first = refund(payment=paid, context=context, amount=eur("5.00"), who=Initiator(idempotency_key="Click"))
    second = refund(payment=paid, context=context, amount=eur("5.00"), who=Initiator(idempotency_key="click"))
    assert first.pk != second.pk


def test_without_a_key_two_calls_are_two_refunds(paid: Payment, context: GatewayContext) -> None:
    for _ in range(2):
        refund(payment=paid, context=context, amount=eur("5.00"))
    paid.refresh_from_db()
    assert paid.refunded == 1000


# What is written before the first byte


def test_the_row_is_committed_with_all_that_is_about_to_be_sent_before_a_byte_leaves(
    paid: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    seen: list[GatewayTransaction] = []

    def look() -> None:
        seen.append(GatewayTransaction.objects.select_related("payment").get(kind="REFUND"))

    refund(payment=paid, context=interrupted(context, before=look), amount=eur("5.00"))

    (row,) = seen
    assert (row.state, row.attempt_no, row.amount_minor) == (S.SENDING, 1, 500)
    assert row.leased_until == clock.now() + timedelta(seconds=120)
    assert (row.outstanding_key, row.holds_reservation) == (f"payment:{paid.pk}", True)
    assert hashlib.sha256(row.request_body.encode()).hexdigest() == row.body_hash
    assert row.payment is not None
    assert row.payment.refund_reserved == 500


def test_what_is_sent_again_is_the_same_to_the_byte(
    paid: Payment, make_context: MakeContext, context: GatewayContext
) -> None:
    transaction = refund(
        payment=paid, context=make_context(f"http://127.0.0.1:{unused_port()}"), amount=eur("5.00")
    )
    with RawServer(hangs_up) as far:
        again = resend_unsent(transaction, context=make_context(far.base_url))
        (sent,) = far.requests
    assert again is not None
    assert (again.state, again.attempt_no) == (S.UNKNOWN, 2)
    assert hashlib.sha256(sent.body).hexdigest() == transaction.body_hash


@pytest.mark.parametrize("fault", [None, "drop_after", "errored"])
def test_what_left_once_is_not_sent_again_by_anybody(
    fault: str | None, paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    if fault:
        wallet_sandbox.fault("refund", fault)
    transaction = refund(payment=paid, context=context, amount=eur("5.00"))
    assert resend_unsent(transaction, context=context) is None
    assert len(posts(wallet_sandbox)) == 1


def test_after_it_left_a_redacted_copy_is_kept_once(paid: Payment, context: GatewayContext) -> None:
    transaction = refund(payment=paid, context=context, amount=eur("5.00"))
    transaction.refresh_from_db()
    assert transaction.request_body == ""
    kept = TransactionEvent.objects.get(transaction=transaction).request_body
    assert "sandbox-user" not in kept
    assert transaction.reference in kept
