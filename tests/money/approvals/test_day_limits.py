"""What one person gives back within a day without a second one: by account, over all payments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.money.approvals.people import asked, person
from tests.support.gateway import refusing
from tests.support.shop import Shop, order_of
from wallet_gateway import payments
from wallet_gateway.domain.people import By
from wallet_gateway.models import Allowance, AllowanceUse, Approval, GatewayTransaction

pytestmark = pytest.mark.django_db
Give = Callable[..., GatewayTransaction]


@pytest.fixture
def give(shop: Shop) -> Give:
    """Refund 4.00 of a new payment as anna, where one person gives back 10.00 a day."""
    shop.configure(APPROVALS={"DAY_LIMITS": {"EUR": "10.00"}})

    def refund(amount: str = "4.00", *, by: By | None = None) -> GatewayTransaction:
        who = person("anna") if by is None else by
        return payments.refund(order_of(shop.pay()), amount=Decimal(amount), by=who)

    return refund


@pytest.mark.every_database
def test_refunds_of_several_payments_add_up_and_the_one_above_waits(give: Give, shop: Shop) -> None:
    assert [give().state, give().state, give("2.00").state] == ["APPROVED"] * 3
    request = asked(give, "0.01")
    assert (request.created_by, request.created_by_account) == ("anna", str(person("anna").pk))
    assert len(shop.gateway.sent) == 3
    assert Allowance.objects.get().gateway == "default"


def test_a_new_name_is_no_new_day_and_another_person_has_their_own(give: Give) -> None:
    give("10.00")
    asked(give, "0.01", by=payments.Actor(name="anna married", account=str(person("anna").pk)))
    assert give("10.00", by=person("bert")).state == "APPROVED"


@pytest.mark.every_database
def test_after_a_day_it_is_free_again_bit_by_bit(give: Give, shop: Shop) -> None:
    shop.clock.stop()
    give("6.00")
    begun = shop.clock.by
    shop.clock.by = begun + timedelta(hours=12)
    give("4.00")
    shop.clock.by = begun + timedelta(hours=23, minutes=59)
    asked(give, "0.01")
    shop.clock.by = begun + timedelta(hours=24)
    assert give("6.00").state == "APPROVED"
    asked(give, "0.01")


@pytest.mark.parametrize("program", ["", "refunds-of-the-night"])
def test_a_program_has_no_day(program: str, give: Give) -> None:
    assert [give("9.00", by=program).state for _ in range(2)] == ["APPROVED"] * 2
    assert not Allowance.objects.exists()


def test_detached_refunds_count_with_the_others(give: Give, shop: Shop) -> None:
    deposit, anna = shop.deposit().parent_transaction_id, person("anna")
    give("6.00")
    assert payments.refund_migrated(deposit, Decimal("4.00"), "EUR", by=anna).state == "APPROVED"
    asked(payments.refund_migrated, deposit, Decimal("0.01"), "EUR", by=anna)


def test_a_currency_that_was_forgotten_has_the_limit_zero(give: Give, shop: Shop) -> None:
    shop.configure(APPROVALS={"DAY_LIMITS": {"SEK": "10.00"}})
    asked(give, "0.01")


def test_what_was_refused_is_given_back_and_what_is_unknown_is_not(give: Give, shop: Shop) -> None:
    shop.gateway.answers.append(refusing(400))
    assert give("10.00").state == "REJECTED"
    shop.lose_answer(give, "10.00")
    asked(give, "0.01")


def test_what_a_second_person_agrees_to_is_done_and_counts_for_who_asked(give: Give) -> None:
    give("9.00")
    request = asked(give)
    assert payments.approvals.approve(request, by=person("bert")).state == "APPROVED"
    asked(give, "1.00")
    assert give("10.00", by=person("bert")).state == "APPROVED"


def test_decisions_on_outcomes_count_as_well(give: Give, shop: Shop) -> None:
    lost = [shop.lose_answer(lambda: give("6.00", by="")) for _ in range(2)]
    shop.clock.by += timedelta(hours=25)
    GatewayTransaction.objects.filter(state="UNKNOWN").update(absent_count=5)

    def decide(transaction: GatewayTransaction) -> GatewayTransaction:
        given = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711"}
        return payments.approvals.resolve(transaction, by=person("anna"), **given)

    assert decide(lost[0]).state == "ABANDONED"
    use = AllowanceUse.objects.get()
    assert (use.amount_minor, use.is_decision, use.transaction) == (600, True, lost[0])
    request = asked(decide, lost[1])
    assert (request.created_by, request.created_by_account) == ("anna", str(person("anna").pk))
    lost[1].refresh_from_db()
    assert lost[1].state == "UNKNOWN"
    asked(give, "4.01")
    assert payments.approvals.approve(request, by=person("bert")).state == "ABANDONED"
    assert Approval.objects.filter(state="WAITING").count() == 1
