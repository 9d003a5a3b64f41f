"""From the gateway's words to evidence, as tables: what is a yes, what is a no, and what is neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.explanations import explained
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, PaymentType, TransactionKind
from wallet_gateway.domain.outcomes import (
    EVENTS,
    INCONCLUSIVE,
    LONGEST_RECORD_ID,
    Expectation,
    ExpectedRecord,
    Verdict,
    read_detached_answer,
    read_follow_up_answer,
    read_records,
    wire_type,
)
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse
from wallet_gateway.protocol.status import StatusRecord

V, K = Verdict, DiscrepancyKind
OURS = "REF-1"
CAPTURE = Expectation(reference=OURS, wire_type="ecom.capture", currency="EUR", amount=1000)
DETACHED = Expectation(
    reference=OURS, wire_type="detached.refund", currency="EUR", amount=1000, may_be_less=True
)


def expecting(**changes: Any) -> Expectation:
    given: dict[str, Any] = {
        "reference": OURS,
        "wire_type": "ecom.capture",
        "currency": "EUR",
        "amount": 1000,
    } | changes
    return Expectation(**given)


# Types


@every(
    ("kind", "payment_type", "expected"),
    [
        (TransactionKind.CHECKOUT, PaymentType.SALE, "ecom.sale"),
        (TransactionKind.CHECKOUT, PaymentType.PREAUTHORIZATION, "ecom.preauthorization"),
        (TransactionKind.AUTHORIZATION, PaymentType.SALE, "ecom.sale"),
        (TransactionKind.AUTHORIZATION, PaymentType.PREAUTHORIZATION, "ecom.preauthorization"),
        (TransactionKind.CAPTURE, PaymentType.PREAUTHORIZATION, "ecom.capture"),
        (TransactionKind.REFUND, PaymentType.SALE, "ecom.refund"),
        (TransactionKind.REVERSAL, PaymentType.PREAUTHORIZATION, "ecom.reversalpreauthorization"),
        (TransactionKind.DETACHED_REFUND, PaymentType.SALE, "detached.refund"),
    ],
)
def test_every_transaction_has_a_wire_type_in_lower_case(
    kind: TransactionKind, payment_type: PaymentType, expected: str
) -> None:
    assert wire_type(kind, payment_type) == expected


def test_only_no_news_is_no_event() -> None:
    assert set(EVENTS) == set(Verdict) - {Verdict.INCONCLUSIVE}
    assert EVENTS[Verdict.PENDING] is LifecycleEvent.HELD
    assert INCONCLUSIVE.verdict not in EVENTS


# The direct answer to a follow-up


def follow_up(**changes: Any) -> FollowUpResponse:
    given = {
        "id": "g1",
        "state": "Approved",
        "provider_state_code": "Captured",
        "currency_code": "EUR",
        "client_system_transaction_id": OURS,
    } | changes
    return FollowUpResponse.build(**given)


@every(
    ("changes", "verdict", "detail"),
    [
        ({}, V.APPROVED, ""),
        ({"state": "Errored"}, V.REJECTED, "errored said='Captured"),
        ({"state": "Errored", "provider_state_code": None}, V.REJECTED, "errored"),
        ({"state": "Pending"}, V.PENDING, ""),
        ({"state": "approved"}, V.INCONCLUSIVE, """state_undocumented given=\"'approved'\""""),
        ({"state": "APPROVED"}, V.INCONCLUSIVE, """state_undocumented given=\"'APPROVED'\""""),
        ({"state": " Approved"}, V.INCONCLUSIVE, """state_undocumented given=\"' Approved'\""""),
        ({"state": "Quarantined"}, V.INCONCLUSIVE, """state_undocumented given=\"'Quarantined'\""""),
        ({"client_system_transaction_id": None}, V.INCONCLUSIVE, "reference_not_echoed"),
        ({"client_system_transaction_id": "REF-2"}, V.INCONCLUSIVE, "reference_not_echoed"),
        ({"client_system_transaction_id": "ref-1"}, V.INCONCLUSIVE, "reference_not_echoed"),
        ({"client_system_transaction_id": "REF-1 "}, V.INCONCLUSIVE, "reference_not_echoed"),
        ({"currency_code": None}, V.INCONCLUSIVE, "currency_not_echoed"),
        ({"currency_code": "USD"}, V.INCONCLUSIVE, "currency_not_echoed"),
        # A failure that is not plainly about our request is no failure of it either.
        (
            {"state": "Errored", "client_system_transaction_id": "REF-2"},
            V.INCONCLUSIVE,
            "reference_not_echoed",
        ),
    ],
)
def test_an_answer_to_a_follow_up(changes: dict[str, Any], verdict: Verdict, detail: str) -> None:
    found = read_follow_up_answer(follow_up(**changes), CAPTURE)
    assert found.verdict is verdict
    assert explained(found.explanation).startswith(detail)
    assert bool(found.explanation) == bool(detail)


