"""Answers that are settled together: each as if it were alone, whatever has happened to the others' rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, connections
from django.db import transaction as db_transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from tests.models.rows import an_order
from tests.operations.dying import Killed
from tests.operations.settlement.rows import S, a_page, approval
from tests.waiting import PATIENCE
from wallet_gateway import signals
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.models.settlements_at_once import MOST
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling import joint_settlement
from wallet_gateway.operations.polling.joint_settlement import _JointSettlement, settling
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.operations.settlement.status_updates import StatusUpdate

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="one statement for all is PostgreSQL's"),
]
Page = GatewayTransaction


def answer(page: Page, record_id: str = "") -> tuple[Page, StatusUpdate]:
    """The answer that a page is paid."""
    told = approval(2000, record_id or f"g-{page.reference}")
    return page, replace(told, queried_in=S(page.state), queried_since=page.state_changed_at)


@pytest.fixture
def threads(context: GatewayContext) -> GatewayContext:
    return replace(context, policy=replace(context.policy, query_workers=MOST))


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answers were written together, each time."""
    sizes: list[int] = []
    write = joint_settlement._write

    def count(batch: Sequence[Any]) -> None:
        sizes.append(len(batch))
        write(batch)

    monkeypatch.setattr(joint_settlement, "_write", count)
    return sizes


@contextmanager
def held_back(monkeypatch: pytest.MonkeyPatch, count: int) -> Iterator[None]:
    """Let nothing be written before so many answers wait."""
    write_all = _JointSettlement.write_all

    def wait(joint: _JointSettlement) -> None:
        ends = time.monotonic() + PATIENCE
        while joint._waiting.qsize() < count and time.monotonic() < ends:
            time.sleep(0.005)
        write_all(joint)

    with monkeypatch.context() as patch:
        patch.setattr(_JointSettlement, "write_all", wait)
        yield


Together = Callable[..., list[Future[None]]]


@pytest.fixture
def together(threads: GatewayContext, monkeypatch: pytest.MonkeyPatch) -> Together:
    """Settle answers at the same moment, each in a thread of its own."""

    def settle_all(*answers: tuple[Page, StatusUpdate]) -> list[Future[None]]:
        with held_back(monkeypatch, len(answers)), settling(threads) as settle:

            def in_thread(page: Page, told: StatusUpdate) -> None:
                try:
                    settle(page, told)
                finally:
                    connections.close_all()

            with ThreadPoolExecutor(len(answers)) as crew:
                return [crew.submit(in_thread, *each) for each in answers]

    return settle_all


def states() -> list[str]:
    return list(GatewayTransaction.objects.order_by("pk").values_list("state", flat=True))


def test_all_are_written_together_and_each_is_told_once(together: Together, batches: list[int]) -> None:
    told: list[str] = []

    def hear(reference: str, **_: object) -> None:
        told.append(reference)

    pages = [a_page() for _ in range(5)]
    signals.order_paid.connect(hear)
    try:
        for each in together(*map(answer, pages)):
            each.result()
    finally:
        signals.order_paid.disconnect(hear)
    assert batches == [5]
    assert states() == [S.APPROVED] * 5
    assert sorted(told) == sorted(PaymentOrder.objects.values_list("reference", flat=True))
    assert OutboxEvent.objects.filter(delivered_at__isnull=False).count() == 5


def test_one_whose_order_has_changed_is_settled_after_the_others(
    together: Together, batches: list[int]
) -> None:
    pages = [a_page() for _ in range(3)]
    PaymentOrder.objects.filter(pk=pages[1].payment.order_id).update(version=F("version") + 1)  # type: ignore[union-attr]
    for each in together(*map(answer, pages)):
        each.result()
    assert (batches, states()) == ([3], [S.APPROVED] * 3)
    assert OutboxEvent.objects.count() == 3


