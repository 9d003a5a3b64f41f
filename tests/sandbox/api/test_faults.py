"""Every fault on real sockets: what the caller sees, whether the request was processed, and whom it hits."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.merchant import Answer, Merchant, new_reference
from tests.sandbox.wallet_buyer import Buyer
from tests.support.tables import every
from tests.support.waiting import PATIENCE, eventually
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

HTML = {"content-type": "text/html; charset=utf-8"}
SAID = {"code": "777", "message": "Not today."}
NOT_TODAY = {"code": "777", "details": {"message": "Not today."}}
ANSWERED: list[tuple[str, dict[str, Any], int, dict[str, str], dict[str, Any] | None, list[str]]] = [
    ("status_before", {"status": 500}, 500, HTML, None, []),
    ("status_before", {"status": 202}, 202, HTML, None, []),
    ("status_after", {"status": 504}, 504, HTML, None, ["Approved"]),
    ("not_json", {}, 200, HTML, None, ["Approved"]),
    ("empty", {}, 200, {"content-length": "0"}, None, ["Approved"]),
    ("bad_gzip", {}, 200, {"content-encoding": "gzip"}, {"state": "Approved"}, ["Approved"]),
    ("wrong_shape", {}, 200, {}, {"state": None, "code": None, "id": None}, ["Approved"]),
    ("redirected", {}, 307, {}, {"state": None}, []),
    ("errored", {}, 200, {}, {"state": "Errored", "providerStateCode": "FailedAtProvider"}, ["Errored"]),
    ("undocumented_state", {}, 200, {}, {"state": "Quarantined"}, ["Quarantined"]),
    ("throttled", {"seconds": 7}, 429, {"retry-after": "7"}, {"state": None}, []),
    ("error_body", {"status": 422} | SAID, 422, {}, NOT_TODAY | {"state": None}, []),
    ("bare_error", {"status": 422, "code": "777"}, 422, {}, {"code": "777", "details": None}, []),
    ("error_200", SAID, 200, {}, NOT_TODAY | {"state": None}, ["Approved"]),
    ("mixed", SAID, 200, {}, NOT_TODAY | {"state": "Approved"}, ["Approved"]),
    ("delay_before", {"seconds": 0.3}, 200, {}, {"state": "Approved"}, ["Approved"]),
    ("drip", {"seconds": 0.002}, 200, {}, {"state": "Approved"}, ["Approved"]),
]
BROKEN: list[tuple[str, type[Exception], list[str]]] = [
    ("drop_before", http.client.RemoteDisconnected, []),
    ("drop_after", http.client.RemoteDisconnected, ["Approved"]),
    ("bad_status_line", http.client.BadStatusLine, ["Approved"]),
    ("truncated", http.client.IncompleteRead, ["Approved"]),
    ("reset", ConnectionResetError, ["Approved"]),
]
OTHERWISE = {"late", "duplicate", "delay_after", "partial", "unreadable_record"}
"""Faults with a test of their own; `partial` is about detached refunds and with them."""


def states(merchant: Merchant, reference: str) -> list[str]:
    return [record["state"] for record in merchant.records(reference)]


def test_every_fault_has_its_row_or_its_test(control: SandboxControl) -> None:
    with pytest.raises(SandboxRefused, match="fault must be one of") as refused:
        control.fault("refund", "explode")
    known = refused.value.message.partition("must be one of")[2].partition(", not '")[0]
    assert {row[0] for row in (*ANSWERED, *BROKEN)} | OTHERWISE == set(known.strip().split(", "))


@every(("fault", "details", "status", "headers", "said", "left"), ANSWERED)
def test_a_fault_that_answers(
    pay: Pay,
    merchant: Merchant,
    control: SandboxControl,
    fault: str,
    details: dict[str, Any],
    status: int,
    headers: dict[str, str],
    said: dict[str, Any] | None,
    left: list[str],
) -> None:
    sale, reference = pay(), new_reference()
    control.fault("refund", fault, **details)
    begun = time.monotonic()
    answer = merchant.refund(reference, sale, "4.00")
    assert (answer.status, answer.headers | headers) == (status, answer.headers)
    if said is None:
        assert not answer.body.startswith(b"{")
    else:
        assert {name: answer.json.get(name) for name in said} == said
    assert states(merchant, reference) == left
    if fault in {"delay_before", "drip"}:
        assert time.monotonic() - begun >= 0.2


@every(("fault", "error", "left"), BROKEN)
def test_a_fault_that_breaks_the_connection(
    pay: Pay, merchant: Merchant, control: SandboxControl, fault: str, error: type[Exception], left: list[str]
) -> None:
    sale, reference = pay(), new_reference()
    control.fault("refund", fault)
    with pytest.raises(error) as broken:
        merchant.refund(reference, sale, "4.00")
    assert type(broken.value) is error
    assert states(merchant, reference) == left


def test_a_redirect_leads_to_another_address_of_the_same_gateway(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.fault("status", "redirected")
    assert merchant.status("X").headers["location"] == f"{merchant.base_url}/api/v5/moved"


def test_a_fault_decides_before_the_amount_does(
    pay: Pay, merchant: Merchant, control: SandboxControl
) -> None:
    control.fault("refund", "errored")
    answer = merchant.refund(new_reference(), pay(amount="6660.02"), "6660.02")
    assert (answer.json["state"], answer.json["providerStateCode"]) == ("Errored", "FailedAtProvider")


def test_a_request_whose_answer_is_delayed_is_processed_and_has_no_status_yet(
    control: SandboxControl, merchant: Merchant, sale: str
) -> None:
    reference = new_reference()
    control.fault("refund", "delay_after", seconds=PATIENCE)
    with Merchant(control.base_url, timeout=0.25) as impatient, pytest.raises(TimeoutError):
        impatient.refund(reference, sale, "4.00")
    assert eventually(lambda: states(merchant, reference) == ["Approved"])
    (refund,) = (entry for entry in control.journal() if entry["operation"] == "refund")
    assert refund["status"] is None, "its answer has not left"


@every(
    ("policy", "status", "left"),
    [("reject", 409, ["Approved"]), ("replay", 200, ["Approved"]), ("execute", 200, ["Approved"] * 2)],
)
def test_a_duplicate_meets_the_policy_in_force(
    pay: Pay, merchant: Merchant, control: SandboxControl, policy: str, status: int, left: list[str]
) -> None:
    sale, reference = pay(), new_reference()
    control.behaviour(duplicates=policy)
    control.fault("refund", "duplicate")
    assert merchant.refund(reference, sale, "4.00").status == status
    assert states(merchant, reference) == left


def test_an_unreadable_record_stands_beside_the_right_one_once(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.fault("status", "unreadable_record")
    own, further = merchant.status(sale).json
    assert (own["state"], own["transactionAmount"]) == ("Approved", 10)
    assert further == own | {"id": None, "transactionAmount": -5}
    assert states(merchant, sale) == ["Approved"]


@every(("fault", "state"), [("errored", "Errored"), ("undocumented_state", "Quarantined")])
def test_a_checkout_that_fails_is_decided_before_its_customer_comes(
    control: SandboxControl, merchant: Merchant, fault: str, state: str
) -> None:
    reference = new_reference()
    control.fault("checkout", fault)
    assert merchant.checkout(reference).status == 200
    assert states(merchant, reference) == [state]


@every("fault", ["empty", "not_json", "bad_gzip", "drop_after", "truncated"])
def test_a_refusal_can_be_broken_on_its_way_too(
    control: SandboxControl, merchant: Merchant, fault: str
) -> None:
    control.fault("refund", fault)
    if fault in {"drop_after", "truncated"}:
        with pytest.raises(http.client.HTTPException):
            merchant.refund(new_reference(), "unknown")
    else:
        assert merchant.refund(new_reference(), "unknown").status in {200, 404}
    assert merchant.refund(new_reference(), "unknown").status == 404


# Requests that arrive late, or wait


def test_a_late_request_is_carried_out_once_the_clock_reaches_its_time(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.fault("refund", "late")
    with pytest.raises(http.client.RemoteDisconnected):
        merchant.refund("LATE", sale, "6.00")
    control.advance_clock(50)
    assert merchant.records("LATE") == []
    control.advance_clock(7200)
    refunded = merchant.record("LATE")
    assert refunded["state"] == "Approved"
    assert refunded["transactionDateTime"][:13] != merchant.record(sale)["transactionDateTime"][:13]
    assert merchant.refund("LATE", sale, "1.00").status == 409


def test_a_late_request_that_has_become_wrong_is_dropped(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.fault("refund", "late", seconds=90)
    with pytest.raises(http.client.RemoteDisconnected):
        merchant.refund("LATE", sale, "6.00")
    merchant.refund(new_reference(), sale, "9.00")
    control.advance_clock(90)
    assert merchant.records("LATE") == []


def test_a_waiting_request_is_in_the_journal_and_a_reset_calls_it_off(
    control: SandboxControl, sale: str
) -> None:
    control.fault("refund", "delay_before", seconds=PATIENCE)
    dropped: list[Exception] = []

    def ask() -> None:
        with Merchant(control.base_url) as waiting:
            try:
                waiting.refund(new_reference(), sale, "4.00")
            except http.client.RemoteDisconnected as error:
                dropped.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert eventually(lambda: control.journal()[-1]["operation"] == "refund")
    assert control.journal()[-1]["status"] is None

    def called_off() -> bool:
        # It is noted a moment before it waits.
        control.reset()
        return not thread.is_alive()

    assert eventually(called_off)
    assert len(dropped) == 1
    assert control.journal() == []


# Whom they hit

Call = Callable[[], Answer]


def calls_of(buyer: Buyer, deposit: str) -> dict[str, Call]:
    """A request of each operation; what it needs is done before."""
    merchant = buyer.merchant
    data, account, paying = buyer.data(), buyer.account(), buyer.account()
    return {
        "checkout": lambda: merchant.checkout(new_reference()),
        "capture": lambda: merchant.capture(new_reference(), "X"),
        "refund": lambda: merchant.refund(new_reference(), "X"),
        "reversal": lambda: merchant.reverse(new_reference(), "X"),
        "detached_refund": lambda: merchant.detached(new_reference(), deposit, "1.00"),
        "status": lambda: merchant.status("X"),
        "public_key": lambda: merchant.post("/api/v5/publicKeys", buyer.ids),
        "create_payment_account": lambda: buyer.create(data),
        "get_payment_account": lambda: buyer.look_up(account["transactionAccountId"]),
        "authorization": lambda: buyer.authorize(paying, clientSystemTransactionId="PAID-1"),
    }


def test_a_fault_hits_its_operation_and_no_other(control: SandboxControl, buyer: Buyer, deposit: str) -> None:
    calls = calls_of(buyer, deposit)
    for operation, ask in calls.items():
        control.clear_faults()
        for other in calls.keys() - {operation}:
            control.fault(other, "throttled")
        assert ask().status != 429, operation
        control.fault(operation, "throttled")
        assert ask().status == 429, operation
        last = control.journal()[-1]
        assert (last["operation"], last["fault"]) == (operation, "throttled")


@every(("fault", "again"), [("drop_before", (200, 200)), ("drop_after", (400, 409))])
def test_an_account_or_authorization_without_an_answer_was_made_or_not(
    control: SandboxControl, buyer: Buyer, fault: str, again: tuple[int, int]
) -> None:
    data, paying = buyer.data(), buyer.account()
    for operation, ask, status in (
        ("create_payment_account", lambda: buyer.create(data), again[0]),
        ("authorization", lambda: buyer.authorize(paying), again[1]),
    ):
        control.fault(operation, fault)
        with pytest.raises(http.client.RemoteDisconnected):
            ask()
        assert ask().status == status, operation


def test_a_late_authorization_is_carried_out_with_its_key(
    control: SandboxControl, buyer: Buyer, merchant: Merchant
) -> None:
    result = buyer.account()
    control.fault("authorization", "late", seconds=60)
    with pytest.raises(http.client.RemoteDisconnected):
        buyer.authorize(result, clientSystemTransactionId="PAID-1")
    assert merchant.records("PAID-1") == []
    control.advance_clock(60)
    assert merchant.record("PAID-1")["state"] == "Approved"


def test_times_and_skip_count_the_operations_own_requests(
    control: SandboxControl, merchant: Merchant
) -> None:
    def hits(times: int) -> list[bool]:
        return [merchant.status("X").status == 503 for _ in range(times)]

    control.fault("status", "status_before", status=503)
    assert hits(3) == [True, False, False]
    control.fault("status", "status_before", status=503, times=2, skip=1)
    merchant.checkout(new_reference())
    assert hits(5) == [False, True, True, False, False]
