"""Records of types that the interface does not name: pointed out, and no evidence for or against anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import Verdict, read_records
from wallet_gateway.domain.record_attribution import Expectation
from wallet_gateway.protocol.status import StatusRecord

V, K = Verdict, DiscrepancyKind
EXPECTED = Expectation(reference="REF-1", wire_type="ecom.capture", currency="EUR", amount=1000)


def record(**changes: Any) -> StatusRecord:
    given = {
        "id": "g1",
        "state": "Approved",
        "currency_code": "EUR",
        "transaction_amount": "10.00",
        "client_system_transaction_id": "REF-1",
        "type": "ecom.capture",
    } | changes
    return StatusRecord.build(**given)


CHARGEBACK = record(id="g5", type="ecom.chargeback")


def test_a_record_of_an_unknown_type_decides_nothing_and_is_pointed_out() -> None:
    found = read_records([CHARGEBACK, record()], EXPECTED)
    assert (found.verdict, found.record_id, found.unknown_types) == (V.APPROVED, "g1", (CHARGEBACK,))
    assert (found.elsewhere, found.shown_discrepancy) == ((), K.UNKNOWN_TYPE)


@every(
    ("changes", "is_unknown"),
    [
        ({"state": "Pending"}, True),
        ({"state": "Opened"}, True),
        ({"state": "Errored"}, False),
        ({"client_system_transaction_id": "REF-9"}, False),
        ({"type": "DETACHED.Refund"}, False),
    ],
    ids=["pending", "a state of its own", "errored", "foreign", "a known type"],
)
def test_a_type_is_unknown_in_any_state_that_moved_something(
    changes: dict[str, Any], is_unknown: bool
) -> None:
    strange = record(**({"id": "g5", "type": "chargeback"} | changes))
    assert read_records([strange], EXPECTED).unknown_types == ((strange,) if is_unknown else ())


def test_a_gateway_that_has_an_unknown_type_under_our_reference_knows_the_transaction() -> None:
    found = read_records([CHARGEBACK], EXPECTED)
    assert (found.verdict, found.absent) == (V.INCONCLUSIVE, False)
    assert found.explanation is not None
    assert found.explanation.code == "unknown_type"


def test_an_unknown_type_under_the_originals_reference_is_no_record_of_a_follow_up() -> None:
    of_original = record(type="chargeback", client_system_transaction_id="ORIGINAL")
    shared = replace(EXPECTED, other_references=frozenset({"ORIGINAL"}))
    found = read_records([of_original], shared)
    assert (found.absent, found.unknown_types) == (True, (of_original,))
