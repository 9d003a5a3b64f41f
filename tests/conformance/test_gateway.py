"""The gateway as probes see it: what is needed once is made once, and a broken baseline says nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    WrongWire,
    answered,
    gateway_behind,
    refusing,
    wrong,
)
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.gateway import REFUND, Gateway
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.results import Outcome, Skipped
from wallet_gateway.conformance.run import run
from wallet_gateway.conformance.wire import HttpWire


@pytest.fixture
def gateway(sandbox_url: str) -> Gateway:
    return gateway_behind(HttpWire(sandbox_url), sandbox_url)


def test_a_payment_is_made_once_for_all_probes(gateway: Gateway) -> None:
    assert gateway.paid_sale() is gateway.paid_sale()
    assert gateway.answered(REFUND) is gateway.answered(REFUND)
    assert [payment.type for payment in gateway.payments] == ["ecom.sale"]


def test_references_are_new_each_time_and_in_each_run(gateway: Gateway, sandbox_url: str) -> None:
    other = gateway_behind(HttpWire(sandbox_url), sandbox_url)
    made = [one.reference() for one in (gateway, gateway, other)]
    assert len(set(made)) == 3
    assert all(len(reference) <= 40 for reference in made)


def test_what_could_not_be_made_is_not_tried_again(sandbox_url: str) -> None:
    sent: list[str] = []

    def count(request: Request) -> Request | Answer:
        sent.append(request.operation)
        return refusing("checkout")(request)

    gateway = gateway_behind(WrongWire(HttpWire(sandbox_url), wrong("x", mend=count)), sandbox_url)
    for _ in range(2):
        with pytest.raises(Skipped, match="no payment could be begun"):
            gateway.paid_sale()
    assert len(sent) == 3, "without an address, with one, and the payment"


def test_where_no_checkout_is_accepted_no_refusal_counts(sandbox_url: str) -> None:
    row = wrong("accepts nothing", mend=refusing("checkout"))
    results = run(PROBES, gateway_behind(WrongWire(HttpWire(sandbox_url), row), sandbox_url))
    outcomes = {result.probe.name: result.outcome for result in results}
    assert outcomes["checkout.minimal"] is Outcome.FAILED
    assert outcomes["checkout.mandatory.amount"] is Outcome.SKIPPED
    assert outcomes["cart.quantity.0"] is Outcome.SKIPPED
    assert outcomes["follow-ups.mandatory.amount"] is Outcome.SKIPPED


def test_a_gateway_that_throttles_is_waited_for(sandbox_url: str) -> None:
    left = [429, 429]

    def throttle(request: Request) -> Request | Answer:
        return replace(answered({}, left.pop()), retry_after="0") if left else request

    gateway = gateway_behind(WrongWire(HttpWire(sandbox_url), wrong("x", mend=throttle)), sandbox_url)
    assert gateway.checkout(gateway.plain_checkout()).is_success


def test_one_that_throttles_for_ever_is_not_called_wrong(sandbox_url: str) -> None:
    row = wrong("x", mend=lambda _: replace(answered({}, 429), retry_after="0"))
    gateway = gateway_behind(WrongWire(HttpWire(sandbox_url), row), sandbox_url)
    results = run(PROBES[:5], gateway)
    assert {result.outcome for result in results} == {Outcome.SKIPPED}
    assert "HTTP 429" in results[0].text


def test_a_record_that_appears_late_is_waited_for(sandbox_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wallet_gateway.conformance.gateway._SECONDS_BETWEEN_LOOKS", 0.01)
    late = [answered([]), answered([])]

    def lag(request: Request) -> Request | Answer:
        return late.pop() if late and request.operation == "status" else request

    gateway = gateway_behind(WrongWire(HttpWire(sandbox_url), wrong("x", mend=lag)), sandbox_url)
    gateway.is_patient = True
    sale = gateway.paid_sale()
    assert gateway.record(sale.reference, sale.type)["state"] == "Approved"
    assert not late