def test_an_approval_brings_its_record_and_the_amount_that_was_asked_for() -> None:
    found = read_follow_up_answer(follow_up(), CAPTURE)
    assert (found.record_id, found.amount, found.provider_state) == ("g1", 1000, "Captured")


def test_an_approval_without_an_id_has_no_record_yet() -> None:
    assert read_follow_up_answer(follow_up(id=None), CAPTURE).record_id == ""


@pytest.mark.parametrize("state", ["Errored", "Pending"])
def test_what_is_not_approved_has_a_record_and_no_amount(state: str) -> None:
    found = read_follow_up_answer(follow_up(state=state), CAPTURE)
    assert (found.record_id, found.amount) == ("g1", None)


def test_a_long_state_is_quoted_in_part() -> None:
    found = read_follow_up_answer(follow_up(state="X" * 500), CAPTURE)
    assert len(explained(found.explanation)) < 100


def test_text_that_a_database_cannot_hold_is_made_storable() -> None:
    said = FollowUpResponse.model_construct(
        **dict(follow_up()) | {"id": "g\0001", "provider_state_code": "\0"}
    )
    found = read_follow_up_answer(said, CAPTURE)
    assert (found.record_id, found.provider_state) == ("g\ufffd1", "\ufffd")


# The direct answer to a detached refund


def detached(**changes: Any) -> DetachedRefundResponse:
    given = {
        "state": "Approved",
        "currency_code": "EUR",
        "client_system_transaction_id": OURS,
        "amount": "10.00",
        "response_message": "requested 10.00, refunded 10.00",
    } | changes
    return DetachedRefundResponse.build(**given)


@every(
    ("changes", "verdict", "amount", "detail"),
    [
        ({}, V.APPROVED, 1000, "gateway_message said='requested 10.00"),
        ({"amount": "7.50"}, V.APPROVED, 750, "gateway_message said='requested 10.00"),
        ({"amount": "0.01", "response_message": None}, V.APPROVED, 1, ""),
        ({"amount": None}, V.INCONCLUSIVE, None, "amount_unreadable"),
        ({"amount": "0.00"}, V.INCONCLUSIVE, None, "amount_unreadable"),
        ({"state": "Errored"}, V.REJECTED, None, "errored said='requested"),
        ({"state": "Pending"}, V.PENDING, None, ""),
        ({"state": "Partly"}, V.INCONCLUSIVE, None, """state_undocumented given=\"'Partly'\""""),
        ({"client_system_transaction_id": "X"}, V.INCONCLUSIVE, None, "reference_not_echoed"),
        ({"currency_code": "USD"}, V.INCONCLUSIVE, None, "currency_not_echoed"),
        ({"currency_code": None}, V.INCONCLUSIVE, None, "currency_not_echoed"),
    ],
)
def test_an_answer_to_a_detached_refund(
    changes: dict[str, Any], verdict: Verdict, amount: int | None, detail: str
) -> None:
    found = read_detached_answer(detached(**changes), DETACHED)
    assert (found.verdict, found.amount, found.record_id) == (verdict, amount, "")
    assert explained(found.explanation).startswith(detail)
    assert bool(found.explanation) == bool(detail)


def test_an_amount_finer_than_the_currency_is_no_evidence_of_any_amount() -> None:
    answer = DetachedRefundResponse.model_construct(
        state="Approved", currency_code="EUR", client_system_transaction_id=OURS, amount="7.505"
    )
    assert read_detached_answer(answer, DETACHED).verdict is V.INCONCLUSIVE


@pytest.mark.parametrize(
    ("amount", "kind"),
    [
        ("10.01", K.APPROVED_ABOVE_REQUEST),
        ("99.99", K.APPROVED_ABOVE_REQUEST),
        ("1000.00", K.UNIT_MIX_UP),
    ],
)
def test_more_than_was_asked_is_a_contradiction(amount: str, kind: DiscrepancyKind) -> None:
    found = read_detached_answer(detached(amount=amount), DETACHED)
    assert (found.verdict, found.discrepancy) == (V.CONTRADICTION, kind)
    assert found.explanation == explain(
        ExplanationCode.APPROVED_ABOVE_REQUEST, given=amount, requested="10.00", currency="EUR"
    )


