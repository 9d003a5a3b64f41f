"""The kit as a whole: no answer breaks it, it runs alone, what is needed once is made once, and who pays."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.conformance.wrong_gateways import (
    Ask,
    Request,
    Wrong,
    answered,
    failed,
    gateway_behind,
    of,
    operation_of,
    refusing,
    results_of,
    right,
)
from tests.stub_gateway.server import StubGateway
from tests.support.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.gateway import REFUND, Gateway
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.registry import Probe, select
from wallet_gateway.conformance.results import Failed, Finding, Outcome, Skipped
from wallet_gateway.conformance.run import run
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Unusable
from wallet_gateway.conformance.wire import Unreachable, Wire
from wallet_gateway.testing.sandbox import SandboxServer


@dataclass(frozen=True)
class Answering(Wire):
    """Answers each request in one way."""

    answer: Callable[[str], Answer] = lambda _: answered({})

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        return self.answer(operation_of(method, path, json.loads(body) if body else None))

    def fetch(self, url: str) -> Answer:
        return self.answer(url)


def _constant(value: Any, status: int = 200) -> Callable[[str], Answer]:  # noqa: ANN401  (a JSON value)
    return lambda _: answered(value, status)


def _gone(operation: str) -> Answer:
    raise Unreachable("gateway.example gave no answer: it hung up")


ODD = {
    "null": _constant(None),
    "number": _constant(7),
    "text": _constant("ok"),
    "empty object": _constant({}),
    "empty array": _constant([]),
    "array of arrays": _constant([[], None, 7]),
    "nulls": _constant(dict.fromkeys(("redirectUrl", "state", "id", "apmDetails", "type", "amount"))),
    "objects": _constant({name: {"x": 1} for name in ("redirectUrl", "state", "id", "code", "type")}),
    "not a URL": _constant({"redirectUrl": "http://[", "state": 7, "id": []}),
    "server error": _constant({}, 500),
    "web page": lambda _: Answer(200, "text/html", b"<h1>Shop</h1>"),
    "nothing": lambda _: Answer(204, "", b""),
    "no text": lambda _: Answer(200, "application/json", b"\xff\xfe{"),
    "deep": lambda _: Answer(200, "application/json", b"[" * 100_000),
    "gone": _gone,
}


@every("name", ODD)
def test_no_answer_breaks_the_kit(name: str) -> None:
    wire = Answering("https://gateway.example", answer=ODD[name])
    results = run(
        PROBES, Gateway(wire=wire, account=SANDBOX_ACCOUNT, limit=Decimal(100), seconds_to_appear=0)
    )
    assert len(results) == len(PROBES)
    assert failed(results)


def test_names_of_probes_are_unique_and_each_says_its_section_and_statement() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    for probe in PROBES:
        assert re.fullmatch(r"[a-z-]+(\.[\w.-]+)+", probe.name), probe.name
        assert probe.section, probe.name
        assert "{}" not in probe.title
        assert probe.title.strip(), probe.name


def test_probes_are_chosen_by_area_group_and_name() -> None:
    assert select([]) == PROBES
    assert [probe.name for probe in select(["script"])] == ["script.type", "script.version", "script.entry"]
    names = [probe.name for probe in select(["checkout.timeout", "checkout.minimal"])]
    assert names == [
        "checkout.minimal",
        *(f"checkout.timeout.{each}" for each in ("0", "900", "-1", "901", "fraction")),
    ]
    with pytest.raises(Unusable, match=r"checkout\.time"):
        select(["checkout.time"])


def test_it_runs_without_django_and_without_the_rest_of_the_project() -> None:
    code = (
        "import sys, wallet_gateway.conformance.__main__\n"
        "print([name for name in sys.modules if name.startswith(('django', 'pydantic', 'requests',"
        " 'wallet_gateway.')) and not name.startswith('wallet_gateway.conformance')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_each_end_is_told_as_soon_as_it_is_there(sandbox_url: str) -> None:
    def raising(error: Exception) -> Callable[..., Finding | None]:
        def check(gateway: Gateway) -> Finding | None:
            raise error

        return check

    checks: list[Callable[..., Finding | None]] = [
        lambda _: None,
        raising(Failed("no")),
        raising(Skipped("needs more")),
        raising(Unreachable("it hung up")),
        lambda _: Finding("so", {"SHARES_REFERENCES": True}),
    ]
    told: list[object] = []
    probes = [Probe(name="x.y", section="x", title="x", check=check) for check in checks]
    results = run(probes, gateway_behind(sandbox_url), on_result=told.append)
    assert told == results
    assert [(str(result.outcome), result.text) for result in results] == [
        ("passed", ""),
        ("failed", "no"),
        ("skipped", "needs more"),
        ("failed", "it hung up"),
        ("reported", "so"),
    ]
    assert results[-1].settings == {"SHARES_REFERENCES": True}


# What several probes need


def test_a_payment_is_made_once_for_all_probes(sandbox_url: str) -> None:
    gateway = gateway_behind(sandbox_url)
    assert gateway.paid_sale() is gateway.paid_sale()
    assert gateway.answered(REFUND) is gateway.answered(REFUND)
    assert [payment.type for payment in gateway.payments] == ["ecom.sale"]


def test_references_are_new_each_time_and_in_each_run(sandbox_url: str) -> None:
    gateway = gateway_behind(sandbox_url)
    made = [one.reference() for one in (gateway, gateway, gateway_behind(sandbox_url))]
    assert len(set(made)) == 3
    assert all(len(reference) <= 40 for reference in made)


def test_where_no_checkout_is_accepted_no_refusal_counts(sandbox_url: str) -> None:
    sent: list[str] = []

    def counting(request: Request, ask: Ask) -> Answer:
        sent.append(request.operation)
        return refusing("checkout")(request, ask)

    gateway = gateway_behind(sandbox_url, counting)
    for _ in range(2):
        with pytest.raises(Skipped, match="no payment could be begun"):
            gateway.paid_sale()
    assert len(sent) == 3, "without an address, with one, and the payment"
    ends = {
        result.probe.name: str(result.outcome) for result in results_of(sandbox_url, refusing("checkout"))
    }
    names = (
        "checkout.minimal",
        "checkout.mandatory.amount",
        "cart.quantity.0",
        "follow-ups.mandatory.amount",
    )
    assert [ends[name] for name in names] == ["failed", "skipped", "skipped", "skipped"]


def test_a_gateway_that_throttles_is_waited_for_and_not_called_wrong(sandbox_url: str) -> None:
    left = [429, 429]
    too_many = replace(answered({}, 429), retry_after="0")

    def throttling(request: Request, ask: Ask) -> Answer:
        return replace(too_many, status=left.pop()) if left else ask(request)

    gateway = gateway_behind(sandbox_url, throttling)
    assert gateway.checkout(gateway.plain_checkout()).is_success
    results = results_of(sandbox_url, lambda *_: too_many, "checkout.minimal", "checkout.full")
    assert {result.outcome for result in results} == {Outcome.SKIPPED}
    assert "HTTP 429" in results[0].text


def test_a_record_that_appears_late_is_waited_for(sandbox_url: str) -> None:
    late = [answered([]), answered([])]

    def lagging(request: Request, ask: Ask) -> Answer:
        return late.pop() if late and request.operation == "status" else ask(request)

    gateway = replace(gateway_behind(sandbox_url, lagging), seconds_between_looks=0.01)
    sale = gateway.paid_sale()
    gateway.control = None
    assert gateway.record(sale)["state"] == "Approved"
    assert not late


# Who pays


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


def press_pay(line: str) -> None:
    """Do what a person would with the address that they are shown."""
    if line.startswith("Please pay"):
        [page] = re.findall(r"http://\S+", line)
        opener = urllib.request.build_opener(NoRedirect)
        with pytest.raises(urllib.error.HTTPError, match="303"):
            opener.open(page, data=urlencode({"outcome": "success"}).encode(), timeout=60)


def with_a_person(url: str, say: Callable[[str], None], seconds: float, wrong: Wrong = right) -> Gateway:
    gateway = gateway_behind(url, wrong)
    return replace(
        gateway,
        control=None,
        say=say,
        limit=Decimal("1.00"),
        seconds_to_pay=seconds,
        seconds_between_looks=0.01,
    )


def test_a_person_is_shown_the_page_and_pays_up_to_the_limit(sandbox_url: str) -> None:
    gateway = with_a_person(sandbox_url, press_pay, 60)
    paid = gateway.paid_sale()
    assert gateway.payments == [paid]
    assert gateway.record(paid)["state"] == "Approved"
    with pytest.raises(Skipped, match=r"more than the limit of 1\.00 EUR"):
        gateway.authorization()


@every(
    ("seconds", "page", "said", "why"),
    [
        (0.02, "https://gateway.example/1", 2, r"nobody paid within 0\.02 seconds"),
        (0, "https://gateway.example/1", 1, "--wait is 0"),
        (1, "", 1, "no page to pay on"),
        (1, "/pay", 1, "no page to pay on"),
        (1, "https://gateway.example/\x1b[2J", 1, "no page to pay on"),
        (1, "javascript:pay()", 1, "no page to pay on"),
    ],
)
def test_a_person_is_not_waited_for_for_ever_and_shown_pages_only(
    seconds: float, page: str, said: int, why: str, sandbox_url: str
) -> None:
    lines: list[str] = []

    def elsewhere(request: Request, ask: Ask) -> Answer:
        return answered({"redirectUrl": page}) if request.operation == "checkout" else ask(request)

    gateway = with_a_person(sandbox_url, lines.append, seconds, elsewhere)
    with pytest.raises(Skipped, match=why):
        gateway.paid_sale()
    assert (
        lines
        == [
            "Moves money: a payment (ecom.sale), 1.00 EUR",
            "Please pay 1.00 EUR (ecom.sale) within 0.02 seconds at https://gateway.example/1",
        ][:said]
    )
    assert gateway.payments == []


# The control interface of a sandbox


def test_a_sandbox_is_known_by_its_control_interface_and_given_its_key(sandbox_url: str) -> None:
    control = find_control(Wire(sandbox_url), SANDBOX_ACCOUNT, key="not asked for")
    assert control is not None
    assert control.headers == {}, "a key is for a sandbox that asks for it"
    with pytest.raises(Skipped, match="control interface answered HTTP 404"):
        control.complete_checkout("never-opened")
    with SandboxServer(control_key="secret") as server:
        wire = Wire(server.base_url)
        found = [find_control(wire, SANDBOX_ACCOUNT, key=key) for key in ("secret", "another", "")]
    assert found[1:] == [None, None]
    assert found[0] is not None
    assert "secret" not in repr(found[0])


def test_any_other_gateway_has_none(sandbox_url: str) -> None:
    for url in (f"{sandbox_url}/elsewhere", "http://127.0.0.1:9"):
        assert find_control(Wire(url), SANDBOX_ACCOUNT) is None


# Another reading of the document

NOT_BUILT = {
    "checkout.page",  # it has none
    "status.identification.merchantId",  # it has one merchant, and asks nobody who they are
    "status.identification.storeId",
    "status.pre-authorization.shipping",  # a habit, which a plain stub has not
}
"""What the stub leaves out, other than refusals."""


def test_of_a_gateway_written_from_the_document_alone_the_kit_misses_refusals_only() -> None:
    with StubGateway() as stub:

        def pay(line: str) -> None:
            if line.startswith("Please pay"):
                stub.pay(line.rpartition(" at ")[2])

        results = run(
            PROBES,
            Gateway(
                wire=Wire(stub.url),
                account=SANDBOX_ACCOUNT,
                limit=Decimal(1000),
                seconds_to_pay=60,
                seconds_to_appear=0,
                say=pay,
            ),
        )
    found = of(results, Outcome.FAILED)
    assert {name for name, text in found.items() if not text.startswith("it is not refused")} == NOT_BUILT
    assert {"checkout.full", "status.record.transactionAmount", "follow-ups.response.id"} <= set(
        of(results, Outcome.PASSED)
    )
