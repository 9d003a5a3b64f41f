"""Thirty-two callers at once: sums hold, references stay unique, nobody gets a 5xx."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.sandbox.merchant import Answer, Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl

CALLERS = 32
Run = Callable[[Callable[[Merchant, int], Answer]], Counter[int]]


@pytest.fixture
def all_at_once(
    control: SandboxControl,
) -> Run:
    """Runs a call from 32 connections that start together; counts the answers by status."""

    def run(context: Callable[[Merchant, int], Answer]) -> Counter[int]:
        gate = threading.Barrier(CALLERS)
        answers: list[Answer] = []

        def caller(number: int) -> None:
            with Merchant(control.base_url) as merchant:
                merchant.status("warm-up")
                gate.wait(60)
                answers.append(context(merchant, number))

        threads = [threading.Thread(target=caller, args=(number,)) for number in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == CALLERS
        return Counter(answer.status for answer in answers)

    return run


def approved_sum(merchant: Merchant, references: list[str]) -> Decimal:
    records = [record for reference in references for record in merchant.records(reference)]
    return sum((Decimal(str(record["transactionAmount"])) for record in records), Decimal(0))


def test_refunds_never_exceed_the_captured_sum(all_at_once: Run, merchant: Merchant, sale: str) -> None:
    references = [new_reference() for _ in range(CALLERS)]
    statuses = all_at_once(lambda caller, number: caller.refund(references[number], sale, "1.00"))
    assert statuses == {200: 10, 400: 22}
    assert approved_sum(merchant, references) == Decimal("10.00")


def test_either_captured_or_reversed_never_both(all_at_once: Run, merchant: Merchant, reserved: str) -> None:
    references = [new_reference() for _ in range(CALLERS)]

    def context(caller: Merchant, number: int) -> Answer:
        verb = caller.capture if number % 2 else caller.reverse
        return verb(references[number], reserved, "10.00")

    statuses = all_at_once(context)
    assert statuses[200] == 1
    assert set(statuses) <= {200, 400, 409}


def test_detached_refunds_never_exceed_the_deposit(
    all_at_once: Run, merchant: Merchant, deposit: str
) -> None:
    references = [new_reference() for _ in range(CALLERS)]
    statuses = all_at_once(lambda caller, number: caller.detached(references[number], deposit, "2.00"))
    assert statuses == {200: 15, 400: 17}
    assert approved_sum(merchant, references) == Decimal("30.00")


@pytest.mark.parametrize(
    ("policy", "expected", "records"),
    [("reject", {200: 1, 409: 31}, 1), ("replay", {200: 32}, 1), ("execute", {200: 20, 400: 12}, 20)],
)
def test_one_reference_from_everywhere_meets_the_policy(
    all_at_once: Run,
    merchant: Merchant,
    control: SandboxControl,
    sale: str,
    policy: str,
    expected: dict[int, int],
    records: int,
) -> None:
    control.behaviour(duplicates=policy)
    reference = new_reference()
    assert all_at_once(lambda caller, _: caller.refund(reference, sale, "0.50")) == expected
    assert len(merchant.records(reference)) == records


def test_a_reset_in_the_middle_breaks_nobody(
    all_at_once: Run, merchant: Merchant, control: SandboxControl
) -> None:
    def context(caller: Merchant, number: int) -> Answer:
        if number % 8 == 0:
            control.reset()
        return caller.checkout(new_reference())

    assert set(all_at_once(context)) == {200}
