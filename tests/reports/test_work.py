"""What needs a person: told by health, counted on its page, and found on the dashboard, each kind apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.admin.pages import DASHBOARD, listed, look, work_on
from tests.models.rows import NOW, a_deposit, a_payment, a_transaction, an_approval, an_order
from tests.reports.conftest import StillClock
from tests.support.explanations import commented
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.polling_schedule import QueryPriority
from wallet_gateway.domain.states import FINAL_STATES, TransactionState
from wallet_gateway.models import (
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    Job,
    JobPosition,
    OperationBatch,
    OutboxEvent,
    PaymentOrder,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db, pytest.mark.usefixtures("clock")]
S = TransactionState
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LATE, LATER = NOW - timedelta(minutes=61), NOW - timedelta(minutes=59)


def swept(**ago: Any) -> None:
    JobPosition.move(Job.SWEEP, gateway="default", now=NOW - timedelta(**ago))


def told() -> list[str]:
    """Return the codes of what a person is told."""
    return [str(problem.code) for problem in payments.maintenance.health().problems]


def add_gateways(settings: Settings, **options: dict[str, Any]) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"]
    more = {alias: default | changes for alias, changes in options.items()}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": given["GATEWAYS"] | more}


# Each kind of work


def a_difference(kind: str = "MADE_ELSEWHERE", **columns: Any) -> Discrepancy:
    given = {"gateway": "default", "found_at": NOW, "fingerprint": f"{kind}-{Discrepancy.objects.count()}"}
    return Discrepancy.objects.create(kind=kind, **{"payment": a_payment(), **given, **columns})


def a_signal() -> None:
    transaction = a_transaction(state=S.APPROVED)
    OutboxEvent.objects.create(
        kind="PAID",
        order=transaction.opened_payment.order,
        transaction=transaction,
        currency="EUR",
        occurred_at=NOW - HOUR,
        next_delivery_at=NOW,
    )


def a_batch() -> None:
    started = {"created_by": "anna", "created_at": NOW - HOUR, "driven_at": NOW - HOUR}
    OperationBatch.objects.create(kind="CAPTURE", state="RUNNING", **started)


def closed_buttons(number: int = 3) -> None:
    for _ in range(number):
        an_order(wallet_closed_at=NOW - timedelta(minutes=59), wallet_limit="AUTHORIZATIONS")


def an_authorization(days: float = 6, *, gateway: str = "default", **columns: Any) -> PaymentOrder:
    """Store an order of 20.00 EUR that has been authorized for so many days; the window is seven."""
    since = NOW - timedelta(days=days)
    order = an_order(type="preauthorization", state="AUTHORIZED", gateway=gateway)
    payment = a_payment(order, **{"authorized": 2000, "state": "AUTHORIZED", "created_at": since} | columns)
    opened = {"reference": payment.reference, "gateway": gateway, "state_changed_at": since}
    a_transaction(payment, kind="CHECKOUT", state="APPROVED", **opened)
    return order


def mix_up() -> None:
    a_difference("UNIT_MIX_UP")


def shortfall() -> None:
    a_difference("REFUND_SHORT", deposit=a_deposit(), payment=None)


NOBODY = "Transactions that nobody goes on with"
PERSON = "Transactions that wait for a person"
UNRELEASED = "Orders that are not released long after their end"
UNKNOWN, STUCK = "Unknown outcomes", "Not sent, or without news"
CLOSED, LAPSING = "Wallet buttons closed by a limit", "Authorizations about to expire"
PAID_TWICE, GONE = "Orders paid more than once", "Unfinished at a gateway that the settings do not name"
CONTRADICTIONS, REFUSED = "Contradictions", "Refused afterwards"
IDLE, SIGNALS, DIFFERENCES = "Batches that nobody drives", "Signals that are late", "Open differences"
Make = dict[str, Any] | Callable[[], object]
WORK: list[tuple[Make, str, str, str]] = [
    # The columns of a transaction, or what makes the rows; the codes; what counts it; where it is found.
    ({"state": S.UNKNOWN}, "", UNKNOWN, UNKNOWN),
    ({"state": S.UNKNOWN, "state_changed_at": NOW - HOUR}, "outcome_unknown", UNKNOWN, UNKNOWN),
    ({"state": S.UNKNOWN, "needs_operator": True}, "transactions_waiting", f"{UNKNOWN}/{PERSON}", UNKNOWN),
    ({"state": S.ANOMALY}, "contradictions", CONTRADICTIONS, CONTRADICTIONS),
    ({"state": S.NOT_SENT, "needs_operator": True}, "transactions_waiting", PERSON, STUCK),
    ({"state": S.OPEN, "needs_operator": True}, "transactions_waiting", PERSON, STUCK),
    ({"state": S.PENDING, "next_query_at": LATE}, "transactions_unattended", NOBODY, STUCK),
    ({"state": S.REJECTED, "refusal_unseen_since": NOW}, "operations_refused", REFUSED, REFUSED),
    ({"state": S.PENDING, "gateway": "gone"}, "unknown_gateway", GONE, ""),
    (a_difference, "discrepancies_open", DIFFERENCES, "Differences"),
    # A mix-up of units is a difference as well.
    (mix_up, "discrepancies_open unit_mix_ups", f"{DIFFERENCES}/Amounts in the wrong unit", "Differences"),
    (shortfall, "discrepancies_open", DIFFERENCES, "Refunds with a shortfall"),
    (lambda: an_order(state="OVERPAID"), "orders_overpaid", PAID_TWICE, PAID_TWICE),
    (lambda: an_order(state="FAILED", release_check_at=LATE), "orders_unreleased", UNRELEASED, ""),
    (a_signal, "events_late", SIGNALS, ""),
    (a_batch, "batches_idle", IDLE, IDLE),
    (lambda: an_approval(expires_at=NOW + DAY), "", "", "Approvals waiting"),
    (lambda: an_authorization(), "", "", LAPSING),
]


def made(make: Make) -> None:
    a_transaction(**make) if isinstance(make, dict) else make()


def work_that_is_nobodys() -> None:
    """Store something of each kind of work that needs nobody."""
    for state in (S.APPROVED, S.OPEN):
        a_transaction(state=state)
    an_order(state="PAID", wallet_closed_at=NOW - DAY, wallet_limit="RESULTS")
    an_authorization(4)
    a_difference(closed_at=NOW)


@pytest.mark.parametrize(("make", "codes"), [row[:2] for row in WORK])
def test_each_kind_of_work_is_told_by_its_code(make: Make, codes: str) -> None:
    swept()
    work_that_is_nobodys()
    made(make)
    assert sorted(told()) == codes.split()


def test_all_work_is_counted_with_its_list_and_found_on_the_dashboard(admin_client: Client) -> None:
    swept()
    work_that_is_nobodys()
    for make, *_ in WORK:
        made(make)
    closed_buttons(3)

    expected = Counter(heading for *_, heading in WORK if heading) | {CLOSED: 3}
    work = work_on(look(admin_client, DASHBOARD))
    assert {title: len(items) for title, items in work.items()} == expected
    page = look(admin_client, f"{DASHBOARD}health/")
    numbers = {label: int(count) for label, count in page.facts.items() if int(count)}
    counted = Counter(name for row in WORK for name in row[2].split("/") if name)
    assert numbers == counted | {"Wallet buttons closed within an hour": 3}
    for label, number in numbers.items():
        if label != SIGNALS:
            model, _, query = page.links[label].removeprefix("/admin/wallet_gateway/").partition("/?")
            assert query, "no list of everything"
            pairs = (pair.split("=") for pair in query.split("&"))
            assert len(listed(admin_client, model, dict(pairs))) == number, label


def test_a_swept_shop_with_nothing_open_has_no_problems(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    swept(minutes=4)
    payments.maintenance.health()
    with django_assert_num_queries(12):
        assert told() == []
    assert "Nothing waits for anybody." in look(admin_client, DASHBOARD)
    assert "Payments are healthy" in look(admin_client, f"{DASHBOARD}health/")


def test_the_oldest_comes_first_and_after_ten_the_list_of_all_is_offered(admin_client: Client) -> None:
    for number in range(11):
        order = an_order(reference=f"R-{number:02}")
        since = NOW - timedelta(minutes=number)
        a_transaction(a_payment(order), state=S.UNKNOWN, state_changed_at=since)
    for _ in range(15):
        a_difference()
    shortfall()
    page = look(admin_client, DASHBOARD)
    work = work_on(page)
    assert [item.split(" ")[0] for item in work[UNKNOWN]] == [f"R-{number:02}" for number in range(10, 0, -1)]
    assert len(work["Refunds with a shortfall"]) == 1, "however many there are of the other kind"
    assert page.text.count("See all") == 2
    for url in page.links.values():
        if "/?" in url:
            assert admin_client.get(url).status_code == 200, url


def test_hostile_text_is_cut_and_visible(admin_client: Client) -> None:
    a_transaction(state=S.ANOMALY, **commented("<b>paid \u202e00.01" + "x" * 300))
    page = look(admin_client, DASHBOARD)
    (item,) = work_on(page)["Contradictions"]
    assert "<b>paid \\u202e00.01xxx" in item
    assert len(item) < 300
    assert "<b>paid" not in page.html


# What is missed: no next instant, or one long past


@every(
    ("state", "kind", "column"),
    [
        (S.UNKNOWN, "CAPTURE", "next_query_at"),
        (S.OPEN, "CHECKOUT", "next_query_at"),
        (S.PENDING, "CAPTURE", "next_query_at"),
        (S.AWAITING_3DS, "AUTHORIZATION", "next_query_at"),
        (S.SENDING, "CAPTURE", "leased_until"),
        (S.AWAITING_RESULT, "AUTHORIZATION", "expires_at"),
        (S.NOT_SENT, "REFUND", "next_send_at"),
        (S.NOT_SENT, "CHECKOUT", "expires_at"),
    ],
)
def test_what_has_no_next_instant_or_one_long_past_is_told_unless_it_is_a_persons(
    state: TransactionState, kind: str, column: str
) -> None:
    swept()
    row = a_transaction(state=state, kind=kind)
    rows = GatewayTransaction.objects.filter(pk=row.pk)
    for instant, count in ((NOW, 0), (LATER, 0), (LATE, 1), (None, 1)):
        rows.update(**{column: instant})
        assert payments.maintenance.health().unattended == count
    rows.update(needs_operator=True)
    assert told() == ["transactions_waiting"]
    rows.delete()


def test_a_card_that_never_left_is_missed_after_an_hour() -> None:
    swept()
    a_transaction(kind="AUTHORIZATION", state=S.NOT_SENT, next_send_at=None, expires_at=None)
    assert told() == []
    GatewayTransaction.objects.update(state_changed_at=LATE)
    assert told() == ["transactions_unattended"]
    GatewayTransaction.objects.all().delete()


def test_what_has_ended_or_is_shown_as_a_contradiction_may_wait_without_an_instant() -> None:
    swept()
    for state in (*FINAL_STATES, S.ANOMALY):
        a_transaction(state=state, state_changed_at=NOW - 9 * DAY, next_query_at=None)
    assert told() == ["contradictions"]
    GatewayTransaction.objects.update(needs_operator=True)
    assert payments.maintenance.health().waiting_for_a_person == 1, "what has ended is left to nobody"


def test_an_order_past_its_end_is_told_where_no_sweep_looks_at_it_or_no_word_came_for_a_day() -> None:
    swept()
    order = an_order(state="FAILED", release_check_at=NOW)
    orders = PaymentOrder.objects.filter(pk=order.pk)
    steps: tuple[tuple[dict[str, Any], int], ...] = (
        ({"release_check_at": LATER}, 0),
        ({"release_check_at": LATE}, 1),
        ({"release_check_at": NOW, "cancelled_at": NOW - 23 * HOUR}, 0),
        ({"cancelled_at": NOW - 25 * HOUR}, 1),
        ({"cancelled_at": None, "payable_until": NOW - 25 * HOUR}, 1),
        *(({"state": elsewhere}, 0) for elsewhere in ("PENDING", "FROZEN", "PAID")),
        ({"state": "CANCELLED"}, 1),
        ({"release_check_at": None, "released_at": NOW, "cancelled_at": LATE}, 0),
    )
    for columns, count in steps:
        orders.update(**columns)
        assert payments.maintenance.health().unreleased == count, columns


def test_three_buttons_closed_within_an_hour_are_a_sign_of_card_testing_and_a_week_later_no_work(
    clock: StillClock, admin_client: Client
) -> None:
    swept()
    an_order(wallet_closed_at=NOW - timedelta(minutes=61), wallet_limit="AUTHORIZATIONS")
    closed_buttons(2)
    assert told() == []
    closed_buttons(1)
    assert told() == ["wallet_buttons_closed"]
    clock.at = NOW + 7 * DAY
    assert work_on(look(admin_client, DASHBOARD)) == {}


# The sweep itself


def test_a_sweep_that_does_not_run_and_queries_that_fall_behind_are_told_on_both_pages(
    admin_client: Client, settings: Settings
) -> None:
    add_gateways(settings, second={}, third={})
    for alias in ("default", "second"):
        JobPosition.move(Job.SWEEP, gateway=alias, now=NOW)
    for priority in (QueryPriority.REPEATED, QueryPriority.WATCHED):
        for hours in (23, 25, 49):
            due = NOW - timedelta(hours=hours)
            a_transaction(state=S.APPROVED, query_priority=priority, next_query_at=due)
    a_transaction(gateway="third", created_at=NOW - timedelta(minutes=6))
    found = payments.maintenance.health()
    assert found.queries_behind == {"default": 4, "second": 0, "third": 0}
    never, behind = found.problems[:2]
    assert (never.code, never.params) == ("never_swept", {"gateway": "third"})
    assert (behind.code, behind.params) == ("queries_behind", {"gateway": "default", "count": 4})
    assert "QUERIES" in behind.advice
    JobPosition.objects.update(moved_at=NOW - timedelta(minutes=20))
    for url in (DASHBOARD, f"{DASHBOARD}health/"):
        page = look(admin_client, url)
        assert "third was never swept" in page
        assert "manage.py wallet_sweep" in page
        assert "default was last swept 20 minutes ago" in page
        assert "default: status queries that are more than a day late: 4" in page
        assert "Nothing waits for anybody." not in page


def test_a_gateway_that_has_just_appeared_is_no_problem_until_a_payment_of_it_waits_for_a_sweep(
    settings: Settings,
) -> None:
    add_gateways(settings, new={})
    swept()
    assert told() == []
    assert payments.maintenance.health().swept_at == {"default": NOW}
    for minutes, expected in ((4, []), (6, ["never_swept"])):
        a_transaction(gateway="new", state=S.APPROVED, created_at=NOW - timedelta(minutes=minutes))
        assert told() == expected
    GatewayPause.objects.create(gateway="new", stopped_at=NOW, stopped_by="anna", stop_reason="why")
    assert told() == ["never_swept", "sending_paused"]


def test_only_what_waits_now_is_paused() -> None:
    later, asked = NOW + timedelta(minutes=5), {"pause_code": "RETRY_AFTER", **commented("rate limit")}
    stopped = {"stopped_at": NOW, "stopped_by": "anna: the second", "stop_reason": "why: so"}
    GatewayPause.objects.create(gateway="a", sending_until=later, **asked, **stopped)
    GatewayPause.objects.create(gateway="b", sending_until=later, **asked)
    GatewayPause.objects.create(gateway="c", sending_until=NOW, **asked)
    GatewayPause.objects.create(gateway="d", **stopped | {"stopped_at": None, "resumed_by": "bob"})
    GatewayPause.objects.create(gateway="e", queries_until=later)
    found = payments.maintenance.sending_pauses()
    assert [(pause.gateway, pause.until, pause.by, pause.reason) for pause in found] == [
        ("a", None, "anna: the second", "why: so"),
        ("b", later, "", "the gateway asks for time: rate limit"),
    ]


# Authorizations that lapse


@pytest.mark.parametrize("second", [7, 3], ids=["one instant for all", "an instant for each gateway"])
def test_authorizations_that_lapse_come_in_order_by_the_window_of_their_gateway(
    second: int, settings: Settings, admin_client: Client
) -> None:
    add_gateways(settings, second={"CAPTURE": {"DAYS": second}})
    fresh, late, expired = an_authorization(4.9), an_authorization(6, captured=500), an_authorization(8)
    other = an_authorization(1.5, gateway="second")
    an_authorization(6, gateway="former")
    paid = an_authorization(6, captured=2000, state="PAID")
    lapsing = [expired, *([other] if second == 3 else []), late]

    found = payments.maintenance.expiring_authorizations()
    assert {row.payment.order for row in found} == set(lapsing)
    left = [row.expires_at - NOW for row in found]
    assert left == sorted(left)
    assert left[0] == -DAY
    assert {str(row.left) for row in found if row.payment.order == late} == {"15.00 EUR"}
    assert len(payments.maintenance.expiring_authorizations(limit=1)) == 1
    assert set(listed(admin_client, "paymentorder", {"expires": "soon"})) == set(lapsing)
    work = work_on(look(admin_client, DASHBOARD))[LAPSING]
    assert len(work) == len(lapsing)
    assert not {fresh.reference, paid.reference} & {line.split()[0] for line in work}


def test_an_authorization_that_lapses_is_found_though_nothing_can_be_done_with_it_yet(
    admin_client: Client,
) -> None:
    held: tuple[tuple[dict[str, Any], str], ...] = (
        ({"is_frozen": True, "state": "FROZEN"}, "€20.00"),
        ({"capture_reserved": 500}, "€20.00"),
        ({"captured": 500, "capture_reserved": 1500, "state": "PART_CAPTURED"}, "€15.00"),
        ({"captured": 500, "refunded": 100, "state": "PART_REFUNDED"}, "€15.00"),
    )
    for nothing_left in (
        {"captured": 500, "refunded": 500, "state": "REFUNDED"},
        {"captured": 2000, "refunded": 100, "state": "PART_REFUNDED"},
        {"captured": 2000, "is_frozen": True, "state": "FROZEN"},
        {"reversal": "RESERVED"},
        {"reversal": "DONE", "state": "REVERSED"},
        {"type": "sale"},
    ):
        an_authorization(6, **nothing_left)
    orders = [an_authorization(6, **columns) for columns, _ in held]
    assert set(listed(admin_client, "paymentorder", {"expires": "soon"})) == set(orders)
    items = {item.split(" ")[0]: item for item in work_on(look(admin_client, DASHBOARD))[LAPSING]}
    assert items.keys() == {order.reference for order in orders}
    for order, (columns, left) in zip(orders, held, strict=True):
        assert left in items[order.reference], columns
        assert ("Under way: €" in items[order.reference]) == ("capture_reserved" in columns)


def test_the_list_says_how_long_each_order_can_still_be_captured(admin_client: Client) -> None:
    for days in (0.04, 1, 5, 5.04, 6.97, 7, 8):
        an_authorization(days)
    an_authorization(1, captured=2000)
    an_authorization(1, gateway="unknown")
    an_order()
    rows = list(look(admin_client, "/admin/wallet_gateway/paymentorder/").rows())
    heading = next(row for row in rows if "To capture" in row or "to capture" in " ".join(row).lower())
    column = next(number for number, name in enumerate(heading) if "capture" in name.lower())
    assert [row[column] for row in rows[rows.index(heading) + 1 :]][::-1] == [
        "6 days",
        "6 days",
        "2 days",
        "47 hours",
        "less than an hour",
        "may have expired",
        "may have expired",
        "-",
        "-",
        "-",
    ]
