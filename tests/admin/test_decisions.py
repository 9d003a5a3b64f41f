"""A person's decisions on transactions and differences: with a reason, refused in words, done once."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import F
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder, payment_of
from tests.admin.pages import DASHBOARD, HOME, act, look, order_url, post, send
from tests.models.rows import NOW, a_payment, a_transaction
from tests.support.explanations import commented
from tests.support.gateway import record
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.states import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder, TransactionEvent

pytestmark = pytest.mark.django_db
STALE = "The state has changed. Reload the page."
DECISION: dict[str, Any] = {"decision": "DID_NOT_HAPPEN", "reason": "ticket 4711"}


def url_of(transaction: GatewayTransaction, way: str) -> str:
    return act("gatewaytransaction", way, transaction.pk)


@pytest.fixture
def order(paid_order: PaidOrder) -> PaymentOrder:
    return paid_order()


@pytest.fixture
def unknown(order: PaymentOrder, shop: Shop) -> GatewayTransaction:
    return shop.lose_answer(payments.capture, order, Decimal("5.00"))


@pytest.fixture
def unsent(order: PaymentOrder, shop: Shop) -> GatewayTransaction:
    with shop.cut_off():
        return payments.capture(order, Decimal("5.00"))


def old(transaction: GatewayTransaction) -> None:
    """Let a transaction have had no outcome for so long that a person may give it up."""
    GatewayTransaction.objects.filter(pk=transaction.pk).update(
        absent_count=5, state_changed_at=F("state_changed_at") - timedelta(days=2)
    )


def found_in(transaction: GatewayTransaction | None = None, **columns: Any) -> Discrepancy:
    given: dict[str, Any] = {"kind": "MADE_ELSEWHERE", "gateway": "default", "found_at": NOW}
    if transaction is not None:
        given |= {"payment": transaction.payment, "transaction": transaction, "is_freezing": True}
    number = Discrepancy.objects.count()
    return Discrepancy.objects.create(fingerprint=f"f{number}", **given | columns)


# Transactions


def test_an_unknown_outcome_is_given_up_with_name_and_reason(
    operator: Client, unknown: GatewayTransaction
) -> None:
    old(unknown)
    url = url_of(unknown, "decide")
    assert "It did happen" not in look(operator, url)
    assert "Select a valid choice" in send(operator, url, **DECISION | {"decision": "DID_HAPPEN"}).faults[0]

    page = send(operator, url, **DECISION)

    assert "Capture of €5.00: Abandoned." in page
    decision = TransactionEvent.objects.get(transaction=unknown, kind="DECISION")
    assert (decision.created_by, decision.explanation) == ("anna", "ticket 4711")
    assert payment_of(unknown.opened_payment.order).capture_reserved == 0
    assert unknown.reference in LogEntry.objects.get().change_message


@every(("shown", "may_accept"), [(500, True), (None, False)])
def test_only_a_contradiction_of_our_amount_can_be_said_to_have_happened(
    operator: Client, shown: int | None, may_accept: bool
) -> None:
    anomaly = a_transaction(
        a_payment(authorized=500), state="ANOMALY", holds_reservation=False, shown_minor=shown
    )
    page = look(operator, url_of(anomaly, "decide"))
    assert ("It did happen" in page) is may_accept
    assert ("has shown no approval with the requested amount and currency" in page) is not may_accept


def test_what_was_found_while_the_page_was_open_is_shown_and_not_decided_on(
    operator: Client, unknown: GatewayTransaction
) -> None:
    old(unknown)
    url = url_of(unknown, "decide")
    before = look(operator, url)
    GatewayTransaction.objects.filter(pk=unknown.pk).update(state="ANOMALY", state_changed_at=NOW)
    found_in(unknown, kind=DiscrepancyKind.AMOUNT_DIFFERS)
    page = send(operator, url, page=before, **DECISION)
    assert page.faults == [STALE]
    assert "The gateway has recorded another amount than we requested." in page
    assert "take it into our totals on the page of the difference" in page

    found_in(unknown, kind=DiscrepancyKind.EXECUTED_TWICE)
    page = send(operator, url, page=page, **DECISION)
    assert page.faults == [STALE]
    assert "The gateway has carried out one request more than once." in page

    unknown.refresh_from_db()
    assert unknown.state == TransactionState.ANOMALY
    assert Discrepancy.objects.filter(closed_at=None).count() == 2
    assert "Capture of €5.00: Abandoned." in send(operator, url, **DECISION)


def test_a_decision_is_made_on_the_page_of_its_transaction_by_who_opened_it(
    operator: Client, make_person: MakePerson, unsent: GatewayTransaction
) -> None:
    url = url_of(unsent, "decide")
    for ticket in ("", "forged"):
        assert "too old or was changed" in send(operator, url, **DECISION, ticket=ticket).faults[0]
    another = look(operator, url_of(payment_of(unsent.opened_payment.order).opening, "decide"))
    colleagues = look(make_person("resolve_unknown"), url)
    for page in (another, colleagues):
        (fault,) = send(operator, url, page=page, **DECISION).faults
        assert "made for somebody or something else" in fault
    unsent.refresh_from_db()
    assert unsent.state == TransactionState.NOT_SENT


def test_what_never_left_is_sent_once_more(
    operator: Client, make_person: MakePerson, unsent: GatewayTransaction
) -> None:
    url, of_order = url_of(unsent, "send_again"), order_url(unsent.opened_payment.order)
    assert url in look(make_person("capture_payment"), of_order)
    assert url not in look(make_person("refund_payment", "resolve_unknown"), of_order)
    assert "Capture of €5.00: Approved." in post(operator, url, reason="gateway is back")
    page = post(operator, url, reason="gateway is back")
    assert "Only a request that was never sent can be sent again." in page.faults[0]
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


WAYS = {"NOT_SENT": 2, "ANOMALY": 1, "UNKNOWN": 1}


@every(("state", "ways"), [(state, WAYS.get(state, 0)) for state in TransactionState])
def test_what_only_a_person_can_end_shows_its_ways_out_here_and_on_its_orders_page(
    operator: Client, state: str, ways: int
) -> None:
    transaction = a_transaction(state=state)
    page = look(operator, url_of(transaction, "change"))
    assert page.html.count("/send-again/") + page.html.count("/decide/") == ways
    of_order = look(operator, order_url(transaction.opened_payment.order))
    assert ("Waits for a person" in of_order) is (ways > 0)


def test_the_page_of_a_transaction_tells_its_order_amount_and_grounds(operator: Client) -> None:
    transaction = a_transaction(
        **commented("why"), created_by="ben", reason_code="shipped", comment="first parcel"
    )
    order = transaction.opened_payment.order
    page = look(operator, url_of(transaction, "change"))
    assert page.links[order.reference] == order_url(order)
    page.says("€5.00 (5.00 EUR)", "why", "ben", "Goods shipped: first parcel")
    refund = a_transaction(
        kind="REFUND", amount_minor=1000, approved_minor=750, state="APPROVED", **commented("a\u202eb")
    )
    page = look(operator, url_of(refund, "decide"))
    assert page.facts["Asked for"] == "Refund of €7.50: Approved. Details: a\\u202eb"


@every(
    ("place", "kind", "permission"),
    [
        ("dashboard", "REFUND", "refund_payment"),
        ("transaction", "CAPTURE", "capture_payment"),
        ("order", "REVERSAL", "reverse_payment"),
    ],
)
def test_a_refusal_afterwards_is_marked_as_seen_by_a_button_for_who_may_do_the_operation(
    make_person: MakePerson, operator: Client, place: str, kind: str, permission: str
) -> None:
    refused = a_transaction(kind=kind, state="REJECTED", refusal_unseen_since=NOW, **commented("no funds"))
    clerk, stranger = make_person(permission), make_person("resolve_unknown")
    url, seen = url_of(refused, "change"), url_of(refused, "refusal_seen")
    here = {"dashboard": DASHBOARD, "transaction": url, "order": order_url(refused.opened_payment.order)}[
        place
    ]
    assert f'formaction="{seen}"' in look(clerk, here)
    assert seen not in look(stranger, here)
    assert stranger.post(seen).status_code == 403

    page = post(clerk, seen, back=here)

    assert page.url == here
    assert "Marked as seen." in page
    assert seen not in page
    refused.refresh_from_db()
    assert refused.refusal_unseen_since is None
    assert refused.refusal_seen_by in look(clerk, url)
    assert LogEntry.objects.latest("pk").object_id == str(refused.pk)
    assert post(clerk, seen, back="https://evil.example/").url == url


def test_evidence_is_laid_out_to_be_read_and_hides_nothing(operator: Client) -> None:
    event = TransactionEvent.objects.create(
        transaction=a_transaction(),
        kind="ANSWER",
        lifecycle_event="APPROVED",
        state_after="APPROVED",
        http_status=200,
        request_body='{"amount":1.10,"list":["a,b:{","\\"q\\""],"x":{"y":true}}',
        answer_body='{"message":"\u202e"}',
        occurred_at=NOW,
    )
    page = look(operator, act("transactionevent", "change", event.pk))
    laid_out = '{ "amount": 1.10, "list": [ "a,b:{", "\\"q\\"" ], "x": { "y": true } }'
    page.says(laid_out, "\\u202e", "Answer")


# Differences


def test_a_difference_is_closed_once_with_a_reason_that_the_log_keeps(
    operator: Client, onlooker: Client
) -> None:
    difference = found_in(payment=a_payment(authorized=2000), **commented("\u202e" * 490))
    url, close = act("discrepancy", "change", difference.pk), act("discrepancy", "close", difference.pk)
    assert close in look(operator, url)
    assert close not in look(onlooker, url)

    assert "The difference is closed." in post(operator, close, reason="seen")
    assert post(operator, close, reason="seen").faults == ["This difference is already closed."]

    difference.refresh_from_db()
    assert (difference.closed_by, difference.reason) == ("anna", "seen")
    entry = LogEntry.objects.get()
    assert entry.change_message == "Closed: seen"
    assert "\u202e" not in entry.object_repr
    assert close not in look(operator, url)


def test_a_late_payment_is_kept_in_words_that_say_so(operator: Client) -> None:
    late = found_in(payment=a_payment(authorized=2000), kind="LATE_PAYMENT")
    page = look(operator, act("discrepancy", "close", late.pk))
    assert "Keep the payment" in page
    assert "may ship it" in page
    assert "The payment is kept" in post(operator, act("discrepancy", "close", late.pk), reason="shipped")


REVERSAL = "ecom.reversalPreauthorization"


@pytest.mark.parametrize(
    ("made", "is_offered"),
    [
        pytest.param({"type": "ecom.capture"}, True, id="a capture"),
        pytest.param({"type": REVERSAL, "transactionAmount": 28.9}, True, id="a whole reversal"),
        pytest.param({"type": REVERSAL}, False, id="a reversal of a part"),
        pytest.param({"type": "ecom.sale"}, False, id="a sale"),
        pytest.param({"type": "detached.refund"}, False, id="a refund of an earlier provider's payment"),
        pytest.param({"type": "ecom.capture", "currencyCode": "USD"}, False, id="another currency"),
        pytest.param({"type": "ecom.capture", "id": "0"}, False, id="an id that is a placeholder"),
        pytest.param({"type": "ecom.capture", "transactionAmount": 0}, False, id="nothing"),
    ],
)
def test_booking_is_offered_for_an_operation_made_elsewhere_where_a_rule_books_it(
    made: dict[str, Any], is_offered: bool, operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    payment = payment_of(order := paid_order("28.90"))
    portal = record(payment.reference, **{"id": "PORTAL-1", "transactionAmount": 7} | made)
    shop.gateway.records[payment.reference].append(portal)
    shop.ask(payment)
    difference = Discrepancy.objects.get(kind="MADE_ELSEWHERE")
    book = act("discrepancy", "book", difference.pk)
    for page in (
        look(operator, act("discrepancy", "change", difference.pk)),
        look(operator, order_url(order)),
    ):
        assert (book in page) is is_offered
    assert bool(post(operator, book, reason="by support").faults) is not is_offered


@pytest.mark.parametrize("changes", [{"kind": "EXECUTED_TWICE"}, {"payment": None}], ids=str)
def test_booking_is_not_offered_for_another_kind_or_without_a_payment(
    changes: dict[str, Any], operator: Client
) -> None:
    params = {"type": "ecom.refund", "given": "7.00", "currency": "EUR", "record": "SBX-1"}
    given: dict[str, Any] = {"payment": a_payment(authorized=700), "explanation_params": params}
    difference = found_in(**given | changes)
    page = look(operator, act("discrepancy", "change", difference.pk))
    assert act("discrepancy", "book", difference.pk) not in page


def refunded_elsewhere(order: PaymentOrder, shop: Shop) -> Discrepancy:
    """Let a refund of 7.00 EUR be found that was made in the provider's portal."""
    portal = record("GW-PORTAL-77", id="PORTAL-1", type="ecom.refund", transactionAmount=7)
    shop.gateway.records[payment_of(order).reference].append(portal)
    shop.ask(payment_of(order))
    return Discrepancy.objects.get()


