"""Due rows are claimed in small batches: what is urgent comes first, and no claim is used after its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.models.rows import a_payment, a_transaction, an_order
from tests.operations.conftest import MakeContext, VirtualClock
from tests.operations.dying import Filing, Killed
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import CLAIM, QUERY_WITHIN, QueryPriority
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.claims import MAX_BATCH, claim_first, give_back
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.protocol.strict_json import NumberText, dumps

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
URGENT = (QueryPriority.UNFINISHED, QueryPriority.WATCHED)


def record(reference: str) -> bytes:
    values: dict[str, object] = {
        "id": f"g-{reference}",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": NumberText("10.00"),
        "clientSystemTransactionId": reference,
        "type": "ecom.sale",
        "transactionDateTime": "2026-01-15T10:30:00.0000000",
    }
    return dumps([values])


def due_page(name: str, clock: VirtualClock, *, seconds: int = 60, order: PaymentOrder | None = None) -> str:
    """Make an open page that has been due for some seconds; return its reference."""
    now = clock.now()
    payment = a_payment(order or an_order(amount_minor=1000), reference=name)
    a_transaction(
        payment,
        reference=name,
        kind=TransactionKind.CHECKOUT,
        amount_minor=1000,
        state=TransactionState.OPEN,
        state_changed_at=now - timedelta(minutes=5),
        expires_at=now + timedelta(minutes=60),
        next_query_at=now - timedelta(seconds=seconds),
    )
    return name


def due_pages(count: int, clock: VirtualClock) -> list[str]:
    return [due_page(f"due-{number:03}", clock, seconds=600 - number) for number in range(count)]


class Told(Filing):
    """A gateway that has approved everything; calls back before it answers a query."""

    def __init__(self, meanwhile: Callable[[str], None] = lambda reference: None) -> None:
        super().__init__({})
        self._meanwhile = meanwhile

    @property
    def references(self) -> list[str]:
        return [reference for reference, _ in self.requests]

    def send(self, method: str, path: str, **given: object) -> object:  # type: ignore[override]
        reference = given["query"]["clientSystemTransactionId"]  # type: ignore[index]
        self._records = {reference: record(reference)}
        answer = super().send(method, path, query=given["query"])  # type: ignore[arg-type]
        self._meanwhile(reference)
        return answer


Ask = Callable[..., tuple[GatewayContext, Told]]


@pytest.fixture
def ask(make_context: MakeContext) -> Ask:
    """Make a context with a gateway that has approved everything."""

    def make(
        meanwhile: Callable[[str], None] = lambda reference: None, **policy: float
    ) -> tuple[GatewayContext, Told]:
        context, told = make_context(**({"query_rate": 1000.0} | policy)), Told(meanwhile)
        account = Gateway(account=context.gateway.account, transport=told)  # type: ignore[arg-type]
        return replace(context, gateway=account), told

    return make


@pytest.mark.parametrize(("rate", "size"), [(0.1, 1), (5.0, 5), (50.0, 50), (1_000_000.0, MAX_BATCH)])
def test_a_batch_lasts_a_second_at_the_rate_and_is_never_large(
    rate: float, size: int, ask: Ask, clock: VirtualClock
) -> None:
    due_pages(MAX_BATCH + 1, clock)
    batch = claim_first(ask(query_rate=rate)[0], URGENT, since=clock.now(), most=500)
    assert [row.reference for row in batch.rows] == [f"due-{number:03}" for number in range(size)]
    claimed = GatewayTransaction.objects.filter(
        next_query_at=clock.now() + CLAIM, last_queried_at=clock.now()
    )
    assert claimed.count() == size


def test_what_is_claimed_is_claimed_by_nobody_else(ask: Ask, clock: VirtualClock) -> None:
    due_pages(7, clock)
    context = ask(query_rate=3.0)[0]
    batches = [claim_first(context, URGENT, since=clock.now(), most=500).rows for _ in range(4)]
    assert [len(rows) for rows in batches] == [3, 3, 1, 0]
    clock.advance(seconds=CLAIM.total_seconds() + 1)
    again = claim_first(context, URGENT, since=clock.now(), most=500).rows
    assert [row.pk for row in again] == [row.pk for row in batches[0]], "a worker that died loses none"


def test_customers_who_wait_come_before_a_long_queue_of_what_has_ended(ask: Ask, clock: VirtualClock) -> None:
    watched = due_pages(60, clock)
    GatewayTransaction.objects.update(query_priority=QueryPriority.WATCHED)
    waiting = due_page("waiting-0", clock, seconds=1)

    def open_another(reference: str) -> None:
        if reference == watched[12]:
            due_page("waiting-1", clock, seconds=1)

    context, told = ask(open_another, query_rate=10.0)
    assert reconcile_due(context=context) == 62
    assert told.references[0] == waiting
    # It became due while the second batch of ten was queried, and comes right after that.
    assert told.references.index("waiting-1") == 1 + 20
    assert [one for one in told.references if one in watched] == watched


def test_a_worker_that_is_killed_with_a_batch_loses_nothing_and_doubles_nothing(
    ask: Ask, clock: VirtualClock
) -> None:
    pages = due_pages(10, clock)

    def kill_at_the_fourth(reference: str) -> None:
        if reference == pages[3]:
            raise Killed

    with pytest.raises(Killed):
        reconcile_due(context=ask(kill_at_the_fourth)[0])
    context, told = ask()
    assert reconcile_due(context=context) == 0, "the dead worker's claim still holds"
    clock.advance(seconds=CLAIM.total_seconds() + 1)
    assert reconcile_due(context=context) == 7
    assert told.references == pages[3:]
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {OrderState.PAID}
    assert OutboxEvent.objects.count() == 10


def test_no_query_begins_late_in_its_claim(ask: Ask, clock: VirtualClock) -> None:
    pages = due_pages(6, clock)
    claims: list[timedelta] = []

    def answer_slowly(reference: str) -> None:
        end = GatewayTransaction.objects.get(reference=reference).next_query_at
        assert end is not None
        claims.append(end - clock.now())
        clock.advance(seconds=20)

    context, told = ask(answer_slowly)
    assert reconcile_due(context=context) == 6
    assert told.references == pages, "each once, and in their order"
    assert min(claims) >= CLAIM - QUERY_WITHIN


def test_what_is_given_back_is_as_it_was_but_for_what_others_have_changed(
    ask: Ask, clock: VirtualClock
) -> None:
    due_pages(3, clock)
    rows = GatewayTransaction.objects.order_by("pk")
    before = list(rows.values_list("next_query_at", "last_queried_at"))
    batch = claim_first(ask()[0], URGENT, since=clock.now(), most=500)
    later = clock.now() + timedelta(hours=1)
    GatewayTransaction.objects.filter(pk=batch.rows[0].pk).update(next_query_at=later)
    give_back(batch, batch.rows)
    after = list(rows.values_list("next_query_at", "last_queried_at"))
    assert after == [(later, clock.now()), *before[1:]]
