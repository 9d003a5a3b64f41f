"""What becomes of records that stand beside our own: another amount, another type, another transaction's."""

from __future__ import annotations

from typing import Any

from tests.domain import gateway_words
from tests.domain.gateway_words import OURS
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent
from wallet_gateway.domain.outcomes import (
    EVENTS,
    Finding,
    FoundDiscrepancy,
    Verdict,
    made_elsewhere,
    read_records,
)
from wallet_gateway.domain.record_attribution import Expectation, ExpectedRecord
from wallet_gateway.domain.unknown_types import unknown_type_explanation
from wallet_gateway.domain.unreadable_records import unreadable_explanation
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord

V, K = Verdict, DiscrepancyKind
SHARED = "ORIGINAL"


def expecting(**changes: Any) -> Expectation:
    return gateway_words.expecting(**{"other_references": frozenset({SHARED})} | changes)


def record(**changes: Any) -> StatusRecord:
    return gateway_words.record(**{"client_system_transaction_id": SHARED} | changes)


OWN, REFUND = record(), record(id="g5", type="ecom.refund")
CHARGEBACK = record(id="g6", type="ecom.chargeback", client_system_transaction_id=OURS)
UNREADABLE = UnreadableRecord(
    id=None, type=None, client_system_transaction_id=None, complaint="id: is missing", fingerprint="f1"
)


def test_every_verdict_has_its_own_event() -> None:
    assert EVENTS == {
        V.APPROVED: LifecycleEvent.APPROVED,
        V.REJECTED: LifecycleEvent.REJECTED,
        V.PENDING: LifecycleEvent.HELD,
        V.CONTRADICTION: LifecycleEvent.CONTRADICTED,
    }


# Under a reference that transactions share


@every(
    ("state", "elsewhere"),
    [("Approved", ["g2"]), ("Errored", []), ("Pending", [])],
)
def test_beside_a_record_of_our_amount_one_of_another_amount_is_another_s(
    state: str, elsewhere: list[str]
) -> None:
    odd = record(id="g2", transaction_amount="4.00", state=state)
    found = read_records([OWN, odd], expecting())
    assert (found.verdict, found.record_id) == (V.APPROVED, "g1")
    assert [one.id for one in found.elsewhere] == elsewhere


def test_a_record_of_another_amount_that_stands_alone_is_ours_and_differs() -> None:
    found = read_records([record(transaction_amount="4.00")], expecting())
    assert (found.verdict, found.shown_discrepancy, found.elsewhere) == (
        V.CONTRADICTION,
        K.AMOUNT_DIFFERS,
        (),
    )


def test_before_ours_is_known_two_of_our_amount_are_two_executions() -> None:
    found = read_records([OWN, record(id="g2")], expecting())
    assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, K.EXECUTED_TWICE)


# What another of our transactions explains


def sibling(**changes: Any) -> ExpectedRecord:
    given: dict[str, Any] = {
        "references": frozenset({SHARED}),
        "wire_type": "ecom.refund",
        "amount": 1000,
    } | changes
    return ExpectedRecord(**given)


@every(
    "changes",
    [
        {"references": frozenset({"ANOTHER"})},
        {"wire_type": "ecom.reversalpreauthorization"},
        {"amount": 999},
    ],
)
def test_a_record_is_explained_by_reference_type_and_amount_together(changes: dict[str, Any]) -> None:
    assert read_records([REFUND], expecting(expected_elsewhere=(sibling(),))).elsewhere == ()
    found = read_records([REFUND], expecting(expected_elsewhere=(sibling(**changes),)))
    assert found.elsewhere == (REFUND,)


def test_a_record_that_was_explained_explains_no_record_of_another_type_with_its_id() -> None:
    same_id = record(id="g5", type="ecom.sale")
    found = read_records([REFUND, same_id], expecting(expected_elsewhere=(sibling(),)))
    assert found.elsewhere == (same_id,)


def test_a_record_that_is_shown_twice_does_not_end_the_search() -> None:
    one_more = record(id="g7", type="ecom.refund")
    found = read_records([REFUND, REFUND, one_more], expecting(expected_elsewhere=(sibling(),)))
    assert found.elsewhere == (one_more,)


# What is told besides