def test_an_operation_made_elsewhere_freezes_the_order_until_it_is_booked(
    operator: Client, onlooker: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    order = paid_order("28.90", type="sale")
    url = order_url(order)
    assert "This payment is frozen" not in look(operator, url)
    difference = refunded_elsewhere(order, shop)
    book, close = (act("discrepancy", way, difference.pk) for way in ("book", "close"))

    page = look(operator, url)
    assert "This payment is frozen" in page
    assert "Waits for a person" not in page
    assert "€7.00 were refunded elsewhere, for instance in the provider's portal." in page
    assert page.facts["Left to refund"] == "€21.90", "true while it is frozen"
    assert "Take €7.00 into our totals…" in page.primary
    assert "Dismiss…" in page.buttons
    assert "Dismiss…" not in page.primary, "the safe act is the one that is recommended"
    for place in (f"{HOME}discrepancy/", DASHBOARD):
        shown = look(operator, place)
        assert "€7.00 were refunded elsewhere" in shown
        assert "ecom.refund" not in shown.html, "no list shows the wire's word"
    assert any("Refund made elsewhere €7.00" in line and "PORTAL-1" in line for line in page.story)
    for way in (book, close):
        assert page.html.count(f'href="{way}?back=order"') == 1
        assert way not in look(onlooker, url)
        assert look(operator, f"{way}?back=order").links["Cancel"] == url
    page = post(operator, f"{book}?back=order", reason="support did it")

    assert page.url == url
    assert "Our totals contain it now." in page
    assert "This payment is frozen" not in page
    assert page.facts["Left to refund"] == "€21.90"
    (told,) = [line for line in page.story if "Refund made elsewhere" in line]
    assert "by anna" in told
    assert "PORTAL-1" in told
    booked = GatewayTransaction.objects.get(origin="ELSEWHERE")
    assert booked.reference not in told, "a reference that was never sent is no help to anybody"
    assert (booked.amount_minor, booked.created_by) == (700, "anna")
    assert LogEntry.objects.get().change_message == "Taken into our totals: support did it"
    assert f"Refund {booked.reference}" in look(operator, act("discrepancy", "change", difference.pk))
    assert "already closed" in post(operator, book, reason="again").faults[0]


def test_a_dismissed_operation_is_told_beside_what_is_left(
    operator: Client, paid_order: PaidOrder, shop: Shop
) -> None:
    order = paid_order("28.90", type="sale")
    difference = refunded_elsewhere(order, shop)
    page = post(operator, f"{act('discrepancy', 'close', difference.pk)}?back=order", reason="is mine")
    assert page.url == order_url(order)
    assert "The difference is dismissed." in page
    assert LogEntry.objects.get().change_message == "Dismissed: is mine"
    assert page.facts["Left to refund"] == "€28.90"
    assert "€7.00 were refunded elsewhere" in page
    for text in ("Difference closed", "by anna", "is mine"):
        assert text in page.story[0]


def test_every_kind_of_difference_has_a_sentence_of_its_own(operator: Client) -> None:
    found = {kind: found_in(kind=kind) for kind in DiscrepancyKind}
    told = {
        look(operator, act("discrepancy", "close", row.pk)).facts["Difference"]: kind
        for kind, row in found.items()
    }
    assert len(told) == len(found), "none is told like another"
    assert all(sentence.endswith(".") for sentence in told)
