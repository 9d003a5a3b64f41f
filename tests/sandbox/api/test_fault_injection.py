"""Every fault on real sockets: what the caller sees, and whether the request was processed."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.sandbox.merchant import TRANSACTIONS, Answer, Merchant, follow_up_body, new_reference
from tests.waiting import PATIENCE, eventually
from wallet_gateway.sandbox.api.fault_injection import INJECTORS
from wallet_gateway.sandbox.api.faults import FaultKind
from wallet_gateway.testing.control import SandboxControl

Refund = Callable[[], Answer]
HTML = "text/html; charset=utf-8"


@pytest.fixture
def reference() -> str:
    return new_reference()


@pytest.fixture
def refund(merchant: Merchant, sale: str, reference: str) -> Refund:
    """Sends the one refund these tests are about."""
    return lambda: merchant.refund(reference, sale, "4.00")


def states(merchant: Merchant, reference: str) -> list[str]:
    return [record["state"] for record in merchant.records(reference)]


def raw_answer(merchant: Merchant, sale: str, reference: str) -> tuple[bytes, type[Exception] | None]:
    """Send the refund on a bare socket; give every byte that came, and how the connection ended."""
    body = json.dumps(follow_up_body(reference, sale, amount="4.00")).encode()
    head = (
        f"POST {TRANSACTIONS} HTTP/1.1\r\nHost: {merchant.host}:{merchant.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    raw = b""
    with socket.create_connection((merchant.host, merchant.port), timeout=60) as connection:
        connection.sendall(head.encode() + body)
        try:
            while block := connection.recv(65_536):
                raw += block
        except ConnectionResetError:
            return raw, ConnectionResetError
    return raw, None


def test_every_fault_has_its_function_and_its_test() -> None:
    tested = {name.removeprefix("test_fault_") for name in globals() if name.startswith("test_fault_")}
    assert set(INJECTORS) == set(FaultKind)
    assert tested == {kind.value for kind in FaultKind}


def test_fault_drop_before(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "drop_before")
    with pytest.raises(http.client.RemoteDisconnected):
        refund()
    assert states(merchant, reference) == []
    assert refund().status == 200


def test_fault_drop_after(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "drop_after")
    with pytest.raises(http.client.RemoteDisconnected):
        refund()
    assert states(merchant, reference) == ["Approved"]


@contextlib.contextmanager
def takes_at_least(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert seconds <= time.monotonic() - started < seconds + 30


def test_fault_delay_before(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "delay_before", seconds=0.3)
    with takes_at_least(0.3):
        assert refund().status == 200
    assert states(merchant, reference) == ["Approved"]


def test_fault_delay_after(control: SandboxControl, sale: str, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "delay_after", seconds=PATIENCE)
    with Merchant(control.base_url, timeout=0.25) as impatient, pytest.raises(TimeoutError):
        impatient.refund(reference, sale, "4.00")
    assert eventually(lambda: states(merchant, reference) == ["Approved"])
    [refund] = [entry for entry in control.journal() if entry["operation"] == "refund"]
    assert refund["status"] is None, "its answer has not left"


@pytest.mark.parametrize("status", [500, 502, 503, 403, 202])
def test_fault_status_before(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str, status: int
) -> None:
    control.fault("refund", "status_before", status=status)
    answer = refund()
    assert (answer.status, answer.headers["content-type"]) == (status, HTML)
    assert states(merchant, reference) == []


def test_fault_status_after(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "status_after", status=504)
    answer = refund()
    assert (answer.status, answer.headers["content-type"]) == (504, HTML)
    assert states(merchant, reference) == ["Approved"]


def test_fault_truncated(control: SandboxControl, merchant: Merchant, sale: str, reference: str) -> None:
    control.fault("refund", "truncated")
    raw, ended_by = raw_answer(merchant, sale, reference)
    head, _, body = raw.partition(b"\r\n\r\n")
    announced = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    assert head.startswith(b"HTTP/1.1 200")
    assert ended_by is None
    assert 0 < len(body) < int(announced.partition(b":")[2])
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)
    assert states(merchant, reference) == ["Approved"]


def test_fault_reset(control: SandboxControl, merchant: Merchant, sale: str, reference: str) -> None:
    control.fault("refund", "reset")
    raw, ended_by = raw_answer(merchant, sale, reference)
    assert ended_by is ConnectionResetError
    assert not raw or raw.startswith(b"HTTP/1.1 200")
    assert b"apmPaymentMethod" not in raw
    assert states(merchant, reference) == ["Approved"]


def test_fault_bad_status_line(
    control: SandboxControl, merchant: Merchant, sale: str, reference: str, refund: Refund
) -> None:
    control.fault("refund", "bad_status_line")
    with pytest.raises(http.client.BadStatusLine):
        refund()
    assert states(merchant, reference) == ["Approved"]


def test_fault_not_json(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "not_json")
    answer = refund()
    assert (answer.status, answer.headers["content-type"]) == (200, HTML)
    assert answer.body.startswith(b"<!DOCTYPE html>")
    assert states(merchant, reference) == ["Approved"]


def test_fault_wrong_shape(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "wrong_shape")
    answer = refund()
    assert answer.status == 200
    assert not {"state", "code", "id"} & set(answer.json)
    assert states(merchant, reference) == ["Approved"]


def test_fault_empty(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "empty")
    answer = refund()
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "0")
    assert states(merchant, reference) == ["Approved"]


def test_fault_late(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "late", seconds=90)
    with pytest.raises(http.client.RemoteDisconnected):
        refund()
    control.advance_clock(80)
    assert states(merchant, reference) == []
    control.advance_clock(10)
    assert states(merchant, reference) == ["Approved"]


def test_fault_undocumented_state(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "undocumented_state")
    answer = refund()
    assert answer.json["state"] not in {"Approved", "Pending", "Errored"}
    assert states(merchant, reference) == [answer.json["state"]]


def test_fault_redirected(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "redirected")
    answer = refund()
    assert answer.status == 307
    assert answer.headers["location"] == f"{merchant.base_url}/api/v5/moved"
    assert answer.message.startswith("Moved")
    assert states(merchant, reference) == []


def test_fault_drip(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "drip", seconds=0.002)
    with takes_at_least(0.2):
        answer = refund()
    assert len(answer.body) > 100
    assert answer.json["state"] == "Approved"
    assert states(merchant, reference) == ["Approved"]


def test_fault_errored(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "errored")
    answer = refund()
    assert (answer.status, answer.json["state"]) == (200, "Errored")
    assert answer.json["providerStateCode"] == "FailedAtProvider"
    assert states(merchant, reference) == ["Errored"]


def test_fault_partial(control: SandboxControl, merchant: Merchant, deposit: str) -> None:
    control.fault("detached_refund", "partial")
    answer = merchant.detached(new_reference(), deposit, "10.00")
    assert (answer.json["state"], answer.json["amount"]) == ("Approved", "5.00")


def test_fault_throttled(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "throttled", seconds=7)
    answer = refund()
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert answer.message.startswith("TooManyRequests")
    assert states(merchant, reference) == []


def test_fault_duplicate(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.behaviour(duplicates="execute")
    control.fault("refund", "duplicate")
    assert refund().json["state"] == "Approved"
    assert states(merchant, reference) == ["Approved", "Approved"]


@pytest.mark.parametrize(("policy", "status"), [("reject", 409), ("replay", 200)])
def test_a_duplicate_meets_the_policy_in_force(
    refund: Refund,
    control: SandboxControl,
    merchant: Merchant,
    reference: str,
    policy: str,
    status: int,
) -> None:
    control.behaviour(duplicates=policy)
    control.fault("refund", "duplicate")
    assert refund().status == status
    assert states(merchant, reference) == ["Approved"]


def test_fault_error_body(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "error_body", status=422, code="777", message="Not today.")
    answer = refund()
    assert (answer.status, answer.json) == (422, {"code": "777", "details": {"message": "Not today."}})
    assert states(merchant, reference) == []


def test_fault_bare_error(
    refund: Refund, control: SandboxControl, merchant: Merchant, reference: str
) -> None:
    control.fault("refund", "bare_error", status=422, code="777")
    answer = refund()
    assert (answer.status, answer.json) == (422, {"code": "777"})
    assert states(merchant, reference) == []


def test_fault_error_200(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "error_200", code="1", message="But it was done.")
    answer = refund()
    assert (answer.status, answer.json) == (200, {"code": "1", "details": {"message": "But it was done."}})
    assert states(merchant, reference) == ["Approved"]


def test_fault_mixed(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "mixed", code="1", message="And yet.")
    answer = refund()
    assert answer.status == 200
    assert answer.json["state"] == "Approved"
    assert (answer.code, answer.message) == ("1", "And yet.")
    assert states(merchant, reference) == ["Approved"]


def test_fault_bad_gzip(refund: Refund, control: SandboxControl, merchant: Merchant, reference: str) -> None:
    control.fault("refund", "bad_gzip")
    answer = refund()
    assert (answer.status, answer.headers["content-encoding"]) == (200, "gzip")
    assert answer.body.startswith(b"{")
    assert states(merchant, reference) == ["Approved"]


@pytest.mark.parametrize("fault", ["errored", "undocumented_state"])
def test_a_checkout_that_fails_is_decided_before_its_customer_comes(
    control: SandboxControl, merchant: Merchant, fault: str
) -> None:
    reference = new_reference()
    control.fault("checkout", fault)
    assert merchant.checkout(reference).status == 200
    (state,) = states(merchant, reference)
    assert (state == "Errored") is (fault == "errored")
    assert state != "Approved"


def test_fault_unreadable_record(control: SandboxControl, merchant: Merchant, sale: str) -> None:
    control.fault("status", "unreadable_record")
    own, further = merchant.status(sale).json
    assert (own["state"], own["transactionAmount"]) == ("Approved", 10)
    assert further == own | {"id": None, "transactionAmount": -5}
    assert states(merchant, sale) == ["Approved"]


@pytest.mark.parametrize("fault", ["truncated", "empty", "not_json", "drop_after", "bad_gzip"])
def test_a_refusal_can_be_broken_on_its_way_too(
    control: SandboxControl, merchant: Merchant, fault: str
) -> None:
    control.fault("refund", fault)
    with contextlib.suppress(http.client.HTTPException):
        assert merchant.refund(new_reference(), "unknown").status in {200, 404}
    assert merchant.refund(new_reference(), "unknown").status == 404
