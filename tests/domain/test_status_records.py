"""Records of a status query: which is a yes, which is a no, and which contradicts what was asked."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import CAPTURE, DETACHED, expecting, filed, record, unreadable
from tests.support.explanations import explained
from tests.support.tables import every
from wallet_gateway.domain import discrepancies, evidence, states
from wallet_gateway.protocol.status import StatusRecord, UnreadableRecord

V, K, E = evidence.Verdict, discrepancies.DiscrepancyKind, states.LifecycleEvent
Expectation = evidence.Expectation
R, read_records = record, evidence.read_records
LONG = "g" * evidence.LONGEST_RECORD_ID
ERRORED, PENDING, ODD = R(state="Errored"), R(state="Pending"), R(id="g2", state="Odd")
SECOND = R(id="g2")
UNDOCUMENTED = "state_undocumented given=\"'Odd'\""
TWICE = "executed_twice ids='g1, g2'"

RECORDS: list[tuple[str, list[StatusRecord], evidence.Verdict, str]] = [
    ("nothing", [], V.INCONCLUSIVE, "no_record"),
    ("another reference", [R(client_system_transaction_id="REF-2")], V.INCONCLUSIVE, "no_record"),
    ("our reference in lower case", [R(client_system_transaction_id="ref-1")], V.INCONCLUSIVE, "no_record"),
    ("another type", [R(type="ecom.refund", state="Errored")], V.INCONCLUSIVE, "no_record"),
    ("approved", [R()], V.APPROVED, ""),
    ("approved in another letter case", [R(type="ECOM.Capture", state="aPPROVED")], V.APPROVED, ""),
    ("the same record twice", [R(), R()], V.APPROVED, ""),
    ("approved beside errored: money moved", [ERRORED, SECOND], V.APPROVED, ""),
    ("approved beside pending", [PENDING, SECOND], V.APPROVED, ""),
    ("approved beside an odd state", [R(), ODD], V.APPROVED, ""),
    ("a placeholder that failed, then approved", [R(id="0", state="Errored"), SECOND], V.APPROVED, ""),
    ("with the longest id", [R(id=LONG)], V.APPROVED, ""),
    ("errored twice", [ERRORED, R(id="g2", state="Errored")], V.REJECTED, "errored"),
    # What moved nothing is compared with nothing.
    *(
        (f"errored, {name} {value}", [R(state="errored", **{name: value})], V.REJECTED, "errored")
        for name, value in (
            ("transaction_amount", "1.00"),
            ("transaction_amount", "1000"),
            ("transaction_amount", None),
            ("currency_code", "USD"),
            *(("id", id_) for id_ in (None, "0", LONG + "1")),
        )
    ),
    ("pending", [PENDING], V.PENDING, ""),
    ("pending beside errored", [ERRORED, R(id="g2", state="Pending")], V.PENDING, ""),
    ("pending beside an odd state", [ODD, PENDING], V.PENDING, UNDOCUMENTED),
    ("an odd state beside a pending one", [PENDING, ODD], V.PENDING, UNDOCUMENTED),
    ("an odd state", [ODD], V.PENDING, UNDOCUMENTED),
    ("an odd state beside errored", [ERRORED, ODD], V.PENDING, UNDOCUMENTED),
    ("an odd state of another amount", [R(state="Odd", transaction_amount="1.00")], V.PENDING, UNDOCUMENTED),
    ("almost approved", [R(state="Approved ")], V.PENDING, "given=\"'Approved '\""),
    ("pending with a long id", [R(id=LONG + "1", state="Pending")], V.PENDING, ""),
    ("another amount, pending", [R(transaction_amount="1.00", state="Pending")], V.PENDING, "given='1.00'"),
    ("no amount, pending", [R(transaction_amount=None, state="Pending")], V.PENDING, "given='None'"),
    (
        "another currency",
        [R(currency_code="USD")],
        V.CONTRADICTION,
        "currency_differs record='g1' given='USD' requested='EUR'",
    ),
    (
        "another amount",
        [R(transaction_amount="10.01")],
        V.CONTRADICTION,
        "amount_differs record='g1' given='10.01' requested='10.00' currency='EUR'",
    ),
    ("less", [R(transaction_amount="9.99")], V.CONTRADICTION, "given='9.99'"),
    ("a placeholder", [R(id="0")], V.CONTRADICTION, "record_id_placeholder record='0'"),
    ("a placeholder of less", [R(id="0", transaction_amount="5.00")], V.CONTRADICTION, "given='5.00'"),
    ("an id too long to be kept", [R(id=LONG + "1")], V.CONTRADICTION, "record_id_too_long limit=128"),
    ("one too long beside ours", [R(), R(id=LONG + "1")], V.CONTRADICTION, "record_id_too_long limit=128"),
    ("executed twice", [R(), SECOND], V.CONTRADICTION, TWICE),
    ("executed twice, sorted", [SECOND, R()], V.CONTRADICTION, TWICE),
    (
        "one fits, one differs",
        [R(), R(id="g2", transaction_amount="5.00")],
        V.CONTRADICTION,
        "record='g2' given='5.00'",
    ),
]


@every(("records", "verdict", "why"), [row[1:] for row in RECORDS], ids=[row[0] for row in RECORDS])
def test_records(records: list[StatusRecord], verdict: evidence.Verdict, why: str) -> None:
    found = read_records(records, CAPTURE)
    assert found.verdict is verdict
    assert why in explained(found.explanation)
    assert bool(found.explanation) == bool(why)
    assert found.absent is (why == "no_record")
    odd = [one.state for one in records if one.state in {"Odd", "Approved "}]
    assert found.undocumented_state == (odd[0] if odd else "")
    assert len(found.record_id) <= len(LONG), "too long to be kept is never cut"
    approved = [one.id for one in records if one.state.lower() == "approved"]
    assert found.record_id == (approved[0] if verdict is V.APPROVED else "")


def test_every_verdict_but_that_of_nothing_known_has_its_own_event() -> None:
    assert evidence.EVENTS == {
        V.APPROVED: E.APPROVED,
        V.REJECTED: E.REJECTED,
        V.PENDING: E.HELD,
        V.CONTRADICTION: E.CONTRADICTED,
    }


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
    amount: str, currency: str, asked: int, kind: discrepancies.DiscrepancyKind
) -> None:
    records = [R(transaction_amount=amount, currency_code=currency)]
    found = read_records(records, expecting(currency=currency, amount=asked))
    assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, kind)


@every(
    ("amount", "state", "verdict", "approved"),
    [
        *(
            (amount, "Approved", V.APPROVED, minor)
            for amount, minor in (("10.00", 1000), ("7.50", 750), ("0.10", 10), ("0.01", 1))
        ),
        ("0.00", "Approved", V.CONTRADICTION, None),
        ("10.01", "Approved", V.CONTRADICTION, None),
        ("5.00", "Pending", V.PENDING, None),
    ],
)
def test_a_detached_refund_may_be_recorded_for_less(
    amount: str, state: str, verdict: evidence.Verdict, approved: int | None
) -> None:
    records = [R(type="detached.refund", transaction_amount=amount, state=state)]
    found = read_records(records, DETACHED)
    assert (found.verdict, found.amount) == (verdict, approved)
    assert bool(found.explanation) is (verdict is V.CONTRADICTION)


def test_what_a_record_tells_besides_is_kept_and_made_storable() -> None:
    details = {"apm_name": "Wallet", "apm_provider_transaction_id": "P\0-1"}
    for given, told in ((details, ("Wallet", "P\ufffd-1")), ({}, ("", "")), (None, ("", ""))):
        found = read_records([R(apm_details=given)], CAPTURE)
        assert (found.amount, found.provider_state, found.provider_transaction_id) == (1000, *told)
    odd = StatusRecord.model_construct(**dict(R()) | {"id": "\0", "transaction_amount": "1.00"})
    assert "record='\ufffd'" in explained(read_records([odd], CAPTURE).explanation)


# What a person has decided

HALF = R(transaction_amount="5.00")
NAMELESS = R(id="0")
ACCEPTED = expecting(is_accepted=True)
BOOKED = expecting(is_accepted=True, approved_id="g1")


@every(
    ("records", "expected", "closed", "verdict", "amount"),
    [
        ([NAMELESS], ACCEPTED, (), V.APPROVED, 1000),
        ([NAMELESS, NAMELESS], ACCEPTED, (), V.CONTRADICTION, None),
        ([NAMELESS], BOOKED, (), V.CONTRADICTION, None),
        ([], ACCEPTED, (), V.INCONCLUSIVE, None),
        ([HALF], ACCEPTED, (HALF,), V.APPROVED, 1000),
        ([HALF], expecting(), (HALF,), V.INCONCLUSIVE, None),
        # The record by which it is booked is never left out, and is not told again.
        ([HALF], BOOKED, (HALF,), V.APPROVED, 500),
        ([SECOND, HALF], expecting(), (HALF,), V.APPROVED, 1000),
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
    verdict: evidence.Verdict,
    amount: int | None,
) -> None:
    found = read_records(records, expected, closed={one.fingerprint for one in closed})
    assert (found.verdict, found.amount) == (verdict, amount)


def test_a_difference_names_its_record_and_one_without_an_id_is_judged_anew() -> None:
    found = read_records([R(), R(id="g2", transaction_amount="5.00")], CAPTURE)
    told, twice = found.discrepancies
    assert (told.record_id, told.amount, told.is_judged_anew) == ("g2", 500, False)
    # Else who gives it up for the one that differs would not know of the other.
    assert (twice.kind, explained(twice.explanation)) == (K.EXECUTED_TWICE, TWICE)
    assert twice.record == told.record, "closed with it, or by itself, it leaves the other one approved"
    assert (found.reported_id, found.shown_amount) == ("g1", 1000)
    alone = read_records([HALF], CAPTURE)
    assert (alone.reported_id, alone.shown_amount) == ("", None)
    (told,) = read_records([NAMELESS, NAMELESS], ACCEPTED).discrepancies
    assert (told.kind, told.record_id, told.amount) == (K.RECORD_UNUSABLE, "", 1000)
    assert told.is_judged_anew


# What cannot be read

OURS_UNREAD = unreadable(client_system_transaction_id="REF-1")
KNOWN_ID = expecting(other_references=frozenset({"ORIGINAL"}), reported_id="g1")


@every(
    ("unread", "records", "verdict", "own"),
    [
        (unreadable(), [], V.INCONCLUSIVE, True),
        (unreadable(), [ERRORED], V.INCONCLUSIVE, True),
        # Only money that moved or may move counts beside what may be its own.
        (unreadable(), [ODD], V.PENDING, False),
        (unreadable(), [PENDING], V.PENDING, False),
        (unreadable(), [R()], V.APPROVED, False),
        (unreadable(), [R(transaction_amount="9.00")], V.CONTRADICTION, False),
        # What names our reference, or stands for all that was not read, exists: somebody decided.
        *(
            (unread, records, V.PENDING, True)
            for unread in (
                OURS_UNREAD,
                unreadable(client_system_transaction_id="REF-1", type="Ecom.Capture"),
                unreadable(is_rest=True),
            )
            for records in ([], [ERRORED])
        ),
        (unreadable(is_rest=True), [R()], V.APPROVED, False),
        # Of another type it keeps no verdict.
        (unreadable(client_system_transaction_id="REF-1", type="chargeback"), [ERRORED], V.REJECTED, False),
    ],
)
def test_beside_a_record_that_cannot_be_read_nothing_is_refused_that_may_be_approved(
    unread: UnreadableRecord, records: list[StatusRecord], verdict: evidence.Verdict, own: bool
) -> None:
    found = read_records(records, KNOWN_ID, [unread])
    assert (found.verdict, found.own_unreadable, found.absent) == (verdict, own, False)
    assert found.unreadable == (unread,)
    kinds = [one.kind for one in found.discrepancies]
    assert found.shown_discrepancy is (kinds[0] if kinds else K.RECORD_UNREADABLE)
    assert explained(found.explanation).startswith("records_unreadable count=1") is own


@every(
    ("changes", "verdict"),
    [
        ({"client_system_transaction_id": "REF-1", "type": "chargeback"}, "kept"),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.capture"}, "kept"),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.capture", "id": "g1"}, "own"),
        ({"id": "t1"}, "own"),
        ({"client_system_transaction_id": "ref-1"}, "another's"),
        ({"client_system_transaction_id": "ANOTHER", "type": "ecom.capture"}, "another's"),
        ({"id": "t1", "type": "Ecom.Capture"}, "another's"),
        ({"client_system_transaction_id": "ORIGINAL", "type": "ecom.sale"}, "another's"),
    ],
)
def test_what_is_unknown_of_a_record_may_fit_and_what_is_known_of_it_counts(
    changes: dict[str, Any], verdict: str
) -> None:
    sale = evidence.ExpectedRecord(references=frozenset({"ORIGINAL"}), wire_type="ecom.sale", amount=1000)
    expected = expecting(
        other_references=frozenset({"ORIGINAL"}),
        reported_id="g1",
        taken=frozenset({("t1", "ecom.capture")}),
        expected_elsewhere=(sale,),
    )
    found = read_records([], expected, [unreadable(**changes)])
    assert bool(found.unreadable) is (verdict != "another's")
    assert found.own_unreadable is (verdict == "own")
    assert found.absent is (verdict != "own")


def test_as_long_as_the_gateway_named_no_id_any_record_under_a_shared_reference_may_be_ours() -> None:
    unread = [unreadable(client_system_transaction_id="ORIGINAL", type="ecom.capture", id="g5")]
    for reported, own in (("", True), ("g1", False)):
        expected = expecting(other_references=frozenset({"ORIGINAL"}), reported_id=reported)
        assert read_records([], expected, unread).own_unreadable is own


def test_the_first_three_are_named_quoted_in_part_and_all_are_counted() -> None:
    long = [unreadable(id=f"g{number}\0" + "y" * 500) for number in range(4)]
    why = read_records([], CAPTURE, [unreadable(), *long]).explanation
    assert why is not None
    first, second, third = why.params["records"]
    assert why.params["count"] == 5
    assert first == {"type": "", "id": "", "fault": "id: is missing"}
    assert second["id"].startswith(r"'g0\x00yyy")
    assert third["id"].startswith(r"'g1\x00yyy")
    assert len(second["id"]) <= 60


def test_unreadable_records_are_the_same_in_any_order_and_number() -> None:
    one, two, known_again = unreadable(), unreadable(fingerprint="f2"), evidence.fingerprint_of
    assert known_again([one, two]) == known_again([two, one, one])
    assert known_again([one]) != known_again([one, two])


def test_the_gravest_discrepancy_is_shown() -> None:
    chargeback = R(id="g6", type="chargeback")
    for records, unread, shown in (
        ([R()], [], None),
        ([ODD], [], K.UNKNOWN_STATE),
        ([chargeback, ODD], [], K.UNKNOWN_TYPE),
        ([chargeback], [unreadable()], K.RECORD_UNREADABLE),
        ([chargeback, R(), SECOND], [unreadable()], K.EXECUTED_TWICE),
    ):
        assert read_records(records, CAPTURE, unread).shown_discrepancy is shown, (records, unread)


# Of a type that the interface does not name


@every(
    ("changes", "is_absent", "is_told"),
    [
        ({"client_system_transaction_id": "REF-1"}, False, True),
        ({"client_system_transaction_id": "REF-1", "state": "Pending"}, False, True),
        ({"client_system_transaction_id": "REF-1", "state": "Odd"}, False, True),
        ({}, True, True),
        ({"state": "errored"}, True, False),
        ({"client_system_transaction_id": "ANOTHER"}, True, False),
        ({"type": "ECOM.Refund"}, True, False),
    ],
)
def test_a_record_of_an_unknown_type_explains_an_absence_and_decides_nothing(
    changes: dict[str, Any], is_absent: bool, is_told: bool
) -> None:
    strange = filed(**{"id": "g6", "type": "ecom.chargeback"} | changes)
    shared = expecting(other_references=frozenset({"ORIGINAL"}))
    found = read_records([strange], shared)
    assert (found.absent, found.unknown_types) == (is_absent, (strange,) if is_told else ())
    assert explained(found.explanation).startswith("no_record" if is_absent else "unknown_type")
    if not is_absent:
        assert found.explanation is not None
        assert found.explanation.params == {
            "type": "ecom.chargeback",
            "state": strange.state,
            "given": "10.00",
            "currency": "EUR",
            "record": "g6",
        }
    beside = read_records([R(), strange], shared)
    assert (beside.verdict, beside.record_id, beside.explanation) == (V.APPROVED, "g1", None)
