"""Unreadable records: whose they may be, and by which words and names they are known again."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import expecting, record
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import Verdict, read_records
from wallet_gateway.domain.record_attribution import ExpectedRecord
from wallet_gateway.domain.unreadable_records import (
    concerning,
    fingerprint_of,
    may_be_own,
    unreadable_explanation,
)
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord

V = Verdict
EXPECTED = expecting(
    other_references=frozenset({"ORIGINAL"}),
    reported_id="g1",
    taken=frozenset({("t1", "ecom.capture")}),
    expected_elsewhere=(
        ExpectedRecord(references=frozenset({"ORIGINAL"}), wire_type="ecom.sale", amount=1000),
    ),
)


def unreadable(**changes: Any) -> UnreadableRecord:
    given: dict[str, Any] = {
        "id": None,
        "type": None,
        "client_system_transaction_id": None,
        "complaint": "id: is missing",
        "fingerprint": "f1",
    } | changes
    return UnreadableRecord(**given)


@every(
    ("changes", "concerns", "own"),
    [
        ({}, True, True),
        ({"type": "ECOM.Capture", "client_system_transaction_id": "REF-1"}, True, True),
        ({"type": "chargeback", "client_system_transaction_id": "REF-1"}, True, False),
        ({"client_system_transaction_id": "ref-1"}, False, True),
        ({"client_system_transaction_id": "ANOTHER", "type": "ecom.capture"}, False, True),
        ({"id": "t1", "type": "Ecom.Capture"}, False, True),
        ({"id": "t1"}, True, True),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.sale"}, False, False),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.capture"}, True, False),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.capture", "id": "g1"}, True, True),
    ],
)
def test_what_is_unknown_of_a_record_may_fit(changes: dict[str, Any], concerns: bool, own: bool) -> None:
    given = unreadable(**changes)
    assert bool(concerning([given], EXPECTED)) is concerns
    assert may_be_own(given, EXPECTED) is own


def test_as_long_as_the_gateway_named_no_id_any_record_under_a_shared_reference_may_be_ours() -> None:
    shared = unreadable(client_system_transaction_id="ORIGINAL", type="ecom.capture", id="g5")
    assert may_be_own(shared, expecting(other_references=frozenset({"ORIGINAL"})))
    assert not may_be_own(shared, EXPECTED)


BEGINNING = "a record of the gateway cannot be read"
BESIDE: list[tuple[list[StatusRecord], Verdict, bool]] = [
    ([], V.INCONCLUSIVE, True),
    ([record(state="Errored")], V.INCONCLUSIVE, True),
    ([record(state="Odd")], V.PENDING, False),
    ([record(state="Pending")], V.PENDING, False),
    ([record()], V.APPROVED, False),
    ([record(transaction_amount="9.00")], V.CONTRADICTION, False),
]


@every(("records", "verdict", "own"), BESIDE)
def test_only_money_that_moved_or_may_move_counts_beside_what_may_be_its_own(
    records: list[StatusRecord], verdict: Verdict, own: bool
) -> None:
    found = read_records(records, EXPECTED, [unreadable()])
    assert (found.verdict, found.own_unreadable, found.absent) == (verdict, own, False)
    assert found.unreadable == (unreadable(),)
    kinds = [one.kind for one in found.discrepancies]
    assert found.shown_discrepancy is (kinds[0] if kinds else DiscrepancyKind.RECORD_UNREADABLE)
    assert (found.explanation == unreadable_explanation([unreadable()])) is own


@every("records", [[], [record(state="Errored")]], ids=["alone", "beside errored"])
@every("type_", [None, "Ecom.Capture"])
def test_an_unreadable_record_of_our_own_holds(records: list[StatusRecord], type_: str | None) -> None:
    ours = unreadable(type=type_, client_system_transaction_id="REF-1")
    found = read_records(records, EXPECTED, [ours])
    assert (found.verdict, found.own_unreadable, found.absent) == (V.PENDING, True, False)


@every("records", [[], [record(state="Errored")]], ids=["nothing", "errored"])
def test_from_an_answer_that_is_not_read_whole_nothing_is_missing_and_nothing_refused(
    records: list[StatusRecord],
) -> None:
    rest = unreadable(is_rest=True)
    found = read_records(records, EXPECTED, [rest])
    assert (found.verdict, found.own_unreadable, found.absent) == (V.PENDING, True, False)
    assert read_records([record()], EXPECTED, [rest]).verdict is V.APPROVED


@every(
    ("records", "verdict", "absent"),
    [([], V.INCONCLUSIVE, True), ([record(state="Errored")], V.REJECTED, False)],
)
def test_a_record_of_another_type_keeps_no_verdict_and_is_told(
    records: list[StatusRecord], verdict: Verdict, absent: bool
) -> None:
    chargeback = unreadable(type="chargeback", client_system_transaction_id="REF-1")
    found = read_records(records, EXPECTED, [chargeback])
    assert (found.verdict, found.absent, found.own_unreadable) == (verdict, absent, False)
    assert found.unreadable == (chargeback,)


def test_somebody_elses_record_changes_nothing() -> None:
    other = unreadable(client_system_transaction_id="ANOTHER")
    assert read_records([], EXPECTED, [other]) == read_records([], EXPECTED)


def test_the_first_three_are_named_and_all_are_counted() -> None:
    rows = [unreadable(type=f"type-{n}", id=f"g{n}") for n in range(5)]
    why = unreadable_explanation(rows)
    assert why.params["count"] == 5
    assert [record["type"] for record in why.params["records"]] == ["'type-0'", "'type-1'", "'type-2'"]
    assert why.params["records"][0] == {"type": "'type-0'", "id": "'g0'", "fault": "id: is missing"}
    assert unreadable_explanation([unreadable()]).params["records"] == [
        {"type": "", "id": "", "fault": "id: is missing"}
    ]


def test_what_a_gateway_calls_a_record_is_quoted_in_part_and_escaped() -> None:
    [record] = unreadable_explanation([unreadable(type="x\0\n" + "y" * 500)]).params["records"]
    assert record["type"].startswith(r"'x\x00\nyyy")
    assert len(record["type"]) <= 60


def test_the_same_records_are_the_same_in_any_order_and_number() -> None:
    one, two = unreadable(), unreadable(fingerprint="f2")
    assert fingerprint_of([one, two]) == fingerprint_of([two, one, one])
    assert fingerprint_of([one]) != fingerprint_of([one, two])
