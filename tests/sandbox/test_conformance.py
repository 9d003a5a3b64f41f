"""The sandbox against the conformance kit, which reads the interface document for itself.

It must be green in each behaviour that a gateway may have, and the kit must notice the behaviour.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.wrong_gateways import gateway_behind
from tests.exhaustive import one_of
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.wire import HttpWire
from wallet_gateway.testing.control import SandboxControl

NOTHING: dict[str, str] = {}
A_MINUTE = 60
"""The kit takes a second or two; this leaves a busy machine room."""


def of(results: list[Result], outcome: Outcome) -> dict[str, str]:
    return {result.probe.name: result.text for result in results if result.outcome is outcome}


@pytest.mark.parametrize(
    ("behaviour", "point", "text"),
    one_of(
        [
            ({}, "answer-case", "they are"),
            ({"letter_case": "pascal"}, "answer-case", "other spellings: Id, State"),
            ({"letter_case": "lower"}, "answer-case", "other spellings: providerstatecode"),
            ({"duplicates": "replay"}, "same-refund", "the second is answered as the first"),
            ({"duplicates": "execute"}, "same-refund", "both are executed"),
            ({"share_references": True}, "references", "a refund is reported under its own reference only"),
            ({"another_card": True}, "unpaid", "HTTP 200 with an array of 0"),
        ]
    ),
)
def test_the_sandbox_is_conformant(
    behaviour: dict[str, Any], point: str, text: str, control: SandboxControl
) -> None:
    control.behaviour(**behaviour)
    results = run(PROBES, gateway_behind(HttpWire(control.base_url), control.base_url))
    assert of(results, Outcome.FAILED) == of(results, Outcome.SKIPPED) == NOTHING
    assert sum(result.seconds for result in results) < A_MINUTE
    assert of(results, Outcome.REPORTED)[f"open.{point}"].startswith(text)


def test_an_amount_that_is_a_number_is_no_string(control: SandboxControl) -> None:
    control.behaviour(numeric_amounts=True)
    results = run(PROBES, gateway_behind(HttpWire(control.base_url), control.base_url))
    assert set(of(results, Outcome.FAILED)) == {"detached.response.amount"}
