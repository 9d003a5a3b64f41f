"""What one person gives back within a day without a second one: by account, over all payments."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.second_person import asked, limits_by_day, person
from tests.operations.subjects import DEPOSIT, MIGRATION_FILE
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Allowance, Approval, GatewayTransaction
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
ANNA, BERT = person("anna"), person("bert")
Give = Callable[..., GatewayTransaction]


@pytest.fixture
def ten(context: GatewayContext) -> GatewayContext:
    """A shop where one person gives back 10.00 EUR a day."""
    return limits_by_day(context, EUR=1000)


@pytest.fixture
def give(ten: GatewayContext, pay: Pay) -> Give:
    """Refund 4.00 of a new payment, as anna unless somebody is named."""

    def refund_some(
        by: Actor | str = ANNA, amount: str = "4.00", context: GatewayContext = ten, key: str | None = None
    ) -> GatewayTransaction:
        who = Initiator(by=by, idempotency_key=key)
        return refund(payment=pay(), context=context, amount=Decimal(amount), who=who)

    return refund_some


def test_refunds_of_several_payments_add_up_and_the_one_above_waits(
    give: Give, wallet_sandbox: SandboxControl
) -> None:
    assert [give().state, give().state, give(amount="2.00").state] == ["APPROVED"] * 3
    request = asked(lambda: give(amount="0.01"))
    assert (request.created_by, request.created_by_account) == ("anna", "key-of-anna")
    assert times_sent(wallet_sandbox, "refund") == 3


def test_a_new_name_is_no_new_day(give: Give) -> None:
    give(amount="10.00")
    asked(lambda: give(by=person("anna married", "key-of-anna")))


def test_another_person_and_another_gateway_have_their_own(
    give: Give, ten: GatewayContext, make_context: MakeContext
) -> None:
    give(amount="10.00")
    assert give(by=BERT, amount="10.00").state == "APPROVED"
    assert Allowance.objects.filter(gateway="default").count() == 2
    assert not Allowance.objects.exclude(gateway="default").exists()


def test_after_a_day_it_is_free_again_bit_by_bit(give: Give, clock: VirtualClock) -> None:
    give(amount="6.00")
    clock.advance(hours=12)
    give(amount="4.00")
    clock.advance(hours=11, minutes=59)
    asked(lambda: give(amount="0.01"))
    clock.advance(minutes=1)
    assert give(amount="6.00").state == "APPROVED"
    asked(lambda: give(amount="0.01"))


@pytest.mark.parametrize("program", ["", "refunds-of-the-night"])
def test_a_program_has_no_day(program: str, give: Give) -> None:
    assert [give(by=program, amount="9.00").state for _ in range(3)] == ["APPROVED"] * 3
    assert not Allowance.objects.exists()


def test_detached_refunds_count_with_the_others(
    give: Give, ten: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.migration_file(MIGRATION_FILE)
    give(amount="6.00")

    def detached(amount: str) -> GatewayTransaction:
        return refund_migrated(
            parent_transaction_id=DEPOSIT,
            amount=Decimal(amount),
            currency="EUR",
            context=ten,
            who=Initiator(by=ANNA),
        )

    assert detached("4.00").state == "APPROVED"
    asked(lambda: detached("0.01"))


def test_a_currency_that_was_forgotten_has_the_limit_zero(give: Give, context: GatewayContext) -> None:
    asked(lambda: give(context=limits_by_day(context, SEK=1000)))


def test_what_was_refused_is_given_back_and_what_is_unknown_is_not(
    give: Give, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("refund", "error_body", status=400, code="4100001")
    assert give(amount="10.00").state == TransactionState.REJECTED
    wallet_sandbox.fault("refund", "drop_after")
    assert give(amount="10.00").state == TransactionState.UNKNOWN
    asked(lambda: give(amount="0.01"))


def test_what_a_second_person_agrees_to_is_done_and_counts_for_who_asked(
    give: Give, ten: GatewayContext
) -> None:
    give(amount="9.00")
    request = asked(give)
    assert approve(request, by=BERT, context=ten).state == "APPROVED"
    asked(lambda: give(amount="1.00"))
    assert give(by=BERT, amount="10.00").state == "APPROVED"


def test_decisions_on_outcomes_count_as_well(
    give: Give, ten: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    lost = []
    for _ in range(2):
        wallet_sandbox.fault("refund", "drop_before")
        lost.append(give(by="", amount="6.00"))
    clock.advance(hours=25)
    GatewayTransaction.objects.filter(state="UNKNOWN").update(absent_count=5)

    def decide(transaction: GatewayTransaction) -> GatewayTransaction:
        no = Decision.DID_NOT_HAPPEN
        return resolve(transaction, decision=no, reason="ticket 4711", by=ANNA, context=ten)

    assert decide(lost[0]).state == TransactionState.ABANDONED
    request = asked(lambda: decide(lost[1]))
    lost[1].refresh_from_db()
    assert lost[1].state == TransactionState.UNKNOWN
    asked(lambda: give(amount="4.01"))
    assert approve(request, by=BERT, context=ten).state == TransactionState.ABANDONED
    assert Approval.objects.filter(state="WAITING").count() == 1