def test_beside_what_may_be_our_own_all_the_rest_is_told() -> None:
    found = read_records([REFUND, CHARGEBACK], expecting(), [UNREADABLE])
    assert found == Finding(
        verdict=V.INCONCLUSIVE,
        explanation=unreadable_explanation([UNREADABLE]),
        elsewhere=(REFUND,),
        unknown_types=(CHARGEBACK,),
        unreadable=(UNREADABLE,),
        own_unreadable=True,
    )


@every(
    ("changes", "is_unknown"),
    [
        ({"state": "Pending"}, True),
        ({"state": "Opened"}, True),
        ({"state": "Errored"}, False),
        ({"state": "ERRORED"}, False),
        ({"client_system_transaction_id": "REF-9"}, False),
        ({"type": "DETACHED.Refund"}, False),
    ],
    ids=["pending", "a state of its own", "errored", "in other letters", "foreign", "a known type"],
)
def test_a_type_is_unknown_in_any_state_that_moved_something(
    changes: dict[str, Any], is_unknown: bool
) -> None:
    strange = record(**({"id": "g5", "type": "chargeback"} | changes))
    assert read_records([strange], expecting()).unknown_types == ((strange,) if is_unknown else ())


def test_a_record_of_an_unknown_type_explains_an_absence_and_decides_nothing() -> None:
    found = read_records([OWN, CHARGEBACK], expecting())
    assert (found.verdict, found.record_id, found.elsewhere) == (V.APPROVED, "g1", ())
    assert (found.explanation, found.unknown_types, found.shown_discrepancy) == (
        None,
        (CHARGEBACK,),
        K.UNKNOWN_TYPE,
    )
    absent = read_records([CHARGEBACK], expecting())
    assert (absent.absent, absent.explanation) == (False, unknown_type_explanation(CHARGEBACK))
    of_original = record(type="chargeback")
    under_original = read_records([of_original], expecting())
    assert (under_original.absent, under_original.unknown_types) == (True, (of_original,))


TWICE = FoundDiscrepancy(kind=K.EXECUTED_TWICE)


@every(
    ("changes", "shown"),
    [
        ({}, None),
        ({"undocumented_state": "Settled"}, K.UNKNOWN_STATE),
        ({"unknown_types": (CHARGEBACK,)}, K.UNKNOWN_TYPE),
        ({"unreadable": (UNREADABLE,)}, K.RECORD_UNREADABLE),
        ({"unreadable": (UNREADABLE,), "unknown_types": (CHARGEBACK,)}, K.RECORD_UNREADABLE),
        ({"discrepancies": (TWICE,)}, K.EXECUTED_TWICE),
        ({"discrepancies": (TWICE,), "unknown_types": (CHARGEBACK,)}, K.EXECUTED_TWICE),
        ({"discrepancies": (TWICE,), "unreadable": (UNREADABLE,)}, K.EXECUTED_TWICE),
    ],
)
def test_the_gravest_discrepancy_is_shown(changes: dict[str, Any], shown: DiscrepancyKind | None) -> None:
    assert Finding(verdict=V.INCONCLUSIVE, **changes).shown_discrepancy is shown


def test_an_answer_of_which_nothing_is_known_is_no_absence_and_hides_nothing() -> None:
    bare = Finding(verdict=V.INCONCLUSIVE)
    assert (bare.absent, bare.own_unreadable, expecting().may_be_less) == (False, False, False)


# The words


def test_what_was_made_elsewhere_is_described() -> None:
    assert made_elsewhere(REFUND) == explain(
        ExplanationCode.MADE_ELSEWHERE, type="ecom.refund", given="10.00", currency="EUR", record="g5"
    )


def test_a_record_of_an_unknown_type_is_described() -> None:
    assert unknown_type_explanation(CHARGEBACK) == explain(
        ExplanationCode.UNKNOWN_TYPE,
        type="ecom.chargeback",
        state="Approved",
        given="10.00",
        currency="EUR",
        record="g6",
    )


def test_differences_are_described_with_both_values() -> None:
    told = read_records([record(transaction_amount="9.00")], expecting())
    assert told.shown_discrepancy is K.AMOUNT_DIFFERS
    assert told.explanation == explain(
        ExplanationCode.AMOUNT_DIFFERS, record="g1", given="9.00", requested="10.00", currency="EUR"
    )
    told = read_records([record(currency_code="USD")], expecting())
    assert told.shown_discrepancy is K.CURRENCY_DIFFERS
    assert told.explanation == explain(
        ExplanationCode.CURRENCY_DIFFERS, record="g1", given="USD", requested="EUR"
    )