def test_two_pages_of_one_order_are_booked_one_after_the_other(
    together: Together, batches: list[int]
) -> None:
    order = an_order()
    pages = [a_page(order=order), a_page(order=order)]
    for each in together(*map(answer, pages)):
        each.result()
    order.refresh_from_db()
    assert (batches, order.state) == ([2], OrderState.OVERPAID)
    assert [payment.captured for payment in order.payments.all()] == [2000, 2000]


def test_a_record_that_is_anothers_spoils_its_own_row_only(
    context: GatewayContext, together: Together, batches: list[int]
) -> None:
    with settling(context) as settle:
        settle(*answer(a_page(), "taken"))
    pages = [a_page(), a_page()]
    for each in together(answer(pages[0]), answer(pages[1], "taken")):
        each.result()
    assert (batches, states()) == ([2], [S.APPROVED, S.APPROVED, S.ANOMALY])


def test_a_row_that_another_has_locked_holds_up_no_other_row(together: Together) -> None:
    locked, free = a_page(), a_page()
    released = threading.Event()

    def hold() -> None:
        try:
            with db_transaction.atomic():
                PaymentOrder.objects.select_for_update().get(pk=locked.payment.order_id)  # type: ignore[union-attr]
                holding.set()
                ends = time.monotonic() + PATIENCE
                while reread_state(free) != S.APPROVED and time.monotonic() < ends:
                    time.sleep(0.01)
                released.set()
        finally:
            connections.close_all()

    holding, holder = threading.Event(), threading.Thread(target=hold)
    holder.start()
    assert holding.wait(PATIENCE)
    for each in together(answer(locked), answer(free)):
        each.result()
    holder.join()
    assert released.is_set()
    assert states() == [S.APPROVED, S.APPROVED]


def reread_state(page: Page) -> str:
    return str(GatewayTransaction.objects.values_list("state", flat=True).get(pk=page.pk))


@pytest.mark.parametrize("fault", [Killed, ZeroDivisionError])
def test_what_is_not_written_is_as_it_was_and_every_thread_hears_of_it(
    together: Together, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    pages = [a_page() for _ in range(3)]

    def fail(_write: object) -> bool:
        raise fault

    monkeypatch.setattr(joint_settlement, "run", fail)
    heard = [each.exception() for each in together(*map(answer, pages))]
    assert [type(each) for each in heard] == [fault] * 3
    assert states() == [S.OPEN] * 3
    assert OutboxEvent.objects.count() == 0
    assert [reread(page).next_query_at for page in pages] == [page.next_query_at for page in pages]


def test_more_than_fit_a_statement_are_written_by_two(
    threads: GatewayContext, together: Together, batches: list[int]
) -> None:
    for each in together(*(answer(a_page()) for _ in range(MOST + 4))):
        each.result()
    assert batches == [MOST, 4]
    assert states() == [S.APPROVED] * (MOST + 4)


def test_without_threads_nothing_is_written_together(context: GatewayContext, batches: list[int]) -> None:
    page = a_page()
    with settling(context) as settle:
        settle(*answer(page))
    assert (batches, states()) == ([], [S.APPROVED])


def test_the_writer_ends_with_the_sweep(threads: GatewayContext) -> None:
    before = threading.active_count()
    with settling(threads):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_an_answer_that_comes_after_a_sweep_was_broken_off_is_settled_by_its_own_thread(
    threads: GatewayContext, batches: list[int]
) -> None:
    page = a_page()
    with settling(threads) as settle:
        pass

    def settle_late() -> None:
        settle(*answer(page))
        connections.close_all()

    late = threading.Thread(target=settle_late, daemon=True)
    late.start()
    late.join(PATIENCE)
    assert (batches, states()) == ([], [S.APPROVED])


def test_any_number_of_settlements_is_one_statement(together: Together) -> None:
    statements: list[str] = []
    write = joint_settlement._write

    def captured(batch: Sequence[Any]) -> None:
        with CaptureQueriesContext(connection) as sent:
            write(batch)
        statements.extend(one["sql"] or "" for one in sent)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_settlement, "_write", captured)
        for each in together(*(answer(a_page()) for _ in range(6))):
            each.result()
    assert len(statements) == 1
