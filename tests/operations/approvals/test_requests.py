"""What needs a second person is asked for, once, reserves nothing, and ends by a word or by its time."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.second_person import asked, needs_two
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Approval, ApprovalState, GatewayTransaction, Payment
from wallet_gateway.operations.approvals.requests import decline
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    InvalidState,
    SendingStopped,
)
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.sending.emergency_stop import stop_sending
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
Ask = Callable[..., GatewayTransaction]
ANNA = Initiator(by="anna", comment="returned")


@pytest.fixture
def two(context: GatewayContext) -> GatewayContext:
    """A shop that demands a second person above 5.00 EUR."""
    return needs_two(context)


@pytest.fixture
def give(two: GatewayContext, pay: Pay) -> Ask:
    """Refund the one payment of 20.00 EUR as anna."""
    payment = pay()

    def ask(amount: str | None = None, *, key: str | None = None) -> GatewayTransaction:
        who = Initiator(idempotency_key=key, by="anna", comment="returned")
        given = None if amount is None else Decimal(amount)
        return refund(payment=payment, context=two, amount=given, who=who)

    return ask


def test_above_it_a_request_waits_nothing_is_reserved_and_nothing_sent(
    give: Ask, two: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    request = asked(lambda: give("5.01"))

    assert (request.created_by, request.comment, str(request.amount)) == ("anna", "returned", "5.01 EUR")
    assert request.expires_at - request.created_at == two.policy.approval_policy.waiting_time
    assert Payment.objects.get().refund_reserved == 0
    assert not GatewayTransaction.objects.filter(kind="REFUND").exists()
    assert times_sent(wallet_sandbox, "refund") == 0


def test_all_that_is_left_is_asked_for_as_an_amount(give: Ask) -> None:
    assert str(asked(give).amount) == "20.00 EUR"


def test_what_cannot_be_done_at_all_is_refused_and_asks_nobody(give: Ask, two: GatewayContext) -> None:
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH):
        give("20.01")
    stop_sending(context=two, by="anna", reason="drill")
    with pytest.raises(SendingStopped):
        give("20.00")
    assert not Approval.objects.exists()


def test_captures_and_reversals_take_one_person(two: GatewayContext, pay: Pay) -> None:
    assert reverse(payment=pay(type="preauthorization"), context=two, who=ANNA).state == "APPROVED"
    assert capture(payment=pay(type="preauthorization"), context=two, who=ANNA).state == "APPROVED"


def test_what_nobody_decides_lapses_and_holds_up_no_further_request(
    give: Ask, two: GatewayContext, clock: VirtualClock
) -> None:
    first = asked(lambda: give("8.00"))
    clock.advance(days=7)
    with pytest.raises(InvalidState):
        decline(first, by="bert", reason="late", clock=clock)

    second = asked(lambda: give("8.00"))
    clock.advance(days=7)
    sweep(context=two)

    for request in (first, second):
        request.refresh_from_db()
        assert (request.state, request.outstanding_key, request.decided_by) == (
            ApprovalState.EXPIRED,
            None,
            "",
        )
