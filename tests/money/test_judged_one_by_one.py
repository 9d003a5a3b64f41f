"""Every record is judged for itself: a difference that a person has closed hides no other record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import cycle
from typing import Any

import pytest

from tests.support.gateway import ZERO, answering, record
from tests.support.shop import (
    Shop,
    compared,
    differences_by_comparison,
    kinds,
    of,
    open_differences,
    order_of,
    reloaded,
    state,
    totals,
)
from wallet_gateway import payments
from wallet_gateway.models import Payment

pytestmark = pytest.mark.django_db

Look = Callable[[Shop, Payment], object]
LOOKS: dict[str, Look] = {
    "asked on demand": lambda shop, payment: shop.ask(payment),
    "swept": lambda shop, _: shop.days(1),
    "repaired by the command": lambda shop, _: compared(repair=True, by="anna"),
    "repaired by the function": lambda shop, _: [
        *payments.maintenance.comparison("default", days=300, repair_as="anna").rows
    ],
}
DIFFERENT: dict[str, dict[str, Any]] = {
    "one cent": {"transactionAmount": 0.01},
    "25.00": {"transactionAmount": 25},
    "more than asked": {"transactionAmount": 31},
    "minor units": {"transactionAmount": 3000},
    "another currency": {"currencyCode": "USD"},
    "a currency without decimals": {"currencyCode": "JPY", "transactionAmount": 30},
    "an id too long to keep": {"id": "x" * 200},
}
different_looks = pytest.mark.parametrize(
    ("odd", "look"),
    [
        pytest.param(odd, look, id=f"{name}, {way}")
        for (name, odd), (way, look) in zip(DIFFERENT.items(), cycle(LOOKS.items()), strict=False)
    ],
)
"""Each difference in one way of looking, and each way with one or two differences."""


def with_looks(name: str, rows: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Give each row one way of looking, in turn."""
    pairs = zip(rows.items(), cycle(LOOKS.items()), strict=False)
    cases = [pytest.param(row, look, id=f"{id_}, {way}") for (id_, row), (way, look) in pairs]
    return pytest.mark.parametrize((name, "look"), cases)


def _closed(shop: Shop, odd: dict[str, Any]) -> tuple[Payment, dict[str, Any]]:
    """A page with one approved record that differs, which a person has looked up and closed."""
    payment = shop.begin()
    first = record(payment.reference) | {"id": "R-odd"} | odd
    shop.report_and_ask(payment, first)
    assert state(payment) == ("FROZEN", False)
    shop.decide(payment, "DID_NOT_HAPPEN")
    assert state(payment)[0] != "FROZEN"
    return payment, first


def _is_noticed(shop: Shop, payment: Payment) -> None:
    """Somebody is told, the order is frozen and nobody pays it again."""
    assert payments.get_order(order_of(payment).reference).state == "FROZEN"
    assert state(payment) == ("FROZEN", False)
    assert open_differences(payment)
    assert {"CONTRADICTIONS", "DISCREPANCIES_OPEN"} & {
        finding.code.name for finding in payments.maintenance.health().problems
    }
    assert differences_by_comparison()[payment.reference]
    with pytest.raises(payments.errors.OrderNotPayable):
        payments.start_checkout(order_of(payment))
    assert not shop.gateway.sent


# An approval beside a difference that is closed


@different_looks
def test_an_approval_beside_a_closed_difference_is_seen(odd: dict[str, Any], look: Look, shop: Shop) -> None:
    payment, closed = _closed(shop, odd)
    look(shop, payment)
    assert (state(payment)[0] != "FROZEN", open_differences()) == (True, []), "what is closed stays closed"
    shop.report(payment, closed, record(payment.reference, id="R-2"))
    look(shop, payment)
    _is_noticed(shop, payment)
    assert kinds(payment) == {"APPROVED_AFTER_END"}

    (mine,) = payment.transactions.all()
    payments.approvals.resolve(mine, decision="DID_HAPPEN", reason="on the statement", by="anna")
    assert state(payment) == ("PAID", False)
    assert totals(payment)[0] == order_of(payment).amount


