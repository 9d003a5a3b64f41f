"""Our books against the gateway's: each difference by type, a repair as evidence, and a silent gateway."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.support.gateway import record
from tests.support.refusals import refuses
from tests.support.shop import Shop, of, opening, order_of, reloaded
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, TransactionEvent
from wallet_gateway.payments.errors import ErrorCode, GatewayUnreachable, InvalidState
from wallet_gateway.payments.maintenance import ComparedTransaction

pytestmark = pytest.mark.django_db


def compare(**given: Any) -> list[ComparedTransaction]:
    return list(payments.maintenance.comparison("default", **{"days": 40} | given).rows)


def kinds(rows: list[ComparedTransaction]) -> list[str]:
    return [str(difference.kind) for row in rows for difference in row.differences]


@pytest.mark.parametrize(
    ("records", "found"),
    [
        ([{}], []),
        ([{"id": "another", "transactionAmount": 19.5}], ["AMOUNT_DIFFERS"]),
        ([{"currencyCode": "USD"}], ["CURRENCY_DIFFERS"]),
        ([{"state": "Errored"}], ["STATE_DIFFERS"]),
        ([{"state": "Pending"}], ["STATE_DIFFERS"]),
        ([{}, {"id": "g2"}], ["EXECUTED_TWICE"]),
        ([{}, {"id": "g2"}, {"id": "g3"}], ["EXECUTED_TWICE"] * 2),
        ([{"id": None}], ["RECORD_UNREADABLE"]),
    ],
    ids=str,
)
def test_records_that_differ_are_named_by_type_and_nothing_is_changed(
    records: list[dict[str, Any]], found: list[str], shop: Shop
) -> None:
    payment = shop.pay()
    shop.clock.by += timedelta(hours=1)
    shop.report(payment, *(record(payment.reference, **changes) for changes in records))
    before = TransactionEvent.objects.count()
    assert kinds(compare()) == found
    assert (TransactionEvent.objects.count(), Discrepancy.objects.count()) == (before, 0)
    assert (reloaded(payment).captured, payment.is_frozen) == (3000, False)


def test_what_the_gateway_has_forgotten_is_missing_there_and_a_task_when_repaired(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment)
    assert kinds(compare()) == [], "a record may show some minutes after the answer"
    shop.clock.by += timedelta(minutes=16)
    (row,) = compare(repair_as="anna")
    assert (row.repaired, kinds([row])) == (True, ["MISSING_THERE"])
    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.transaction) == ("MISSING_THERE", opening(payment))
    assert (reloaded(payment).is_frozen, opening(payment).state) == (False, "APPROVED")
    evidence = TransactionEvent.objects.latest("pk")
    assert (evidence.kind, evidence.created_by) == ("RECORDS", "anna")
    assert evidence.explanation == "Reconciled (1): The gateway has no record of it"


def test_an_approval_that_is_refused_there_freezes_when_repaired_until_a_person_decides(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment, record(payment.reference, state="Errored"))
    compare(repair_as="anna")
    difference = Discrepancy.objects.get()
    assert difference.kind == "STATE_DIFFERS"
    assert opening(payment).state == "APPROVED", "what was approved is not silently taken back"
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        payments.refund(order_of(payment))

    payments.approvals.close_discrepancy(difference, reason="their typo", by="bob")
    assert not reloaded(payment).is_frozen
    assert kinds(compare()) == [], "what a person has closed is no difference any more"


def test_what_stands_beside_a_closed_difference_is_a_difference_still(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment)
    shop.clock.by += timedelta(hours=1)
    compare(repair_as="anna")
    payments.approvals.close_discrepancy(Discrepancy.objects.get(), reason="archived", by="anna")
    assert kinds(compare()) == []
    shop.report(payment, record(payment.reference, id="g9", type="ecom.refund", transactionAmount=5.0))
    assert kinds(compare()) == ["MADE_ELSEWHERE"]


def test_what_is_settled_while_the_gateway_is_asked_is_no_difference(shop: Shop) -> None:
    payment = shop.begin()

    def paid_meanwhile(reference: str) -> Any:  # noqa: ANN401  an answer
        shop.report(payment, record(reference))
        payments.orders.reconcile_attempt(reference)
        return 200, [record(reference, state="Pending")]

    shop.gateway.queries.append(paid_meanwhile)
    assert kinds(compare(repair_as="anna")) == []
    assert (reloaded(payment).captured, payment.is_frozen) == (3000, False)


# What is compared


@pytest.mark.every_database
def test_what_was_never_sent_and_what_is_old_is_not_asked_about(shop: Shop) -> None:
    old = shop.pay()
    shop.clock.by += timedelta(days=41)
    recent = shop.pay()
    with shop.cut_off():
        assert payments.refund(order_of(recent)).state == "NOT_SENT"
    comparison = payments.maintenance.comparison("default", days=40)
    assert (comparison.total, [row.transaction for row in comparison.rows]) == (1, [opening(recent)])
    assert [row.transaction for row in compare(days=60)] == [opening(old), opening(recent)]
    assert len(compare(unsent=True)) == 2
    GatewayTransaction.objects.update(gateway="second")
    assert compare() == []
    GatewayTransaction.objects.update(gateway="default")


def test_what_a_restored_backup_would_send_again_freezes_if_the_gateway_has_done_it(shop: Shop) -> None:
    payment = shop.pay()
    with shop.cut_off():
        unsent = payments.refund(order_of(payment))
    shop.report(unsent, of(unsent))
    compare(repair_as="anna")
    assert reloaded(unsent).state == "NOT_SENT", "it is not asked about unless that is wanted"
    compare(unsent=True, repair_as="anna")
    assert reloaded(unsent).state == "ANOMALY"
    shop.clock.by += timedelta(days=1)
    payments.sweep()
    assert shop.gateway.sent == []


def test_a_gateway_that_stays_silent_is_left_alone_and_the_place_is_kept(shop: Shop) -> None:
    paid = [shop.pay() for _ in range(3)]
    rows = payments.maintenance.comparison("default", days=1).rows
    assert next(rows).transaction.reference == paid[0].reference
    next(rows)
    shop.gateway.queries += [lambda _: (200, b"no JSON")] * 50
    asked, begun = len(shop.gateway.asked), shop.clock.by
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, gateway="default"):
        next(rows)
    insisted = len(shop.gateway.asked) - asked
    assert 3 <= insisted <= 10, "bounded"
    assert shop.clock.by - begun > timedelta(seconds=insisted), "and ever longer"

    shop.gateway.queries.clear()
    resumed = payments.maintenance.comparison("default", days=1, resume=True)
    assert resumed.total == 1
    assert [row.transaction.reference for row in resumed.rows] == [paid[2].reference]
    again = payments.maintenance.comparison("default", days=1, resume=True)
    assert again.total == 3, "one that ended leaves nothing to resume"
