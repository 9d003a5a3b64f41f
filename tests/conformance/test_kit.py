"""The kit as a whole: no statement that nothing can break, no answer that breaks the kit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.conformance.probes import (
    test_addresses,
    test_cart,
    test_checkout,
    test_detached_refunds,
    test_errors,
    test_follow_ups,
    test_status,
    test_wallet,
)
from tests.conformance.wrong_gateways import (
    Request,
    WrongWire,
    answered,
    approval,
    failed,
    gateway_behind,
    operation_of,
    results_of,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.payer import Limit, Person
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.run import run
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire, Unreachable

TABLES = (
    test_addresses,
    test_cart,
    test_checkout,
    test_detached_refunds,
    test_errors,
    test_follow_ups,
    test_status,
    test_wallet,
)
MUST_BE_REFUSED = re.compile(r"\b(?:is|are) refused\b|\bnot (?:created|told|pay|authorized|tell)\b")


def _accepting(request: Request, answer: Answer) -> Answer:
    """Accepts whatever the sandbox refuses."""
    if not answer.is_refusal:
        return answer
    body = request.body if isinstance(request.body, dict) else {}
    values = {
        "checkout": {"redirectUrl": "https://gateway.example/1"},
        "status": [approval({}) | {"type": "ecom.sale"}],
        "get": {"cardType": "Token"},
        "create": {"transactionAccountId": "made-up"},
    }
    return answered(values.get(request.operation, approval(body)))


def test_a_gateway_that_refuses_nothing_fails_every_probe_of_a_refusal(sandbox_url: str) -> None:
    results = results_of(sandbox_url, wrong("refuses nothing", spoil=_accepting))
    wanted = {probe.name for probe in PROBES if MUST_BE_REFUSED.search(probe.title)}
    assert len(wanted) > 100
    assert wanted - failed(results) == set()


def _refusing(request: Request) -> Request | Answer:
    """Accepts no checkout and no account."""
    is_refused = request.operation in ("checkout", "create")
    return answered({"code": "4107940"}, 400) if is_refused else request


def test_every_statement_is_broken_by_some_wrong_gateway(sandbox_url: str) -> None:
    named = {name for table in TABLES for row in table.WRONG for name in row.probes}
    named |= {probe.name for probe in PROBES if MUST_BE_REFUSED.search(probe.title)}
    named |= failed(results_of(sandbox_url, wrong("accepts nothing", mend=_refusing)))
    # The script has tables of its own, and open points cannot fail.
    statements = {probe.name for probe in PROBES if not probe.name.startswith(("script.", "open."))}
    assert statements - named == set()


@dataclass(frozen=True)
class Answering:
    """Answers each request in one way."""

    answer: Callable[[str], Answer]

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


def gateway_answering(answer: Callable[[str], Answer]) -> Gateway:
    return Gateway(
        wire=Answering(answer),
        host="gateway.example",
        account=SANDBOX_ACCOUNT,
        payer=Person(say=lambda _: None, seconds=0),
        limit=Limit(Decimal(100), currency="EUR", say=lambda _: None),
        is_patient=False,
    )


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
    results = run(PROBES, gateway_answering(ODD[name]))
    assert len(results) == len(PROBES)
    assert failed(results)


def test_names_of_probes_are_unique_and_each_says_its_section_and_statement() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    for probe in PROBES:
        assert re.fullmatch(r"[a-z-]+(\.[\w.-]+)+", probe.name), probe.name
        assert probe.section, probe.name
        assert "{}" not in probe.title
        assert probe.title.strip(), probe.name


def test_it_runs_without_django_and_without_the_rest_of_the_project() -> None:
    code = (
        "import sys, wallet_gateway.conformance.__main__\n"
        "print([name for name in sys.modules if name.startswith(('django', 'pydantic', 'requests',"
        " 'wallet_gateway.')) and not name.startswith('wallet_gateway.conformance')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_wire_of_the_tests_changes_nothing_by_itself(sandbox_url: str) -> None:
    wire = WrongWire(HttpWire(sandbox_url), wrong("right"))
    assert failed(run(PROBES, gateway_behind(wire, sandbox_url))) == set()
