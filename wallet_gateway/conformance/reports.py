"""What a run prints: lines for people, JSON, or the XML that build servers read as JUnit's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

# A report is written with them; nothing is parsed.
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from wallet_gateway.conformance.payer import Payment
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result

_WIDTH: Final = 10
_CONTROLS: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])


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


def payment_lines(payments: Sequence[Payment]) -> Iterator[str]:
    """Yield what was paid, for the person who gives it back."""
    for payment in payments:
        yield f"paid: {payment.amount} {payment.currency}, {payment.type} {payment.reference}"


def as_json(results: Sequence[Result], *, url: str, payments: Sequence[Payment], block: str) -> str:
    """Return the whole run as one JSON object."""
    run = {
        "url": url,
        "counts": {str(outcome): sum(result.outcome is outcome for result in results) for outcome in Outcome},
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
                "amount": payment.amount,
                "currencyCode": payment.currency,
            }
            for payment in payments
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
    attributes = " ".join(f"{name}={_attribute(value)}" for name, value in values.items())
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            f"<testsuite {attributes}>",
            *map(_case, results),
            "</testsuite>",
        ]
    )


_ELEMENTS: Final = {
    Outcome.FAILED: "<failure message={attribute}>{text}</failure>",
    Outcome.SKIPPED: "<skipped message={attribute}/>",
    Outcome.REPORTED: "<system-out>{text}</system-out>",
    Outcome.PASSED: "",
}


def _case(result: Result) -> str:
    area, _, name = result.probe.name.partition(".")
    text = f"{result.probe.section}: {result.probe.title} {result.text}"
    inner = _ELEMENTS[result.outcome].format(attribute=_attribute(result.text), text=escape(_printable(text)))
    return (
        f"<testcase classname={_attribute(area)} name={_attribute(name)}"
        f" time={_attribute(f'{result.seconds:.3f}')}>{inner}</testcase>"
    )


def _attribute(value: object) -> str:
    return quoteattr(_printable(str(value)))


def _printable(text: str) -> str:
    """Leave out what no XML may contain: a gateway may send anything."""
    return text.translate(_CONTROLS).encode("utf-8", "replace").decode("utf-8")
