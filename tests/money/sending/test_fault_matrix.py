"""The fault matrix: what happens on the network is a row, each operation that moves money a column.

What the statuses and bodies mean one by one, and what fails on sockets, is the client's: see `tests/client`.
Here each class of them is carried to its end, and two far ends are real.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle, product
from typing import Any

import pytest

from tests.client.servers import RawServer, stays_silent, unused_port
from tests.money.polling.asking import fail_queries
from tests.money.sending.movers import FOLLOW_UPS, MOVERS, OPERATIONS, Mover, mover
from tests.support.explanations import explained
from tests.support.gateway import Answer, Sent, answering, approved, losing, record
from tests.support.shop import TYPES, Shop, kinds, of, order_of, reloaded, state
from wallet_gateway import gateways, payments
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.client.transport import HttpTransport, Limits
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, TransactionEvent

pytestmark = pytest.mark.django_db

ERROR = {"code": "4107940", "details": {"message": "not allowed"}}


def html(status: int) -> Answer:
    """Answer as something between shop and gateway does."""
    return lambda _: (status, b"<html>Bad gateway</html>")


def error(status: int) -> Answer:
    """Answer with the gateway's own error body."""
    return lambda _: (status, ERROR)


def late(_: Sent) -> tuple[int, object]:
    """Answer after the shop has stopped to wait."""
    raise TimeoutError("timed out")


def contradicting(sent: Sent) -> tuple[int, object]:
    """Answer with an approval and an error in one."""
    return 200, approved(sent) | ERROR


@dataclass(frozen=True)
class Row:
    """One fault: where it leads at once, and whether the gateway has done its work first."""

    answer: Answer | None
    """What is answered; the gateway's own answer if not given."""
    after: str
    says: str
    """What the operator must be told, in part."""
    is_done: bool = False


def lost(answer: Answer, says: str, *, is_done: bool = True) -> Row:
    """Return a fault after which nobody knows the outcome, until its record is found."""
    return Row(answer, "UNKNOWN", says, is_done)


CLASSES = {
    "breaks before it is done": lost(losing, "connection_lost", is_done=False),
    "breaks after it is done": lost(losing, "connection_lost"),
    "not JSON": lost(lambda _: (200, b"<html>ok</html>"), "unreadable"),
    "another shape": lost(lambda _: (200, []), "wrong_shape"),
    "approval and error": lost(contradicting, "contradictory"),
    "error 400": Row(error(400), "REJECTED", "4107940"),
    "error 409": Row(error(409), "REJECTED", "4107940"),
}
"""Each goes through all operations."""
STATES = {
    "errored": Row(answering(state="Errored"), "REJECTED", "errored"),
    "odd": Row(answering(state="Quarantined"), "PENDING", "Quarantined"),
    "done and refused": Row(error(200), "APPROVED", "repeated_on_the_wire", is_done=True),
    "answered": Row(None, "APPROVED", "", is_done=True),
}
"""Each goes through the operations whose answer has a state."""
SPELLINGS = {
    "late": lost(late, "timeout"),
    "cut short": lost(lambda _: (200, b'{"state": "Appro'), "unreadable"),
    "names that collide": lost(lambda _: (200, b'{"state": "Approved", "State": "Approved"}'), "unreadable"),
    "empty": lost(lambda _: (200, b""), "unreadable"),
    "redirect": lost(html(307), "redirect", is_done=False),
    "HTML 403": lost(html(403), "403"),
    "HTML 429": lost(html(429), "429", is_done=False),
    "HTML 502": lost(html(502), "502"),
    "error 408": lost(error(408), "408", is_done=False),
    "error 429": lost(error(429), "429"),
    "error 500": lost(error(500), "500", is_done=False),
    **{f"error {status}": Row(error(status), "REJECTED", "4107940") for status in (200, 403, 422)},
}
"""The same for the client in other words, which no operation sees: each goes through two, in turn."""
TURNS = cycle(OPERATIONS)
CASES = [
    *product(CLASSES, OPERATIONS),
    *product(STATES, MOVERS),
    *((fault, next(TURNS)) for fault in SPELLINGS for _ in range(2)),
]
ROWS = CLASSES | STATES | SPELLINGS


def expected(fault: str, name: str) -> tuple[str, str]:
    """Return the state at once and in the end."""
    row = ROWS[fault]
    if name == "checkout" and row.after == "UNKNOWN":
        # The answer is the only copy of the page's address.
        return "ABANDONED", "ABANDONED"
    if name == "authorization" and fault == "error 409":
        # Reference or account were used, as only a copy of the request can have done.
        return "UNKNOWN", "UNKNOWN"
    return row.after, "APPROVED" if row.is_done else row.after