# Records of a status query


def record(**changes: Any) -> StatusRecord:
    given = {
        "id": "g1",
        "state": "Approved",
        "currency_code": "EUR",
        "transaction_amount": "10.00",
        "client_system_transaction_id": OURS,
        "type": "ecom.capture",
        "transaction_date_time": "2026-01-15T10:30:00.0000000",
    } | changes
    return StatusRecord.build(**given)


R = record
ERRORED, PENDING = R(state="Errored"), R(state="Pending")

RECORDS: list[tuple[str, list[StatusRecord], Verdict, str]] = [
    ("nothing", [], V.INCONCLUSIVE, "no_record"),
    ("approved", [R()], V.APPROVED, ""),
    ("approved, in another letter case", [R(type="ECOM.Capture")], V.APPROVED, ""),
    ("errored", [ERRORED], V.REJECTED, "errored"),
    ("errored twice", [ERRORED, R(id="g2", state="Errored")], V.REJECTED, "errored"),
    ("pending", [PENDING], V.PENDING, ""),
    ("pending beside errored", [ERRORED, R(id="g2", state="Pending")], V.PENDING, ""),
    ("pending beside an odd state", [R(state="Odd"), R(id="g2", state="Pending")], V.PENDING, ""),
    ("approved beside errored: money moved", [ERRORED, R(id="g2")], V.APPROVED, ""),
    ("approved beside pending", [PENDING, R(id="g2")], V.APPROVED, ""),
    ("the same record twice", [R(), R()], V.APPROVED, ""),
    (
        "an odd state",
        [R(state="Quarantined")],
        V.INCONCLUSIVE,
        """state_undocumented given=\"'Quarantined'\"""",
    ),
    (
        "an odd state beside errored",
        [ERRORED, R(id="g2", state="Odd")],
        V.INCONCLUSIVE,
        """state_undocumented given=\"'Odd'\"""",
    ),
    ("almost approved", [R(state="approved")], V.INCONCLUSIVE, """state_undocumented given=\"'approved'\""""),
    ("another reference", [R(client_system_transaction_id="REF-2")], V.INCONCLUSIVE, "no_record"),
    ("our reference in lower case", [R(client_system_transaction_id="ref-1")], V.INCONCLUSIVE, "no_record"),
    ("another type", [R(type="ecom.refund", state="Errored")], V.INCONCLUSIVE, "no_record"),
    (
        "another currency",
        [R(currency_code="USD")],
        V.CONTRADICTION,
        "currency_differs record='g1' given='USD' requested='EUR'",
    ),
    ("another amount", [R(transaction_amount="10.01")], V.CONTRADICTION, "given='10.01' requested='10.00'"),
    ("less", [R(transaction_amount="9.99")], V.CONTRADICTION, "given='9.99'"),
    ("another amount, errored", [R(transaction_amount="1.00", state="Errored")], V.CONTRADICTION, "1.00"),
    ("executed twice", [R(), R(id="g2")], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
    ("executed twice, sorted", [R(id="g2"), R()], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
    (
        "one fits, one differs",
        [R(), R(id="g2", transaction_amount="5.00")],
        V.CONTRADICTION,
        "record='g2' given='5.00'",
    ),
]


@every(("records", "verdict", "detail"), [row[1:] for row in RECORDS], ids=[row[0] for row in RECORDS])
def test_records(records: list[StatusRecord], verdict: Verdict, detail: str) -> None:
    found = read_records(records, CAPTURE)
    assert found.verdict is verdict
    assert detail in explained(found.explanation)
    assert found.absent is (detail == "no_record")


@every(
    ("amount", "currency", "asked", "kind"),
    [
        ("1000.00", "EUR", 1000, K.UNIT_MIX_UP),
        ("0.10", "EUR", 1000, K.UNIT_MIX_UP),
        ("100.00", "EUR", 1000, K.AMOUNT_DIFFERS),
        ("10.01", "EUR", 1000, K.AMOUNT_DIFFERS),
        ("0.00", "EUR", 1000, K.AMOUNT_DIFFERS),
        ("10000.000", "KWD", 10000, K.UNIT_MIX_UP),
        ("1000.000", "KWD", 10000, K.AMOUNT_DIFFERS),
        # Where major and minor units are the same there is nothing to mix up.
        ("1000", "JPY", 10, K.AMOUNT_DIFFERS),
    ],
)
def test_a_factor_between_major_and_minor_units_is_named(
    amount: str, currency: str, asked: int, kind: DiscrepancyKind
) -> None:
    found = read_records(
        [record(transaction_amount=amount, currency_code=currency)],
        expecting(currency=currency, amount=asked),
    )
    assert (found.verdict, found.discrepancy) == (V.CONTRADICTION, kind)


@pytest.mark.parametrize(
    ("amount", "verdict", "approved"),
    [
        ("10.00", V.APPROVED, 1000),
        ("7.50", V.APPROVED, 750),
        ("0.10", V.APPROVED, 10),
        ("0.01", V.APPROVED, 1),
        ("0.00", V.CONTRADICTION, None),
        ("10.01", V.CONTRADICTION, None),
    ],
)
def test_a_detached_refund_may_be_recorded_for_less(
    amount: str, verdict: Verdict, approved: int | None
) -> None:
    found = read_records([record(type="detached.refund", transaction_amount=amount)], DETACHED)
    assert (found.verdict, found.amount) == (verdict, approved)


@every(("type_", "expected"), [("ecom.capture", CAPTURE), ("detached.refund", DETACHED)])
def test_an_amount_that_cannot_be_read_differs(type_: str, expected: Expectation) -> None:
    broken = StatusRecord.model_construct(**dict(record(type=type_)) | {"transaction_amount": "ten"})
    found = read_records([broken], expected)
    assert (found.verdict, found.discrepancy) == (V.CONTRADICTION, K.AMOUNT_DIFFERS)


def test_what_a_record_tells_besides() -> None:
    found = read_records([record(apm_details={"apm_name": "Wallet"})], CAPTURE)
    assert (found.record_id, found.amount, found.provider_state) == ("g1", 1000, "Wallet")
    assert read_records([record()], CAPTURE).provider_state == ""
    assert read_records([record(apm_details={})], CAPTURE).provider_state == ""


def test_the_providers_id_of_an_approved_record_is_kept() -> None:
    told = record(apm_details={"apm_provider_transaction_id": "P\0-1"})
    assert read_records([told], CAPTURE).provider_transaction_id == "P\ufffd-1"
    assert read_records([record()], CAPTURE).provider_transaction_id == ""


def test_the_details_of_a_contradiction_can_be_stored() -> None:
    told = StatusRecord.model_construct(**dict(record()) | {"id": "\0", "transaction_amount": "1.00"})
    why = read_records([told], CAPTURE).explanation
    assert why is not None
    assert why.params["record"] == "\ufffd"


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
    shared = expecting(other_references=frozenset({"ORIGINAL"}), record_id="g1")
    own = record(client_system_transaction_id="ORIGINAL")
    strange = record(id="g2", client_system_transaction_id="ORIGINAL", transaction_amount="1.00")
    found = read_records([own, strange], shared)
    assert (found.verdict, found.record_id, found.elsewhere) == (V.APPROVED, "g1", (strange,))


def test_a_second_record_under_our_own_reference_is_a_second_execution() -> None:
    found = read_records([record(), record(id="g2")], expecting(record_id="g1"))
    assert found.discrepancy is K.EXECUTED_TWICE


@every(
    ("records", "verdict", "detail"),
    [
        ([R()], V.APPROVED, ""),
        ([R(), R()], V.APPROVED, ""),
        ([R(), R(id="g2", state="Errored")], V.APPROVED, ""),
        ([R(id="g2")], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
        ([R(), R(id="g2")], V.CONTRADICTION, "executed_twice ids='g1, g2'"),
        ([R(id="g2"), R(id="g3")], V.CONTRADICTION, "executed_twice ids='g1, g2, g3'"),
        ([R(id="g2", state="Errored")], V.REJECTED, "errored"),
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
    assert (found.discrepancy is K.EXECUTED_TWICE) is (verdict is V.CONTRADICTION)


# Ids that cannot be kept

LONG = "g" * LONGEST_RECORD_ID


@pytest.mark.parametrize("state", ["Approved", "Pending", "Errored", "Odd"])
def test_an_id_too_long_to_be_kept_is_refused_and_never_cut(state: str) -> None:
    for found in (
        read_records([record(id=LONG + "1", state=state)], CAPTURE),
        read_records([record(), record(id=LONG + "1", state=state)], CAPTURE),
        read_follow_up_answer(follow_up(id=LONG + "1", state=state), CAPTURE),
    ):
        assert (found.verdict, found.discrepancy) == (V.CONTRADICTION, K.RECORD_UNUSABLE)
        assert found.record_id == ""
        assert "record_id_too_long limit=128" in explained(found.explanation)


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


@pytest.mark.parametrize(
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
