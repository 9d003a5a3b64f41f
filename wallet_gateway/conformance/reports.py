"""What a run prints: lines for people, JSON, or the XML that build servers read as JUnit's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

# A report is written with it; nothing is parsed.
from xml.etree import ElementTree

from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result

_WIDTH: Final = 10
_NOT_IN_XML: Final = dict.fromkeys(
    [*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF]
)


def text_line(result: Result) -> str:
    """Return the lines on one probe: name and statement, and below it what was found."""
    found = "".join(mark if mark.isprintable() else "?" for mark in result.text)
    word = result.outcome.upper() if result.outcome is Outcome.FAILED else result.outcome
    line = f"{word:<{_WIDTH}}{result.probe.name}: {result.probe.title}"
    return f"{line}\n{'':<{_WIDTH}}{found}" if found else line


def summary(results: Sequence[Result]) -> str:
    """Return the counts of all outcomes, and the time."""
    counts = Counter(result.outcome for result in results)
    counted = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)
    return f"{counted} in {sum(result.seconds for result in results):.1f} seconds"


def payment_lines(gateway: Gateway) -> list[str]:
    """Return what was paid, for the person who gives it back."""
    amount = f"{gateway.account.amount} {gateway.account.currency}"
    return [f"paid: {amount}, {payment.type} {payment.reference}" for payment in gateway.payments]


def as_json(results: Sequence[Result], *, url: str, gateway: Gateway, block: str) -> str:
    """Return the whole run as one JSON object."""
    counts = Counter(result.outcome for result in results)
    run = {
        "url": url,
        "counts": {outcome: counts[outcome] for outcome in Outcome},
        "probes": [
            {
                "name": result.probe.name,
                "section": result.probe.section,
                "statement": result.probe.title,
                "outcome": result.outcome,
                "text": result.text,
                "settings": result.settings,
                "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
        "payments": [
            {
                "clientSystemTransactionId": payment.reference,
                "type": payment.type,
                "amount": gateway.account.amount,
                "currencyCode": gateway.account.currency,
            }
            for payment in gateway.payments
        ],
        "settings": block,
    }
    return json.dumps(run, indent=2)


def as_junit(results: Sequence[Result], *, url: str) -> str:
    """Return the run as JUnit's XML: a probe is a test case, its area the class."""
    counts = Counter(result.outcome for result in results)
    values = {
        "name": f"conformance of {url}",
        "tests": len(results),
        "failures": counts[Outcome.FAILED],
        "errors": 0,
        "skipped": counts[Outcome.SKIPPED],
        "time": f"{sum(result.seconds for result in results):.3f}",
    }
    suite = ElementTree.Element("testsuite", {name: str(value) for name, value in values.items()})
    for result in results:
        area, _, name = result.probe.name.partition(".")
        seconds = f"{result.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", classname=area, name=name, time=seconds)
        # What no XML may contain is left out: a gateway may send anything.
        found = result.text.translate(_NOT_IN_XML)
        said = f"{result.probe.section}: {result.probe.title} {found}"
        if result.outcome is Outcome.FAILED:
            ElementTree.SubElement(case, "failure", message=found).text = said
        elif result.outcome is Outcome.SKIPPED:
            ElementTree.SubElement(case, "skipped", message=found)
        elif result.outcome is Outcome.REPORTED:
            ElementTree.SubElement(case, "system-out").text = said
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode")
