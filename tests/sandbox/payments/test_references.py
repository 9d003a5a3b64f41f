"""One reference, one request: what a repetition is answered, and what holds when 32 callers come at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.merchant import Answer, Merchant, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

CALLERS = 32
Run = Callable[[Callable[[Merchant, int], Answer]], Counter[int]]


@every("kind", ["checkout", "capture", "refund", "reverse", "detached"])
@every("duplicates", ["reject", "replay", "execute"])
def test_the_same_request_meets_the_policy_and_another_one_is_always_refused(
    pay: Pay, merchant: Merchant, control: SandboxControl, deposit: str, duplicates: str, kind: str
) -> None:
    control.behaviour(duplicates=duplicates)
    originals = {"refund": pay(), "detached": deposit, "checkout": None}
    original = originals[kind] if kind in originals else pay(type="ecom.preAuthorization")
    reference = new_reference()
    send = partial(getattr(merchant, kind), *filter(None, (reference, original)))

    first = send()
    assert first.status == 200
    before = merchant.records(reference)
    assert send(providerDiscretionaryData="another order").status == 409
    if duplicates != "execute":
        again = send()
        expected = (200, first.body) if duplicates == "replay" else (409, again.body)
        assert (again.status, again.body) == expected
        assert again.status == 200 or again.message.startswith("ReferenceAlreadyUsed")
    assert merchant.records(reference) == before


def test_the_same_request_is_carried_out_again_on_execute(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.behaviour(duplicates="execute")
    reference = new_reference()
    ids = {merchant.refund(reference, sale, "1.00").json["id"] for _ in range(3)}
    assert len(ids) == 3
    assert {record["id"] for record in merchant.records(reference)} == ids
    reference = new_reference()
    links = {merchant.checkout(reference).json["redirectUrl"] for _ in range(2)}
    assert len(links) == 2
    control.complete_checkout(reference, "success")
    control.complete_checkout(reference, "success")
    assert [record["state"] for record in merchant.records(reference)] == ["Approved", "Approved"]


def test_references_are_each_merchants_own(merchant: Merchant, control: SandboxControl) -> None:
    control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
    reference = new_reference()
    assert merchant.checkout(reference).status == 200
    assert merchant.checkout(reference, merchantId="OTHER", storeId="S", userId="u").status == 200


# All at once


@pytest.fixture
def all_at_once(control: SandboxControl) -> Run:
    """Runs a call from 32 connections that start together; counts the answers by status."""

    def run(call: Callable[[Merchant, int], Answer]) -> Counter[int]:
        gate = threading.Barrier(CALLERS)
        answers: list[Answer] = []

        def caller(number: int) -> None:
            with Merchant(control.base_url) as merchant:
                merchant.status("warm-up")
                gate.wait(60)
                answers.append(call(merchant, number))

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


def test_refunds_never_exceed_what_was_captured_or_deposited(
    all_at_once: Run, merchant: Merchant, sale: str, deposit: str
) -> None:
    references = [new_reference() for _ in range(CALLERS)]
    statuses = all_at_once(lambda caller, number: caller.refund(references[number], sale, "1.00"))
    assert statuses == {200: 10, 400: 22}
    assert approved_sum(merchant, references) == Decimal("10.00")

    references = [new_reference() for _ in range(CALLERS)]
    statuses = all_at_once(lambda caller, number: caller.detached(references[number], deposit, "2.00"))
    assert statuses == {200: 15, 400: 17}
    assert approved_sum(merchant, references) == Decimal("30.00")


def test_either_captured_or_reversed_never_both(all_at_once: Run, reserved: str) -> None:
    references = [new_reference() for _ in range(CALLERS)]

    def capture_or_reverse(caller: Merchant, number: int) -> Answer:
        verb = caller.capture if number % 2 else caller.reverse
        return verb(references[number], reserved, "10.00")

    statuses = all_at_once(capture_or_reverse)
    assert statuses[200] == 1
    assert set(statuses) <= {200, 400, 409}


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


def test_a_reset_in_the_middle_breaks_nobody(all_at_once: Run, control: SandboxControl) -> None:
    def checkout(caller: Merchant, number: int) -> Answer:
        if number % 8 == 0:
            control.reset()
        return caller.checkout(new_reference())

    assert set(all_at_once(checkout)) == {200}
