"""Reports: lines for people, JSON and XML for machines, whatever a gateway has sent."""

from __future__ import annotations

import json
from decimal import Decimal
from xml.etree import ElementTree

from wallet_gateway.conformance.gateway import Gateway, Payment
from wallet_gateway.conformance.registry import Probe
from wallet_gateway.conformance.reports import as_json, as_junit, text_line
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import Wire


def result(name: str, outcome: Outcome, text: str = "") -> Result:
    probe = Probe(name=name, section="Errors", title="It <is> so.", check=lambda _: None)
    return Result(probe=probe, outcome=outcome, text=text, seconds=0.5)


RESULTS = [
    result("errors.code", Outcome.PASSED),
    result("errors.json.checkout", Outcome.FAILED, 'it is "<h1>\x00\ud800 & none'),
    result("errors.details", Outcome.SKIPPED, "there is none"),
    result("open.states", Outcome.REPORTED, "Approved"),
]
URL = "https://gateway.example"
GATEWAY = Gateway(
    wire=Wire(URL), account=SANDBOX_ACCOUNT, limit=Decimal(1), payments=[Payment("KIT-1", "ecom.sale")]
)


def test_a_line_has_outcome_name_statement_and_finding() -> None:
    assert text_line(RESULTS[0]) == "passed    errors.code: It <is> so."
    assert text_line(RESULTS[2]) == "skipped   errors.details: It <is> so.\n          there is none"
    assert text_line(RESULTS[1]).startswith("FAILED    errors.json.checkout: ")


def test_what_a_gateway_said_cannot_steer_a_terminal() -> None:
    said = result("open.states", Outcome.REPORTED, "a\x1b[2Jb\nc\ud800")
    assert text_line(said).endswith("\n          a?[2Jb?c?")


def test_json_has_everything() -> None:
    run = json.loads(as_json(RESULTS, url=URL, gateway=GATEWAY, block="WALLET_GATEWAY = {}"))
    assert run["url"] == URL
    assert run["counts"] == {"passed": 1, "failed": 1, "skipped": 1, "reported": 1}
    assert run["probes"][2] == {
        "name": "errors.details",
        "section": "Errors",
        "statement": "It <is> so.",
        "outcome": "skipped",
        "text": "there is none",
        "settings": {},
        "seconds": 0.5,
    }
    assert run["payments"][0]["clientSystemTransactionId"] == "KIT-1"
    assert run["settings"] == "WALLET_GATEWAY = {}"


def test_junit_is_xml_that_counts() -> None:
    suite = ElementTree.fromstring(as_junit(RESULTS, url=URL))
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "4",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
        "time": "2.000",
    }
    cases = suite.findall("testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases[:2]] == [
        ("errors", "code"),
        ("errors", "json.checkout"),
    ]
    assert [[inner.tag for inner in case] for case in cases] == [[], ["failure"], ["skipped"], ["system-out"]]
    failure = cases[1].find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith('it is "<h1>')
