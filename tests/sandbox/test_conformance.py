"""The sandbox against the conformance kit, which reads the interface document for itself.

It must be green in each behaviour that a gateway may have, and the kit must notice the behaviour.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.wrong_gateways import of, results_of, right
from tests.support.exhaustive import one_of
from tests.support.tables import every
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.testing.control import SandboxControl

NOTHING: dict[str, str] = {}
A_MINUTE = 60
"""The kit takes a second or two; this leaves a busy machine room."""


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
            ({"newest_first": True}, "shared-records", "they have none"),
            ({"errored_amount": "0.00"}, "errored-amount", "0.00, where 1.00 was requested"),
            ({"placeholder_ids": "zeros"}, "unapproved-ids", "no: several payments share the id '0000"),
            ({"portal_references": "own"}, "portal-references", "one of the gateway's own, such as 'PORTAL-"),
        ]
    ),
)
def test_the_sandbox_is_conformant(
    behaviour: dict[str, Any], point: str, text: str, control: SandboxControl
) -> None:
    control.behaviour(**behaviour)
    results = results_of(control.base_url, right)
    assert of(results, Outcome.FAILED) == of(results, Outcome.SKIPPED) == NOTHING
    assert sum(result.seconds for result in results) < A_MINUTE
    assert of(results, Outcome.REPORTED)[f"open.{point}"].startswith(text)


AMOUNT, IDS, WORDS, PORTAL = (
    f"open.{name}" for name in ("errored-amount", "unapproved-ids", "state-words", "portal-references")
)


@every(
    ("behaviour", "probe", "text"),
    [
        ({}, AMOUNT, "the amount that was requested"),
        ({"errored_amount": "null"}, AMOUNT, "null, where 1.00 was requested"),
        ({"errored_amount": "100"}, AMOUNT, "100, where 1.00 was requested"),
        ({"errored_amount": "0.5", "state_words": {"Errored": "Void"}}, AMOUNT, "0.5, where 1.00"),
        ({}, IDS, "they have"),
        ({"placeholder_ids": "zero"}, IDS, "no: several payments share the id '0'"),
        ({"placeholder_ids": "empty", "state_words": {"Pending": "Queued"}}, IDS, "no: several payments"),
        ({}, WORDS, "none"),
        ({"state_words": {"Approved": "APPROVED", "Errored": "errored"}}, WORDS, "none"),
        (
            {"state_words": {"Errored": "Void", "Pending": "Queued"}},
            WORDS,
            "there are 'Void', 'Queued'; teach",
        ),
        ({"state_words": {"Approved": "Captured"}}, WORDS, "there are 'Captured'; teach adapt_answer"),
        ({}, PORTAL, "its original's"),
        (
            {"portal_references": "own", "state_words": {"Approved": "Done"}},
            PORTAL,
            "one of the gateway's own",
        ),
    ],
)
def test_the_kit_reports_how_the_sandbox_writes_it(
    behaviour: dict[str, Any], probe: str, text: str, control: SandboxControl
) -> None:
    control.reset()
    control.behaviour(**behaviour)
    [result] = results_of(control.base_url, right, probe)
    assert result.outcome is Outcome.REPORTED
    assert result.text.startswith(text)


def test_another_word_for_approved_and_an_amount_as_a_number_break_the_interface(
    control: SandboxControl,
) -> None:
    control.behaviour(state_words={"Approved": "Settled", "Errored": "Declined", "Pending": "Processing"})
    control.behaviour(numeric_amounts=True)
    results = results_of(control.base_url, right)
    assert set(of(results, Outcome.FAILED)) == {
        "detached.response.amount",
        "detached.response.approved",
        "follow-ups.capture.state",
        "follow-ups.refund.state",
        "follow-ups.reversal.state",
        "status.errored.state",
        "status.record.approved",
        "wallet.authorization.ecom.preauthorization",
        "wallet.authorization.ecom.sale",
    }