@pytest.mark.parametrize(("fault", "name"), CASES)
def test_a_fault_leads_where_the_matrix_says(fault: str, name: str, shop: Shop) -> None:
    operation, row = mover(name, shop), ROWS[fault]
    after, end = expected(fault, name)

    def answer(sent: Sent) -> tuple[int, object]:
        own = shop.gateway.approve(sent) if row.is_done and name != "checkout" else (200, None)
        return own if row.answer is None else row.answer(sent)

    operation.will(answer)
    transaction = operation.execute()

    assert transaction.state == after
    assert row.says in explained(transaction)
    operation.check_money(transaction)
    if name != "checkout":
        shop.sweep_when_due(transaction, times=2)
        assert transaction.state == end
        operation.check_money(transaction)
        assert not operation.row().is_frozen
    assert len(operation.requests(transaction)) == 1, "what left is never sent again"
    assert OutboxEvent.objects.filter(transaction=transaction).count() <= 1
    assert kinds() <= {"REPEATED_ON_THE_WIRE", "UNKNOWN_STATE"}
    if name == "checkout":
        check_that_another_page_opens(transaction, shop)


def check_that_another_page_opens(lost_page: GatewayTransaction, shop: Shop) -> None:
    payment = lost_page.payment
    assert payment is not None
    assert lost_page.redirect_url == ""
    assert state(payment) == ("FAILED", True)
    if lost_page.state == "ABANDONED":
        assert lost_page.expires_at is not None
        assert lost_page.next_query_at is not None
        assert lost_page.next_query_at >= lost_page.expires_at + timedelta(minutes=15), "it stays on watch"
    shop.clock.by += timedelta(seconds=40)
    assert payments.start_checkout(order_of(payment)).reference != payment.reference


# What never left


@pytest.mark.parametrize("name", FOLLOW_UPS)
def test_what_never_left_holds_its_amount_and_is_sent_by_the_sweep(name: str, shop: Shop) -> None:
    operation = mover(name, shop)
    with shop.cut_off():
        transaction = operation.execute()
    assert (transaction.state, transaction.next_query_at) == ("NOT_SENT", None)
    assert "refused_connection" in explained(transaction)
    operation.check_money(transaction)
    assert operation.requests(transaction) == []

    shop.until(transaction.next_send_at)
    assert payments.sweep()[0].sent_again == 1
    assert reloaded(transaction).state == "APPROVED"
    operation.check_money(transaction)
    assert len(operation.requests(transaction)) == 1


def test_a_checkout_that_never_left_is_sent_with_the_next_click_alone(shop: Shop) -> None:
    operation = mover("checkout", shop)
    with shop.cut_off():
        transaction = operation.execute()
    assert (transaction.state, order_of(transaction.opened_payment).state) == ("NOT_SENT", "OPEN")
    shop.clock.by += timedelta(seconds=20)
    assert payments.sweep()[0].sent_again == 0, "nobody waits for a page that nobody clicked for"

    payment = payments.start_checkout(order_of(transaction.opened_payment))
    assert payment.reference == transaction.reference
    assert (reloaded(transaction).state, transaction.attempt_no) == ("OPEN", 2)
    (sent,) = operation.requests(transaction)
    assert sent["redirectDetails"]["returnUrl"]


def test_an_authorization_that_never_left_is_given_up_and_the_button_pressed_again(shop: Shop) -> None:
    operation = mover("authorization", shop)

    def let_only_keys_leave(path: str) -> None:
        if not path.endswith("/publicKeys"):
            raise NotSent(NotSentReason.REFUSED_CONNECTION, detail="nothing left")

    shop.interrupt(let_only_keys_leave)
    transaction = operation.execute()
    assert (transaction.state, shop.gateway.sent) == ("ABANDONED", [])
    said = TransactionEvent.objects.filter(transaction=transaction).order_by("pk")
    assert [row.lifecycle_event for row in said] == ["NOTHING_LEFT", "ABANDONED"]
    assert state(transaction.opened_payment) == ("FAILED", True)

    shop.interrupt(lambda _: None)
    shop.clock.by += timedelta(minutes=5)
    payments.sweep()
    assert shop.gateway.sent == []
    assert shop.press_button(order_of(transaction.opened_payment)).order.state == "PAID"
    assert len(shop.gateway.sent) == 1


@pytest.mark.parametrize(
    ("answers", "name", "after", "says", "left"),
    [(False, "capture", "NOT_SENT", "Connection refused", 0), (True, "reversal", "UNKNOWN", "timeout", 1)],
    ids=["no connection", "silence"],
)
def test_real_far_ends_are_told_apart(
    answers: bool, name: str, after: str, says: str, left: int, shop: Shop
) -> None:
    operation = mover(name, shop)
    with RawServer(stays_silent) as server:
        base_url = server.base_url if answers else f"http://127.0.0.1:{unused_port()}"
        patience = 0.3 if answers else 60.0
        transport = HttpTransport(base_url=base_url, limits=Limits(read=patience, total=max(1, patience)))
        gateways.use_transport(transport, alias="default")
        transaction = operation.execute()
        transport.close()
        assert len(server.requests) == left
    assert (transaction.state, says in explained(transaction)) == (after, True)
    operation.check_money(transaction)


