"""Whose a record is: by id and type, under shared references, and where it was made elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.domain.gateway_words import CAPTURE, OURS, expecting, follow_up, record
from tests.explanations import explained
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import LONGEST_RECORD_ID, Verdict, read_follow_up_answer, read_records
from wallet_gateway.domain.record_attribution import ExpectedRecord
from wallet_gateway.protocol.status import StatusRecord

V, K = Verdict, DiscrepancyKind
R = record


# Records of other transactions


def test_a_record_that_belongs_to_another_transaction_is_not_ours() -> None:
    expected = expecting(taken=frozenset({("g1", "ecom.capture")}))
    assert read_records([record()], expected).absent
    assert read_records([record(), record(id="g2")], expected).record_id == "g2"


def test_a_record_is_taken_by_id_and_type_together() -> None:
    expected = expecting(taken=frozenset({("g1", "ecom.refund")}))
    assert read_records([record()], expected).verdict is V.APPROVED


def test_a_record_under_the_originals_reference_is_ours_where_references_are_shared() -> None:
    filed = record(client_system_transaction_id="ORIGINAL")
    assert read_records([filed], CAPTURE).absent
    shared = expecting(other_references=frozenset({"ORIGINAL"}))
    assert read_records([filed], shared).verdict is V.APPROVED


def test_once_a_record_is_attributed_another_one_under_a_shared_reference_was_made_elsewhere() -> None:
    shared = expecting(other_references=frozenset({"ORIGINAL"}), reported_id="g1")
    own = record(client_system_transaction_id="ORIGINAL")
    strange = record(id="g2", client_system_transaction_id="ORIGINAL", transaction_amount="1.00")
    found = read_records([own, strange], shared)
    assert (found.verdict, found.record_id, found.elsewhere) == (V.APPROVED, "g1", (strange,))


def test_a_second_record_under_our_own_reference_is_a_second_execution() -> None:
    found = read_records([record(), record(id="g2")], expecting(reported_id="g1"))
    assert found.shown_discrepancy is K.EXECUTED_TWICE


@every(
    ("records", "verdict", "detail"),
    [
        ([R()], V.APPROVED, ""),
        ([R(), R()], V.APPROVED, ""),
        ([R(), R(id="g2", state="Errored")], V.APPROVED, ""),
        ([R(id="g2")], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
        ([R(), R(id="g2")], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
        ([R(id="g2"), R(id="g3")], V.CONTRADICTION, "executed_twice ids='g1, g2, g3'"),
        # That another card was declined says nothing of the record by which it was booked.
        ([R(id="g2", state="Errored")], V.INCONCLUSIVE, "no_record"),
        ([R(state="Errored")], V.REJECTED, "errored"),
        ([R(state="Pending")], V.PENDING, ""),
        ([], V.INCONCLUSIVE, "no_record"),
    ],
    ids=str,
)
def test_what_was_approved_by_one_record_is_not_confirmed_by_another(
    records: list[StatusRecord], verdict: Verdict, detail: str
) -> None:
    found = read_records(records, expecting(approved_id="g1"))
    assert found.verdict is verdict
    assert detail in explained(found.explanation)
    assert (found.shown_discrepancy is K.EXECUTED_TWICE) is (verdict is V.CONTRADICTION)


# Of what was executed twice and accepted by a person, one execution is ours


@every(
    ("records", "approved_id", "own", "elsewhere"),
    [
        ([R(), R(id="g2")], "g1", "g1", ["g2"]),
        ([R(id="g2"), R()], "g1", "g1", ["g2"]),
        ([R(), R(id="g2"), R(id="g3")], "g2", "g2", ["g1", "g3"]),
        ([R(id="g2"), R()], "", "g1", ["g2"]),
        ([R(), R(id="g2", state="Errored")], "g1", "g1", []),
        ([R(), R(id="g2", transaction_amount="9.00")], "g1", "g1", ["g2"]),
        ([R(state="Errored"), R(id="g2"), R(id="g3")], "", "g2", ["g3"]),
    ],
    ids=str,
)
def test_of_two_accepted_executions_one_is_ours(
    records: list[StatusRecord], approved_id: str, own: str, elsewhere: list[str]
) -> None:
    found = read_records(records, expecting(approved_id=approved_id, is_accepted_twice=True))
    assert (found.verdict, found.record_id) == (V.APPROVED, own)
    assert [one.id for one in found.elsewhere] == elsewhere


@every("beside", [[], [R(state="Errored")], [R(state="Pending")]], ids=str)
def test_an_accepted_execution_that_is_not_approved_there_makes_no_other_one_bookable(
    beside: list[StatusRecord],
) -> None:
    found = read_records([*beside, R(id="g2")], expecting(approved_id="g1", is_accepted_twice=True))
    assert (found.shown_discrepancy, found.elsewhere) == (K.EXECUTED_TWICE, ())


def test_an_accepted_execution_of_another_amount_is_a_difference_still() -> None:
    odd = record(transaction_amount="9.00")
    found = read_records([odd, record(id="g2")], expecting(approved_id="g1", is_accepted_twice=True))
    assert found.shown_discrepancy is K.AMOUNT_DIFFERS


def test_what_was_accepted_without_an_id_is_approved_with_the_amount_that_was_asked_for() -> None:
    accepted = expecting(is_accepted=True)
    found = read_records([record(id="0")], accepted)
    assert (found.verdict, found.amount, found.record_id) == (V.APPROVED, 1000, "")
    assert read_records([record(id="0")] * 2, accepted).shown_discrepancy is K.RECORD_UNUSABLE


# Ids that cannot be kept


LONG = "g" * LONGEST_RECORD_ID


def test_an_id_too_long_to_be_kept_is_refused_and_never_cut() -> None:
    for found in (
        read_records([record(id=LONG + "1")], CAPTURE),
        read_records([record(), record(id=LONG + "1")], CAPTURE),
        read_follow_up_answer(follow_up(id=LONG + "1"), CAPTURE),
    ):
        assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, K.RECORD_UNUSABLE)
        assert found.record_id == ""
        assert "record_id_too_long limit=128" in explained(found.explanation)


@every(("state", "verdict"), [("Errored", V.REJECTED), ("Pending", V.PENDING), ("Odd", V.PENDING)])
def test_an_id_of_what_is_not_approved_is_not_looked_at(state: str, verdict: Verdict) -> None:
    for found in (
        read_records([record(id=LONG + "1", state=state)], CAPTURE),
        read_follow_up_answer(follow_up(id=LONG + "1", state=state), CAPTURE),
    ):
        assert (found.verdict, found.discrepancies) == (verdict, ())


def test_an_id_that_just_fits_is_kept_whole() -> None:
    assert read_records([record(id=LONG)], CAPTURE).record_id == LONG
    assert read_follow_up_answer(follow_up(id=LONG), CAPTURE).record_id == LONG


def test_a_long_id_of_a_record_that_is_not_ours_is_no_matter() -> None:
    strange = record(id=LONG + "1", client_system_transaction_id="REF-2")
    assert read_records([strange], CAPTURE).absent


@every(
    ("changes", "is_elsewhere"),
    [
        ({}, True),
        ({"state": "Errored"}, False),
        ({"state": "Pending"}, False),
        ({"client_system_transaction_id": "REF-9"}, False),
        ({"id": "g7"}, False),
        ({"type": "ecom.capture"}, False),
        ({"type": "ecom.reversalPreauthorization"}, False),
    ],
    ids=["approved", "errored", "pending", "foreign", "attributed", "fits", "expected"],
)
def test_approved_records_that_none_of_our_transactions_asked_for_are_pointed_out(
    changes: dict[str, Any], is_elsewhere: bool
) -> None:
    expected = expecting(
        taken=frozenset({("g7", "ecom.refund")}),
        expected_elsewhere=(sibling(),),
    )
    strange = record(**({"id": "g5", "type": "ecom.refund"} | changes))
    found = read_records([strange], expected)
    assert found.elsewhere == ((strange,) if is_elsewhere else ())


def test_a_shared_record_like_that_of_another_transaction_does_not_contradict_one_of_another_amount() -> None:
    filed = record(id="g5", client_system_transaction_id="ORIGINAL", transaction_amount="7.00")
    shared = expecting(other_references=frozenset({"ORIGINAL"}))
    assert read_records([filed], shared).verdict is V.CONTRADICTION

    found = read_records([filed], replace(shared, attributed=frozenset({("ecom.capture", 700)})))
    assert (found.verdict, found.absent, found.elsewhere) == (V.INCONCLUSIVE, True, (filed,))


def sibling(amount: int = 1000) -> ExpectedRecord:
    """Another of our transactions that waits for its record."""
    return ExpectedRecord(
        references=frozenset({OURS}), wire_type="ecom.reversalpreauthorization", amount=amount
    )


@every(
    ("ids", "amount", "elsewhere"),
    [(["g5"], 1000, []), (["g5", "g6"], 1000, ["g6"]), (["g5", "g5"], 1000, []), (["g5"], 300, ["g5"])],
    ids=["its own", "one more", "shown twice", "another amount"],
)
def test_another_transaction_of_ours_explains_one_record_of_its_amount(
    ids: list[str], amount: int, elsewhere: list[str]
) -> None:
    expected = expecting(expected_elsewhere=(sibling(amount),))
    told = [record(id=id_, type="ecom.reversalPreauthorization") for id_ in ids]
    assert [one.id for one in read_records(told, expected).elsewhere] == elsewhere


def test_records_made_elsewhere_do_not_hide_our_own() -> None:
    found = read_records([record(id="g5", type="ecom.refund"), record()], CAPTURE)
    assert (found.verdict, found.record_id) == (V.APPROVED, "g1")
    assert len(found.elsewhere) == 1