def test_an_approval_that_was_denied_and_then_accepted_is_known_by_its_record(shop: Shop) -> None:
    payment, closed = _closed(shop, {"transactionAmount": 25})
    own = record(payment.reference, id="R-2")
    shop.report(payment, closed, own)
    shop.ask(payment)
    shop.decide(payment, "DID_HAPPEN")
    shop.days(1)
    assert not open_differences(), "nothing has changed"

    shop.report(payment, closed, own | {"state": "Errored"})
    shop.days(2)
    assert kinds(payment) == {"STATE_DIFFERS"}, "what was accepted is not shown as approved any more"


# A second execution beside a difference that is closed


@different_looks
def test_a_second_execution_beside_a_closed_difference_is_seen(
    odd: dict[str, Any], look: Look, shop: Shop
) -> None:
    payment = shop.pay()
    own, closed = record(payment.reference), record(payment.reference) | {"id": "R-odd"} | odd
    shop.report_and_ask(payment, own, closed)
    assert state(payment) == ("FROZEN", False)
    shop.decide(payment, "DID_HAPPEN")
    assert state(payment) == ("PAID", False)
    look(shop, payment)
    assert not open_differences(), "nothing has changed"

    shop.report(payment, own, closed, record(payment.reference, id="R-3"))
    look(shop, payment)
    _is_noticed(shop, payment)
    assert any("R-3" in str(one.explanation) for one in open_differences(payment))


# The same id with another state or amount


@with_looks(
    "later",
    {
        "another amount again": {"transactionAmount": 26},
        "another small amount": {"transactionAmount": 0.02},
        "another currency again": {"currencyCode": "CHF"},
    },
)
def test_the_same_record_with_another_amount_is_judged_anew(
    later: dict[str, Any], look: Look, shop: Shop
) -> None:
    payment, closed = _closed(shop, {"transactionAmount": 25})
    shop.report(payment, closed | later)
    look(shop, payment)
    _is_noticed(shop, payment)


@with_looks("changed", {word: word for word in ("Errored", "Approved", "Pending")})
def test_a_closed_record_that_goes_and_comes_back_approved_is_no_secret(
    changed: str, look: Look, shop: Shop
) -> None:
    payment, closed = _closed(shop, {"transactionAmount": 25})
    shop.report(payment, closed | {"state": changed})
    look(shop, payment)
    assert not open_differences()
    shop.report(payment, closed | {"state": "Approved", "transactionAmount": 30})
    look(shop, payment)
    _is_noticed(shop, payment)


# Placeholder ids


PLACEHOLDERS = ["", ZERO]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_an_approved_record_with_a_placeholder_id_that_somebody_denied_is_named_again(
    placeholder: str, shop: Shop
) -> None:
    payment, _ = _closed(shop, {"id": placeholder})
    shop.ask(payment)
    _is_noticed(shop, payment)


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_an_approved_record_with_a_placeholder_id_that_somebody_accepted_stays_accepted(
    placeholder: str, shop: Shop
) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, id=placeholder))
    shop.decide(payment, "DID_HAPPEN")
    shop.days(1)
    assert state(payment) == ("PAID", False)
    assert not open_differences()

    shop.report(payment, record(payment.reference, id=placeholder), record(payment.reference, id="R-2"))
    shop.ask(payment)
    assert state(payment) == ("FROZEN", False)
    assert open_differences(payment)


# Ids that several records share


SAME_IDS = [*PLACEHOLDERS, "77"]
"""Ids that one gateway may give to everything that it has declined."""
same_ids = pytest.mark.parametrize("id_", SAME_IDS)


@pytest.mark.every_database
@same_ids
def test_two_pending_customers_with_the_same_id_wait_and_are_paid_with_ids_of_their_own(
    id_: str, shop: Shop, heard: list[str]
) -> None:
    both = [shop.begin() for _ in range(2)]
    for payment in both:
        shop.report_and_ask(payment, record(payment.reference, id=id_, state="Pending"))
        assert state(payment) == ("PENDING", False)
    assert not open_differences()
    for payment in both:
        shop.report_and_ask(payment, record(payment.reference))
        assert state(payment) == ("PAID", False)
    assert not open_differences()
    assert heard == ["order_paid", "order_paid"]


