"""Records of a status query: which is a yes, which is a no, and which contradicts what was asked."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import CAPTURE, DETACHED, expecting, record
from tests.explanations import explained
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.outcomes import Verdict, read_records
from wallet_gateway.domain.record_attribution import Expectation
from wallet_gateway.protocol.status import StatusRecord

V, K = Verdict, DiscrepancyKind
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
    (
        "an odd state beside a pending one",
        [PENDING, R(id="g2", state="Odd")],
        V.PENDING,
        """state_undocumented given=\"'Odd'\"""",
    ),
    ("approved beside errored: money moved", [ERRORED, R(id="g2")], V.APPROVED, ""),
    ("approved beside pending", [PENDING, R(id="g2")], V.APPROVED, ""),
    ("the same record twice", [R(), R()], V.APPROVED, ""),
    (
        "an odd state",
        [R(state="Quarantined")],
        V.PENDING,
        """state_undocumented given=\"'Quarantined'\"""",
    ),
    (
        "an odd state beside errored",
        [ERRORED, R(id="g2", state="Odd")],
        V.PENDING,
        """state_undocumented given=\"'Odd'\"""",
    ),
    ("approved, its state in another letter case", [R(state="aPPROVED")], V.APPROVED, ""),
    ("almost approved", [R(state="Approved ")], V.PENDING, """state_undocumented given=\"'Approved '\""""),
    ("approved beside an odd state", [R(), R(id="g2", state="Odd")], V.APPROVED, ""),
    (
        "an odd state and another amount",
        [R(state="Odd", transaction_amount="1.00")],
        V.PENDING,
        """state_undocumented given=\"'Odd'\"""",
    ),
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
    ("another amount, errored", [R(transaction_amount="1.00", state="Errored")], V.REJECTED, "errored"),
    ("no amount, errored", [R(transaction_amount=None, state="Errored")], V.REJECTED, "errored"),
    ("another currency, errored", [R(currency_code="USD", state="Errored")], V.REJECTED, "errored"),
    ("100 times the amount, errored", [R(transaction_amount="1000", state="errored")], V.REJECTED, "errored"),
    ("no id, errored", [R(id=None, state="Errored")], V.REJECTED, "errored"),
    ("another amount, pending", [R(transaction_amount="1.00", state="Pending")], V.PENDING, "given='1.00'"),
    ("no amount, pending", [R(transaction_amount=None, state="Pending")], V.PENDING, "given='None'"),
    ("a placeholder, errored", [R(id="0", state="Errored")], V.REJECTED, "errored"),
    ("a placeholder, approved", [R(id="0")], V.CONTRADICTION, "record_id_placeholder record='0'"),
    ("a placeholder of less", [R(id="0", transaction_amount="5.00")], V.CONTRADICTION, "given='5.00'"),
    (
        "errored with nothing, then approved",
        [R(id="0", transaction_amount="0", state="Errored"), R(id="g2")],
        V.APPROVED,
        "",
    ),
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
    odd = [one.state for one in records if one.state in {"Odd", "Quarantined", "Approved "}]
    assert found.undocumented_state == (odd[0] if odd else "")


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
    assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, kind)


@every(
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


def test_a_detached_refund_that_is_pending_for_less_is_only_pending() -> None:
    found = read_records(
        [record(type="detached.refund", state="Pending", transaction_amount="5.00")], DETACHED
    )
    assert (found.verdict, found.explanation) == (V.PENDING, None)


# What a person has decided

HALF = R(transaction_amount="5.00")
ACCEPTED = expecting(is_accepted=True)
BOOKED = expecting(is_accepted=True, approved_id="g1")


@every(
    ("records", "expected", "closed", "verdict", "amount"),
    [
        ([R(id="0")], ACCEPTED, (), V.APPROVED, 1000),
        ([R(id="0"), R(id="0")], ACCEPTED, (), V.CONTRADICTION, None),
        ([R(id="0")], BOOKED, (), V.CONTRADICTION, None),
        ([], ACCEPTED, (), V.INCONCLUSIVE, None),
        ([HALF], ACCEPTED, (HALF,), V.APPROVED, 1000),
        ([HALF], expecting(), (HALF,), V.INCONCLUSIVE, None),
        # The record by which it is booked is never left out, and is not told again.
        ([HALF], BOOKED, (HALF,), V.APPROVED, 500),
        ([R(id="g2"), HALF], expecting(), (HALF,), V.APPROVED, 1000),
    ],
    ids=[
        "the record without an id is what was accepted",
        "a second one like it is not",
        "nor is one beside the record that is booked",
        "no record approves nothing",
        "the difference that was accepted",
        "the difference that was dismissed",
        "the difference by which it is booked",
        "a dismissed one hides no other",
    ],
)
def test_what_a_person_has_decided_is_not_asked_again(
    records: list[StatusRecord],
    expected: Expectation,
    closed: tuple[StatusRecord, ...],
    verdict: Verdict,
    amount: int | None,
) -> None:
    found = read_records(records, expected, closed={one.fingerprint for one in closed})
    assert (found.verdict, found.amount) == (verdict, amount)


def test_a_decision_on_a_record_without_an_id_ends_with_it() -> None:
    (told,) = read_records([R(id="0"), R(id="0")], ACCEPTED).discrepancies
    assert (told.kind, told.record_id, told.amount) == (K.RECORD_UNUSABLE, "", 1000)
    assert told.is_judged_anew


def test_a_difference_names_its_record_and_what_was_approved_beside_it() -> None:
    found = read_records([R(), R(id="g2", transaction_amount="5.00")], CAPTURE)
    (told,) = found.discrepancies
    assert (told.record_id, told.amount, told.is_judged_anew) == ("g2", 500, False)
    assert (found.reported_id, found.shown_amount) == ("g1", 1000)
    alone = read_records([HALF], CAPTURE)
    assert (alone.reported_id, alone.shown_amount) == ("", None)


@every(
    ("record_id", "reported", "verdict"),
    [("g1", "g1", V.REJECTED), ("g2", "g1", V.INCONCLUSIVE), ("", "", V.INCONCLUSIVE)],
)
def test_a_refusal_under_a_shared_reference_is_ours_by_its_id_alone(
    record_id: str, reported: str, verdict: Verdict
) -> None:
    expected = expecting(other_references=frozenset({"ORIGINAL"}), reported_id=reported)
    refused = record(id=record_id, state="Errored", client_system_transaction_id="ORIGINAL")
    assert read_records([refused], expected).verdict is verdict


def test_of_the_portals_own_references_only_what_was_approved_is_told() -> None:
    portals: dict[str, Any] = {"client_system_transaction_id": "PORTAL-1", "type": "ecom.refund"}
    carried_out, refused = record(id="p1", **portals), record(id="p2", state="Errored", **portals)
    assert read_records([record(), carried_out, refused], CAPTURE).unknown_references == (carried_out,)


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
