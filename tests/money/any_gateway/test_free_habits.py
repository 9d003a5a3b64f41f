"""A whole life under each habit that the document leaves free: the outcome is right, and nothing is lost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.money.any_gateway.conftest import Shop, every_habit, states, sums
from tests.stub_gateway.answers import Kind
from tests.stub_gateway.book import Filing
from tests.stub_gateway.habits import NEW_STATE, SOMEBODY_ELSES, Habit, free, only
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def _nothing_to_look_at() -> None:
    """No row waits for a person, and nothing was noticed that should not be."""
    assert list(Discrepancy.objects.values_list("kind", "explanation_params")) == []
    assert not GatewayTransaction.objects.filter(needs_operator=True).exists()


def _events() -> list[str]:
    kinds = list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))
    OutboxEvent.objects.all().delete()
    return kinds


# A word of its own for a state is told, and so is a refund under a reference that nobody here knows.
TOLD = (NEW_STATE, SOMEBODY_ELSES)
QUIET = [habit for habit in free(Kind.CHECKOUT, Kind.STATUS) if habit not in TOLD]


@every_habit(*QUIET)
def test_a_refused_page_can_be_paid_again_and_the_sale_refunded(habit: Habit, shop: Shop) -> None:
    with shop.gateway.having(habit):
        order, page = shop.at_the_page()
        shop.gateway.pay(page, state="Errored")
        assert shop.told(order).state == "FAILED"
        shop.gateway.pay(payments.start_checkout(order).redirect_url)
        assert shop.told(order).state == "PAID"
        assert payments.refund(order, Decimal("4.00")).state == "APPROVED"
        shop.told(order)
    assert (sums(order), states(order)) == (("20.00", "20.00", "4.00"), ["REJECTED", "APPROVED", "APPROVED"])
    assert _events() == ["FAILED", "PAID", "REFUNDED"]
    _nothing_to_look_at()


@every_habit(*only(Kind.FOLLOW_UP))
def test_an_authorization_is_captured_in_parts_or_reversed(habit: Habit, shop: Shop) -> None:
    with shop.gateway.having(habit):
        order = shop.paid(type="preauthorization")
        assert order.state == "AUTHORIZED"
        assert payments.capture(order, Decimal("6.00")).state == "APPROVED"
        assert payments.capture(shop.told(order)).state == "APPROVED"
        assert payments.refund(shop.told(order), Decimal("2.50")).state == "APPROVED"
        shop.told(order)
        other = shop.paid(type="preauthorization")
        assert payments.reverse(other).state == "APPROVED"
        assert shop.told(other).state == "REVERSED"
    assert sums(order) == ("20.00", "20.00", "2.50")
    assert _events() == ["AUTHORIZED", "CAPTURED_IN_PART", "PAID", "REFUNDED", "AUTHORIZED", "REVERSED"]
    _nothing_to_look_at()


def _refused_refunds(shop: Shop, number: int) -> None:
    """Let refunds of a sale be refused, because the gateway knows nothing of it any more."""
    order = shop.paid()
    shop.gateway.book.transactions.clear()
    refused = [payments.refund(order, Decimal("1.00")) for _ in range(number)]
    assert {transaction.state for transaction in refused} == {"REJECTED"}
    assert sums(order) == ("20.00", "20.00", "0.00")


@every_habit(*free(Kind.ERROR, Kind.DETACHED_REFUND))
def test_a_refusal_is_a_refusal_and_what_is_allowed_is_refunded(habit: Habit, shop: Shop) -> None:
    with shop.gateway.having(habit):
        if habit.concerns(Kind.ERROR):
            _refused_refunds(shop, 1)
        parent = shop.deposit("5.00")
        assert payments.refund_migrated(parent, Decimal("5.01"), "EUR").state == "REJECTED"
        assert payments.refund_migrated(parent, Decimal("5.00"), "EUR").state == "APPROVED"
    _nothing_to_look_at()


def test_many_refusals_stop_nothing(shop: Shop) -> None:
    _refused_refunds(shop, 5)
    assert shop.paid().state == "PAID"


def test_beside_a_state_that_the_document_does_not_name_nothing_has_failed_yet(shop: Shop) -> None:
    with shop.gateway.having(NEW_STATE):
        order, page = shop.at_the_page()
        shop.gateway.pay(page, state="Errored")
        assert states(shop.told(order)) == ["PENDING"]
    assert shop.told(order).state == "FAILED"


OF_THE_BUTTON = free(Kind.KEYS, Kind.ACCOUNT, Kind.AUTHORIZATION)
BUTTONS = [*((habit, "Token") for habit in OF_THE_BUTTON), *((habit, "Card") for habit in OF_THE_BUTTON[::8])]


@every(("habit", "card_type"), BUTTONS, ids=[f"{card}, {habit.name}" for habit, card in BUTTONS])
def test_the_button_pays(habit: Habit, card_type: str, shop: Shop) -> None:
    with shop.gateway.having(habit):
        order = shop.order()
        assert shop.press(order, card_type).order.state == "PAID"
        assert shop.told(order).state == "PAID"
        receipt = payments.wallet.receipt(order)
        assert receipt is not None
        assert (receipt.amount.to_wire(), receipt.is_tokenized) == ("20.00", card_type == "Token")
    assert _events() == ["PAID"]
    _nothing_to_look_at()


@every("shares", [False, True])
@every("filing", Filing)
def test_follow_ups_are_found_wherever_they_are_filed(filing: Filing, shares: bool, shop: Shop) -> None:
    shop.set(SHARES_REFERENCES=shares)
    with shop.gateway.having(Habit(filing.name, filing=filing)):
        order = shop.paid(type="preauthorization")
        payments.capture(order, Decimal("6.00"))
        payments.capture(shop.told(order))
        payments.refund(shop.told(order), Decimal("2.50"))
        shop.told(order)
    assert sums(order) == ("20.00", "20.00", "2.50")
    _nothing_to_look_at()