@same_ids
def test_two_refunds_answered_pending_with_the_same_id_are_approved_with_ids_of_their_own(
    id_: str, shop: Shop
) -> None:
    waiting = []
    for payment in [shop.pay() for _ in range(2)]:
        shop.gateway.answers.append(answering(state="Pending", id=id_))
        waiting.append(payments.refund(order_of(payment), Decimal("10.00")))
        assert waiting[-1].state == "PENDING"
    for number, refund in enumerate(waiting):
        shop.report(refund, of(refund, id=f"R-{number}"))
        shop.until(refund.next_query_at)
    payments.sweep()
    for refund in waiting:
        assert reloaded(refund).state == "APPROVED"
    assert not open_differences()


def test_the_id_of_the_answer_finds_the_record_where_no_other_was_booked(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(answering(state="Pending", id="F-1"))
    refund = payments.refund(order_of(payment), Decimal("10.00"))
    assert refund.reported_id == "F-1", "it is stored before anything is approved"
    assert not refund.record_id, "and claims nothing"
    shop.report(refund, of(refund, id="F-1"))
    shop.ask(payment)
    assert (reloaded(refund).state, refund.record_id) == ("APPROVED", "F-1")


@pytest.mark.parametrize("id_", PLACEHOLDERS)
def test_approved_records_of_two_customers_with_a_placeholder_are_two_differences_and_nobody_paid(
    id_: str, shop: Shop, heard: list[str]
) -> None:
    both = [shop.begin() for _ in range(2)]
    for number, payment in enumerate(both, 1):
        # Of two nobody can say whether they are one.
        shop.report_and_ask(payment, *[record(payment.reference, id=id_)] * number)
    payments.maintenance.deliver_events()
    assert "order_paid" not in heard
    for payment in both:
        assert state(payment) == ("FROZEN", False)
        assert kinds(payment)
    for payment in both:
        mine = payment.transactions.get()
        payments.approvals.resolve(mine, decision="DID_HAPPEN", reason="statement", by="anna")
        assert state(payment) == ("PAID", False), "each is one decision; neither hides the other"


# The record that was booked


CHANGED: dict[str, dict[str, Any] | None] = {
    "errored": {"state": "Errored"},
    "pending": {"state": "Pending"},
    "of another amount": {"transactionAmount": 25},
    "of another currency": {"currencyCode": "USD"},
    "missing": None,
}


@with_looks("change", CHANGED)
def test_beside_a_booked_record_that_has_changed_a_second_execution_is_seen(
    change: dict[str, Any] | None, look: Look, shop: Shop
) -> None:
    payment = shop.pay()
    changed = [] if change is None else [record(payment.reference, **change)]
    shop.report(payment, *changed)
    shop.days(2)
    assert kinds(payment)
    shop.decide(payment, "DID_HAPPEN")
    assert state(payment) == ("PAID", False)
    look(shop, payment)
    assert not open_differences(), "what is closed does not come back while nothing changes"

    shop.report(payment, *changed, record(payment.reference, id="R-2"))
    look(shop, payment)
    _is_noticed(shop, payment)
    assert any("R-2" in str(one.explanation) for one in open_differences(payment))


def test_a_booked_record_that_errored_is_a_difference_again_after_it_was_approved_meanwhile(
    shop: Shop,
) -> None:
    payment = shop.pay()
    own = record(payment.reference)
    for changed in (own | {"state": "Errored"}, own | {"state": "Errored", "transactionAmount": 0}):
        shop.report(payment, changed)
        shop.days(2)
        assert kinds(payment) == {"STATE_DIFFERS"}
        shop.decide(payment, "DID_HAPPEN")
        shop.report(payment, own)
        shop.days(2)
        assert not open_differences()


# Two differences at once


def test_the_second_of_two_differences_still_freezes_when_the_first_is_closed(shop: Shop) -> None:
    payment, closed = _closed(shop, {"transactionAmount": 25})
    shop.report_and_ask(payment, closed, record(payment.reference, id="R-b", transactionAmount=26))
    _is_noticed(shop, payment)
    assert any("R-b" in str(one.explanation) for one in open_differences(payment))