# What comes late, and what comes twice


@pytest.mark.parametrize("name", MOVERS)
def test_what_is_executed_an_hour_late_is_found_and_not_sent_again(name: str, shop: Shop) -> None:
    operation = mover(name, shop)
    operation.will(losing)
    transaction = operation.execute()
    began, (sent,) = shop.clock.now(), operation.requests(transaction)
    while transaction.state == "UNKNOWN":
        operation.check_money(transaction)
        if shop.clock.now() - began > timedelta(hours=1) and not shop.gateway.records[transaction.reference]:
            shop.gateway.approve(sent)
        shop.sweep_when_due(transaction)
    assert transaction.state == "APPROVED"
    operation.check_money(transaction)
    assert len(operation.requests(transaction)) == 1


@pytest.mark.parametrize("name", FOLLOW_UPS)
def test_an_outcome_that_nobody_finds_asks_for_a_person_after_a_day_and_keeps_the_amount(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(losing)
    transaction = operation.execute()
    while not transaction.needs_operator:
        shop.sweep_when_due(transaction)
    assert transaction.state_changed_at <= shop.clock.now() - timedelta(hours=24)
    assert (transaction.state, transaction.absent_count >= 5) == ("UNKNOWN", True)
    operation.check_money(transaction)
    assert len(operation.requests(transaction)) == 1


@pytest.mark.parametrize("name", MOVERS)
def test_a_refusal_that_turns_out_executed_after_all_is_an_anomaly(name: str, shop: Shop) -> None:
    """A gateway whose records lag has none when the refusal is confirmed, and none minutes later."""
    operation = mover(name, shop)
    operation.will(error(400))
    transaction = operation.execute()
    shop.sweep_when_due(transaction)
    assert (transaction.state, operation.held()) == ("REJECTED", 0)
    shop.gateway.approve(operation.requests(transaction)[0])
    shop.sweep_when_due(transaction)
    assert (transaction.state, operation.row().is_frozen) == ("ANOMALY", True)
    assert kinds() == {"APPROVED_AFTER_END"}


@pytest.mark.parametrize("name", FOLLOW_UPS)
def test_a_request_executed_twice_freezes_once_the_second_record_shows(name: str, shop: Shop) -> None:
    operation = mover(name, shop)

    def do_it_twice(sent: Sent) -> tuple[int, object]:
        shop.gateway.approve(sent)
        return shop.gateway.approve(sent)

    operation.will(do_it_twice)
    transaction = operation.execute()
    assert transaction.state == "APPROVED"
    shop.sweep_when_due(transaction)
    assert (transaction.state, operation.row().is_frozen) == ("ANOMALY", True)
    assert kinds() == {"EXECUTED_TWICE"}
    assert operation.booked() == operation.amount
    told = set(OutboxEvent.objects.filter(transaction=transaction).values_list("kind", flat=True))
    assert ("ANOMALY" in told) is (operation.payment is not None)


def test_a_lost_page_that_is_paid_all_the_same_is_an_anomaly(shop: Shop) -> None:
    operation = mover("checkout", shop)
    operation.will(losing)
    transaction = operation.execute()
    shop.report(transaction, record(transaction.reference))
    shop.sweep_when_due(transaction)
    assert transaction.state == "ANOMALY"
    assert state(transaction.opened_payment) == ("FROZEN", False)
    assert (kinds(), list(OutboxEvent.objects.values_list("kind", flat=True))) == (
        {"APPROVED_AFTER_END"},
        ["ANOMALY"],
    )


# A refusal is checked before it is believed


def refuse_beside(operation: Mover, query: Callable[[str], tuple[int, object]]) -> GatewayTransaction:
    operation.will(error(400))
    operation.shop.gateway.queries.append(query)
    return operation.execute()


@pytest.mark.parametrize(
    ("found", "after", "events"),
    [
        ([], "REJECTED", ["LOST", "REJECTED"]),
        (b"no answer", "UNKNOWN", ["LOST"]),
        ("Approved", "APPROVED", ["LOST", "APPROVED"]),
        ("Errored", "REJECTED", ["LOST", "REJECTED"]),
        ("Pending", "PENDING", ["LOST", "HELD"]),
        ("Odd", "PENDING", ["LOST", "HELD"]),
    ],
)
def test_a_refusal_is_what_the_query_after_it_says(
    found: list[Any] | bytes | str, after: str, events: list[str], shop: Shop
) -> None:
    operation = mover("refund", shop)

    def query(reference: str) -> tuple[int, object]:
        if not isinstance(found, str):
            return 200, found
        own = of(GatewayTransaction.objects.get(reference=reference), state=found)
        return 200, [own]

    transaction = refuse_beside(operation, query)
    assert (transaction.state, transaction.error_code) == (after, "4107940")
    rows = list(TransactionEvent.objects.filter(transaction=transaction).order_by("pk"))
    assert [row.lifecycle_event for row in rows] == events
    assert (rows[0].kind, rows[0].http_status, rows[0].explanation_code) == ("ANSWER", 400, "refused")
    if not found:
        assert (rows[1].kind, rows[1].explanation_params) == ("RECORDS", rows[0].explanation_params)
        assert rows[0].explanation_params["said"] == "not allowed"
    operation.check_money(transaction)


@pytest.mark.parametrize(
    ("name", "status", "after"),
    [
        ("refund", 400, "REJECTED"),
        ("capture", 409, "REJECTED"),
        ("authorization", 400, "REJECTED"),
        ("authorization", 409, "UNKNOWN"),
    ],
)
def test_a_refusal_is_believed_once_the_gateway_has_said_that_it_has_no_record(
    name: str, status: int, after: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(error(status))
    fail_queries(shop, times=1)
    transaction = operation.execute()
    why = transaction.explanation
    assert (transaction.state, bool(why)) == ("UNKNOWN", True)
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.explanation) == (after, why)


@pytest.mark.parametrize("name", ["refund", "detached_refund"])
def test_a_refusal_beside_a_record_that_cannot_be_read_decides_nothing(name: str, shop: Shop) -> None:
    operation = mover(name, shop)

    def query(reference: str) -> tuple[int, object]:
        # It may be the first copy of the request.
        return 200, [{"type": TYPES[GatewayTransaction.objects.get(reference=reference).kind], "id": None}]

    transaction = refuse_beside(operation, query)
    assert (transaction.state, kinds()) == ("UNKNOWN", {"RECORD_UNREADABLE"})
    operation.check_money(transaction)


def test_a_refund_that_was_too_much_keeps_the_gateways_four_amounts(shop: Shop) -> None:
    operation = mover("detached_refund", shop)
    said = "RefundAmountExceeded: 20.00, 18.00, 2.00, 5.00"
    operation.will(lambda _: (400, {"code": "4107940", "details": {"message": said}}))
    transaction = operation.execute()
    assert (transaction.state, transaction.explanation_code) == ("REJECTED", "refund_amount_exceeded")
    limit = transaction.refund_limit
    assert limit is not None
    assert [str(amount) for amount in (limit.deposit, limit.refunded, limit.maximum, limit.requested)] == [
        "20.00",
        "18.00",
        "2.00",
        "5.00",
    ]
    other = mover("detached_refund", shop)
    other.will(error(400))
    assert other.execute().refund_limit is None


def test_every_fault_is_kept_as_evidence_without_secrets(shop: Shop) -> None:
    operation = mover("refund", shop)
    operation.will(html(502))
    transaction = operation.execute()
    fault = TransactionEvent.objects.get(transaction=transaction)
    assert (fault.kind, fault.http_status, fault.state_after) == ("FAULT", 502, "UNKNOWN")
    assert "Bad gateway" in fault.answer_body
    assert transaction.reference in fault.request_body
    assert (transaction.request_body, "sandbox-user" in fault.request_body) == ("", False)


# A pending authorization may send the customer to a page


@pytest.mark.parametrize(
    ("said", "url", "after", "strange"),
    [
        ("Pending", "http://127.0.0.1:8001/3ds", "AWAITING_3DS", []),
        ("Pending", None, "PENDING", []),
        ("Approved", "http://127.0.0.1:8001/3ds", "APPROVED", []),
        ("Pending", "https://elsewhere.example/3ds", "PENDING", ["host_unexpected"]),
        ("Pending", "https://127.0.0.1:8002/", "PENDING", ["host_unexpected"]),
        ("Pending", "https://[/", "PENDING", ["host_unexpected"]),
    ],
)
def test_only_a_pending_authorization_with_an_allowed_page_sends_the_customer_there(
    said: str, url: str | None, after: str, strange: list[str], shop: Shop
) -> None:
    operation = mover("authorization", shop)
    operation.will(answering(state=said, redirectUrl=url, id="g1"))
    transaction = operation.execute()
    assert (transaction.state, transaction.reported_id) == (after, "g1")
    assert transaction.redirect_url == (url if after == "AWAITING_3DS" else "")
    if after == "AWAITING_3DS":
        assert transaction.expires_at is not None
        assert timedelta(0) < transaction.expires_at - shop.clock.now() <= timedelta(minutes=15)
    event = transaction.events.latest("pk")
    assert (event.kind, event.http_status) == ("ANSWER", 200)
    assert list(Discrepancy.objects.values_list("explanation_code", flat=True)) == strange
