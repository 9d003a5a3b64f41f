"""What becomes of a request that moves money, and what the books say of it then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import cycle
from typing import Any

import pytest

from tests.support.gateway import Answer, answering, approved, losing, record
from tests.support.refusals import refuses
from tests.support.shop import OPERATIONS, Shop, euros, kinds, of, open_differences, order_of, state, totals
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxEvent, Payment
from wallet_gateway.payments.errors import ErrorCode, InvalidInput, InvalidState

pytestmark = pytest.mark.django_db

AMOUNTS = {"CAPTURE": 1000, "REFUND": 1000, "REVERSAL": 3000, "DETACHED_REFUND": 1000}


def prepared(shop: Shop, kind: str) -> Callable[[], GatewayTransaction]:
    """Give what carries out an operation: of 10.00, or of 30.00 for a reversal."""
    if kind == "DETACHED_REFUND":
        shop.deposit()
        return lambda: payments.refund_migrated("OLD-1", Decimal("10.00"), "EUR")
    payment = shop.pay_for(kind)
    amount = () if kind == "REVERSAL" else (Decimal("10.00"),)
    return lambda: OPERATIONS[kind](order_of(payment), *amount)


def sums(made: GatewayTransaction) -> tuple[int, int, bool]:
    """What is reserved for an operation, what is booked of it, and whether its parent is frozen."""
    if made.kind == "DETACHED_REFUND":
        deposit = MigratedDeposit.objects.get()
        return deposit.refund_reserved, deposit.refunded, deposit.is_frozen
    payment = Payment.objects.get()
    if made.kind == "REVERSAL":
        whole = {"reserved": (3000, 0), "done": (0, 3000), "none": (0, 0)}[payment.reversal]
        return *whole, payment.is_frozen
    if made.kind == "CAPTURE":
        return payment.capture_reserved, payment.captured, payment.is_frozen
    return payment.refund_reserved, payment.refunded, payment.is_frozen


def asked(shop: Shop, made: GatewayTransaction) -> GatewayTransaction:
    """Let the next query of an operation come."""
    made.refresh_from_db()
    if made.next_query_at is not None:
        shop.until(made.next_query_at)
        payments.sweep()
        made.refresh_from_db()
    return made


def decided(made: GatewayTransaction, decision: str) -> GatewayTransaction:
    return payments.approvals.resolve(made, decision=decision, reason="ticket 4711", by="anna")


def _answers(**fields: Any) -> Answer:
    return answering(**{"id": "G-1"} | fields)


APPROVAL = _answers()
ONE, TWO = {"id": "G-1"}, {"id": "G-twice"}
YES, NO = "DID_HAPPEN", "DID_NOT_HAPPEN"
Row = tuple[str, Answer, list[dict[str, Any]] | None, str, str, bool, bool, bool]
ROWS: list[Row] = [
    # What it is called, the answer, the records after it, a decision: the state, reserved, booked, frozen.
    ("approved", APPROVAL, None, "", "APPROVED", False, True, False),
    ("errored", _answers(state="Errored"), None, "", "REJECTED", False, False, False),
    ("pending", _answers(state="Pending"), None, "", "PENDING", True, False, False),
    ("lost", losing, None, "", "UNKNOWN", True, False, False),
    ("of another", _answers(clientSystemTransactionId="X"), None, "", "UNKNOWN", True, False, False),
    ("lost, then approved", losing, [ONE], "", "APPROVED", False, True, False),
    ("lost, then errored", losing, [{"state": "Errored"}], "", "REJECTED", False, False, False),
    ("lost, then pending", losing, [{"state": "Pending"}], "", "PENDING", True, False, False),
    ("pending, then approved", _answers(state="Pending"), [ONE], "", "APPROVED", False, True, False),
    ("lost, then more", losing, [{"transactionAmount": 77}], "", "ANOMALY", True, False, True),
    ("more, denied", losing, [{"transactionAmount": 77}], NO, "ABANDONED", False, False, False),
    ("an id too long", losing, [{"id": "g" * 600}], "", "ANOMALY", True, False, True),
    ("an id too long, accepted", losing, [{"id": "g" * 600}], YES, "APPROVED", False, True, False),
    ("lost, then twice", losing, [ONE, TWO], "", "ANOMALY", True, False, True),
    ("twice, accepted", losing, [ONE, TWO], YES, "APPROVED", False, True, False),
    ("twice, denied", losing, [ONE, TWO], NO, "ABANDONED", False, False, False),
    ("approved, then another", APPROVAL, [TWO], "", "ANOMALY", False, True, True),
    ("approved, then twice", APPROVAL, [ONE, TWO], "", "ANOMALY", False, True, True),
    ("another, accepted", APPROVAL, [TWO], YES, "APPROVED", False, True, False),
]
_other = cycle(["CAPTURE", "REFUND", "DETACHED_REFUND"])
CASES = [(kind, *row[1:]) for row in ROWS for kind in (next(_other), "REVERSAL")]
IDS = [f"{row[0]}, {kind}" for row in ROWS for kind in ("amount", "reversal")]


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("kind", "answer", "records", "decision", "after", "reserved", "booked", "frozen"), CASES, ids=IDS
)
def test_an_operation_is_booked_once_and_reserved_until_its_end(
    kind: str,
    answer: Answer,
    records: list[dict[str, Any]] | None,
    decision: str,
    after: str,
    reserved: bool,
    booked: bool,
    frozen: bool,
    shop: Shop,
) -> None:
    operate = prepared(shop, kind)
    shop.gateway.answers.append(answer)
    made = operate()
    if records is not None:
        shop.report(made, *(of(made, **fields) for fields in records))
        asked(shop, made)
    if decision:
        made = decided(made, decision)
    made.refresh_from_db()
    amount = AMOUNTS[kind]
    expected = (amount * reserved, amount * booked, frozen)
    assert (made.state, *sums(made)) == (after, *expected)
    written = made.events.order_by("-pk")[0]
    assert (written.state_after, made.holds_reservation) == (after, reserved)
    if decision:
        closed = Discrepancy.objects.get(transaction=made)
        assert (closed.closed_by, closed.reason, closed.closed_at is not None) == (
            "anna",
            "ticket 4711",
            True,
        )
    with_amount = OutboxEvent.objects.filter(transaction=made, amount_minor__isnull=False)
    money = with_amount.exclude(kind="OPERATION_REFUSED")
    assert money.count() == (booked and kind != "DETACHED_REFUND")
    # What was seen before is no news, unless a person has said that it did not happen.
    if records is not None and decision != NO:
        made = asked(shop, made)
        assert (made.state, *sums(made)) == (after, *expected)
        assert money.count() == (booked and kind != "DETACHED_REFUND")


@pytest.mark.parametrize(
    ("amount", "after", "booked", "found"),
    [
        ("7.50", "APPROVED", 750, {"REFUND_SHORT"}),
        ("0.00", "UNKNOWN", 0, set()),
        ("10.01", "ANOMALY", 0, {"APPROVED_ABOVE_REQUEST"}),
        ("1000.00", "ANOMALY", 0, {"UNIT_MIX_UP"}),
    ],
)
def test_the_amount_in_the_answer_to_a_detached_refund_is_what_was_refunded(
    amount: str, after: str, booked: int, found: set[str], shop: Shop
) -> None:
    operate = prepared(shop, "DETACHED_REFUND")
    shop.gateway.answers.append(answering(amount=amount))
    made = operate()
    assert (made.state, sums(made)[1], kinds()) == (after, booked, found)


@pytest.mark.parametrize("word", ["Errored", "Pending", "Odd", None])
def test_an_approval_is_not_undone_by_weaker_news(word: str | None, shop: Shop) -> None:
    made = prepared(shop, "REFUND")()
    shop.report(made, *([] if word is None else [of(made, id=made.record_id, state=word)]))
    for _ in range(3):
        asked(shop, made)
    assert (made.state, sums(made)[1]) == ("APPROVED", 1000)
    found = {"Odd": "UNKNOWN_STATE", None: "MISSING_THERE"}.get(word, "STATE_DIFFERS")
    assert kinds() == {found}, "a person has to look"


def test_the_time_of_the_approval_and_the_providers_id_are_kept(shop: Shop) -> None:
    made = shop.lose_answer(prepared(shop, "REFUND"))
    assert (made.approved_at, made.provider_transaction_id) == (None, "")
    own = of(made, **ONE, apmDetails={"apmProviderTransactionId": "P" * 200})
    shop.report(made, own)
    approved_at = asked(shop, made).approved_at
    assert (approved_at, made.provider_transaction_id) == (made.state_changed_at, "P" * 128)
    shop.report(made, own, of(made, **TWO))
    assert asked(shop, made).state == "ANOMALY"
    made = decided(made, YES)
    assert (made.approved_at, made.provider_transaction_id) == (approved_at, "P" * 128)


# Above the limit


LIMITS: list[Any] = [
    # What was given up, by its amount; what was done instead; booked of it, and what no counter contains.
    pytest.param("CAPTURE", "10.00", "REVERSAL", None, 0, 1000, id="a capture of what was reversed"),
    pytest.param("REVERSAL", None, "CAPTURE", "10.00", 0, 3000, id="a reversal of what was captured"),
    pytest.param("REFUND", "20.00", "REFUND", "25.00", 500, 1500, id="a refund beside another"),
    pytest.param("CAPTURE", "20.00", "CAPTURE", "25.00", 500, 1500, id="a capture beside another"),
    pytest.param("DETACHED_REFUND", "30.00", "DETACHED_REFUND", "40.00", 1000, 2000, id="of a deposit"),
]


@pytest.mark.every_database
@pytest.mark.parametrize(("kind", "amount", "instead", "its_amount", "booked", "excess"), LIMITS)
def test_what_happened_although_it_was_given_up_is_booked_to_the_limit_and_the_excess_told(
    kind: str,
    amount: str | None,
    instead: str,
    its_amount: str | None,
    booked: int,
    excess: int,
    shop: Shop,
) -> None:
    if kind == "DETACHED_REFUND":
        shop.deposit()
    else:
        payment = shop.pay_for(kind)

    def operate(kind: str, amount: str | None) -> GatewayTransaction:
        if kind == "DETACHED_REFUND":
            assert amount is not None
            return payments.refund_migrated("OLD-1", Decimal(amount), "EUR")
        return OPERATIONS[kind](order_of(payment), *([] if amount is None else [Decimal(amount)]))

    lost = shop.lose_answer(operate, kind, amount)
    shop.days(5)
    lost.refresh_from_db()
    decided(lost, NO)
    assert operate(instead, its_amount).state == "APPROVED"
    before = sums(lost)[1]

    shop.report(lost, of(lost))
    assert asked(shop, lost).state == "ANOMALY"
    done = decided(lost, YES)
    assert (sums(lost)[1] - before, done.excess_minor) == (booked, excess)
    assert sums(lost)[2], "nothing is to be done with it before a person has looked"
    (difference,) = open_differences()
    assert (difference.kind, difference.transaction) == ("ABOVE_LIMIT", done)
    assert difference.explanation_params["excess"] == f"{excess / 100:.2f}"
    payments.approvals.close_discrepancy(difference, reason="taken up with the provider", by="anna")
    assert not sums(lost)[2]


# What a person decides


def test_an_approval_that_was_contradicted_cannot_be_undone(shop: Shop) -> None:
    made = prepared(shop, "REFUND")()
    shop.report(made, of(made, id=made.record_id), of(made, **TWO))
    asked(shop, made)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="cannot be undone"):
        decided(made, NO)
    assert open_differences()


def test_what_was_accepted_is_not_contradicted_again_by_the_same_record_but_by_another(shop: Shop) -> None:
    made = shop.lose_answer(prepared(shop, "REFUND"))
    shop.report(made, of(made, id="g" * 600 + "X"))
    asked(shop, made)
    made = decided(made, YES)
    asked(shop, made)
    assert not open_differences()
    shop.report(made, of(made, id="g" * 600 + "Y"))
    assert asked(shop, made).state == "ANOMALY"


def portal(payment: Payment, id_: str = "P-1", amount: float = 1) -> dict[str, Any]:
    return record(payment.reference, id=id_, type="ecom.refund", transactionAmount=amount)


@pytest.mark.every_database
def test_a_difference_is_closed_once_with_a_reason_and_a_name_and_the_last_one_thaws(shop: Shop) -> None:
    payment = shop.pay()
    shop.report(payment, record(payment.reference), portal(payment), portal(payment, "P-2"))
    shop.ask(payment)
    first, second = open_differences(payment)
    close = payments.approvals.close_discrepancy
    for words in ({"reason": "", "by": "anna"}, {"reason": "by hand", "by": " "}):
        with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="is missing"):
            close(first, **words)
    closed = close(first, reason="by hand", by="anna")
    assert (closed.closed_by, closed.reason, closed.closed_at is None) == ("anna", "by hand", False)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="already closed"):
        close(first, reason="again", by="bert")
    assert state(payment)[0] == "FROZEN"
    with pytest.raises(InvalidState):
        payments.refund(order_of(payment), Decimal("5.00"))
    close(second, reason="by hand", by="anna")
    assert state(payment)[0] == "PAID"
    assert payments.refund(order_of(payment), Decimal("5.00")).state == "APPROVED"


def test_a_difference_about_no_transaction_is_closed_too(shop: Shop) -> None:
    now = shop.clock.now()
    loose = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", fingerprint="x", found_at=now
    )
    payments.approvals.close_discrepancy(loose, reason="seen", by="anna")
    assert not open_differences()


@pytest.mark.every_database
@pytest.mark.parametrize("kind", ["REFUND", "DETACHED_REFUND"])
@pytest.mark.parametrize("is_contradicted", [True, False])
def test_a_sweep_thaws_what_a_dying_process_left_frozen_unless_it_is_contradicted_still(
    is_contradicted: bool, kind: str, shop: Shop
) -> None:
    made = shop.lose_answer(prepared(shop, kind))
    shop.report(made, of(made, **ONE), of(made, **TWO))
    asked(shop, made)
    Discrepancy.objects.update(closed_at=shop.clock.now(), closed_by="anna", reason="seen")
    if not is_contradicted:
        decided(made, YES)
        shop.report(made, of(made, **ONE))
        Payment.objects.update(is_frozen=True, state="FROZEN")
        MigratedDeposit.objects.update(is_frozen=True)
    payments.sweep()
    assert sums(made)[2] is is_contradicted


# One record for two


@pytest.mark.every_database
def test_an_approval_by_a_record_that_another_transaction_has_contradicts_the_second_one(shop: Shop) -> None:
    made = []
    for payment in [shop.pay() for _ in range(2)]:
        shop.gateway.answers.append(answering(id="G-1"))
        made.append(payments.refund(order_of(payment), Decimal("10.00")))
    (difference,) = open_differences()
    assert (made[1].state, made[1].record_id) == ("ANOMALY", None)
    assert (difference.kind, difference.transaction, difference.is_freezing) == (
        "RECORD_TAKEN",
        made[1],
        True,
    )
    assert (difference.explanation_code, difference.explanation_params) == ("record_taken", {"record": "G-1"})
    written = made[1].events.order_by("-pk")[0]
    assert (written.lifecycle_event, written.discrepancy_kind) == ("CONTRADICTED", "RECORD_TAKEN")
    second = made[1].payment
    assert second is not None
    second.refresh_from_db()
    assert (second.refunded, second.refund_reserved) == (0, 1000)


# The payment is asked about soon after


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("answer", "word", "is_hurried"),
    [
        (losing, "Errored", True),
        (losing, "Approved", True),
        (losing, "Pending", False),
        (answering(state="Errored"), None, False),
        (None, None, True),
    ],
    ids=["refused later", "approved later", "pending", "refused at once", "given up unsent"],
)
def test_the_end_of_a_follow_up_that_may_have_hidden_others_lets_its_own_payment_be_asked_soon(
    answer: Answer | None, word: str | None, is_hurried: bool, shop: Shop
) -> None:
    """What an outstanding operation explained, or kept from being booked, may have been made elsewhere."""
    other, payment = shop.pay(), shop.pay(type="preauthorization")
    payments.capture(order_of(payment), Decimal("20.00"))
    GatewayTransaction.objects.update(next_query_at=shop.clock.now() + timedelta(days=30))
    if answer is None:
        with shop.cut_off():
            made = payments.refund(order_of(payment), Decimal("5.00"))
        assert payments.follow_ups.give_up_unsent(made, by="anna")
    else:
        shop.gateway.answers.append(answer)
        made = payments.refund(order_of(payment), Decimal("5.00"))
    shop.gateway.asked.clear()
    if word:
        shop.report(made, of(made, state=word))
        asked(shop, made)
    payments.sweep()
    assert shop.gateway.asked == [made.reference] * bool(word) + [payment.reference] * is_hurried
    assert other.reference not in shop.gateway.asked


def test_a_refused_checkout_without_a_page_is_contradicted_by_an_approval(shop: Shop) -> None:
    """The customer can only have paid on a page whose address was received."""
    shop.gateway.answers.append(lambda sent: (200, approved(sent, state="Errored")))
    payment = shop.press_button(shop.order())
    assert payment.opening.state == "REJECTED"
    shop.report(payment, record(payment.reference))
    shop.ask(payment)
    assert state(payment) == ("FROZEN", False)
    assert totals(payment)[0] == euros("0.00")
