"""Whose a record is: by reference, id and type, under shared references, and where it was made elsewhere."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import CAPTURE, SHARED, expecting, filed, record, sibling
from tests.support.tables import every
from wallet_gateway.domain import discrepancies, evidence
from wallet_gateway.protocol.status import StatusRecord

V, K = evidence.Verdict, discrepancies.DiscrepancyKind
R, read_records = record, evidence.read_records
SECOND = R(id="g2")
REFUND = filed(id="g5", type="ecom.refund")
REVERSAL = R(id="g5", type="ecom.reversalPreauthorization")
PORTAL: dict[str, Any] = {"client_system_transaction_id": "PORTAL-1", "type": "ecom.refund"}
OF_SHARED = {"other_references": frozenset({SHARED})}
OF_ID = {**OF_SHARED, "reported_id": "g1"}


def ours_elsewhere(**changes: Any) -> dict[str, Any]:
    """Let another transaction of ours wait for its record under the shared reference."""
    return {**OF_SHARED, "expected_elsewhere": (sibling(**changes),)}


def taken(record_id: str, type_: str = "ecom.capture") -> dict[str, Any]:
    return {"taken": frozenset({(record_id, type_)})}


WHOSE: list[tuple[str, list[StatusRecord], dict[str, Any], dict[str, Any]]] = [
    # The answer, what is expected, and what is found
    ("another transaction's, by id", [R()], taken("g1"), {"absent": True, "of_others": (R(),)}),
    ("that id with another type", [R()], taken("g1", "ecom.refund"), {"record_id": "g1", "of_others": ()}),
    ("ours beside another's", [R(), SECOND], taken("g1"), {"record_id": "g2"}),
    ("a long id that is not ours", [R(id="g" * 129, **PORTAL)], {}, {"absent": True}),
    ("under the original's reference", [filed()], {}, {"absent": True, "elsewhere": ()}),
    ("where that is shared", [filed()], OF_SHARED, {"record_id": "g1", "elsewhere": ()}),
    (
        "once ours has its id the rest was made elsewhere",
        [filed(), filed(id="g2", transaction_amount="1.00")],
        OF_ID,
        {"record_id": "g1", "elsewhere": (filed(id="g2", transaction_amount="1.00"),)},
    ),
    ("under our own reference never", [R(), SECOND], OF_ID, {"shown_discrepancy": K.EXECUTED_TWICE}),
    (
        "two before ours is known",
        [filed(), filed(id="g2")],
        OF_SHARED,
        {"shown_discrepancy": K.EXECUTED_TWICE},
    ),
    *(
        (
            f"{state} of another amount beside ours",
            [filed(), filed(id="g2", transaction_amount="4.00", state=state)],
            OF_SHARED,
            {"record_id": "g1", "elsewhere": rest},
        )
        for state, rest in (
            ("Approved", (filed(id="g2", transaction_amount="4.00"),)),
            ("Errored", ()),
            ("Pending", ()),
        )
    ),
    (
        "another amount alone",
        [filed(transaction_amount="4.00")],
        OF_SHARED,
        {"shown_discrepancy": K.AMOUNT_DIFFERS, "elsewhere": ()},
    ),
    (
        "another amount alone that is like one of another transaction",
        [filed(transaction_amount="4.00")],
        OF_SHARED | {"attributed": frozenset({("ecom.capture", 400)})},
        {"absent": True, "elsewhere": (filed(transaction_amount="4.00"),)},
    ),
    (
        "another amount alone, once ours has ended without money",
        [filed(transaction_amount="4.00")],
        OF_SHARED | {"has_ended": True},
        {"absent": True, "elsewhere": (filed(transaction_amount="4.00"),)},
    ),
    (
        "our amount once ours has ended without money",
        [filed()],
        OF_SHARED | {"has_ended": True},
        {"record_id": "g1", "elsewhere": ()},
    ),
    # A refusal is ours by its id alone.
    ("a refusal with our id", [filed(state="Errored")], OF_ID, {"verdict": V.REJECTED}),
    ("with another", [filed(id="g2", state="Errored")], OF_ID, {"verdict": V.INCONCLUSIVE}),
    ("without any", [filed(id="", state="Errored")], OF_SHARED, {"verdict": V.INCONCLUSIVE}),
    # Approved, and none of our transactions asked for it.
    ("a refund of nobody", [REFUND, R()], OF_SHARED, {"record_id": "g1", "elsewhere": (REFUND,)}),
    *(
        (
            f"it, {changes}",
            [filed(**{"id": "g5", "type": "ecom.refund"} | changes)],
            OF_SHARED,
            {"elsewhere": ()},
        )
        for changes in (
            {"state": "Errored"},
            {"state": "Pending"},
            {"client_system_transaction_id": "REF-9"},
            {"type": "ecom.capture"},
        )
    ),
    ("one that is another's", [REFUND], OF_SHARED | taken("g5", "ecom.refund"), {"elsewhere": ()}),
    # Another of our transactions explains one record, by reference, type and amount together.
    ("explained", [REFUND], ours_elsewhere(), {"elsewhere": ()}),
    *(
        (f"not by {changes}", [REFUND], ours_elsewhere(**changes), {"elsewhere": (REFUND,)})
        for changes in (
            {"references": frozenset({"ANOTHER"})},
            {"wire_type": "ecom.reversalpreauthorization"},
            {"amount": 999},
        )
    ),
    (
        "shown twice, and one more",
        [REFUND, REFUND, filed(id="g6", type="ecom.refund")],
        ours_elsewhere(),
        {"elsewhere": (filed(id="g6", type="ecom.refund"),)},
    ),
    (
        "its id with another type",
        [REFUND, filed(id="g5", type="ecom.sale")],
        ours_elsewhere(),
        {"elsewhere": (filed(id="g5", type="ecom.sale"),)},
    ),
    # The provider's portal may have references of its own.
    (
        "approved under one",
        [R(), R(id="p1", **PORTAL), R(id="p2", state="Errored", **PORTAL)],
        {},
        {"unknown_references": (R(id="p1", **PORTAL),)},
    ),
]


@every(("records", "expected", "told"), [row[1:] for row in WHOSE], ids=[row[0] for row in WHOSE])
def test_each_record_is_given_to_its_transaction(
    records: list[StatusRecord], expected: dict[str, Any], told: dict[str, Any]
) -> None:
    found = read_records(records, expecting(**expected))
    assert {name: getattr(found, name) for name in told} == told


@every(
    ("records", "verdict"),
    [
        ([R()], V.APPROVED),
        ([R(), R()], V.APPROVED),
        ([R(), R(id="g2", state="Errored")], V.APPROVED),
        ([SECOND], K.EXECUTED_TWICE),
        ([R(), SECOND], K.EXECUTED_TWICE),
        ([SECOND, R(id="g3")], K.EXECUTED_TWICE),
        # That another card was declined says nothing of the record by which it was booked.
        ([R(id="g2", state="Errored")], V.INCONCLUSIVE),
        ([R(state="Errored")], V.REJECTED),
        ([R(state="Pending")], V.PENDING),
        ([], V.INCONCLUSIVE),
    ],
)
def test_what_was_approved_by_one_record_is_not_confirmed_by_another(
    records: list[StatusRecord], verdict: evidence.Verdict | discrepancies.DiscrepancyKind
) -> None:
    found = read_records(records, expecting(approved_id="g1"))
    assert (found.shown_discrepancy or found.verdict) is verdict
    if verdict is K.EXECUTED_TWICE:
        assert found.verdict is V.CONTRADICTION
        ids = ", ".join(sorted({"g1", *(str(one.id) for one in records)}))
        assert found.explanation is not None
        assert found.explanation.params == {"ids": ids}


# Of what was executed twice and accepted by a person, one execution is ours


@every(
    ("records", "approved_id", "own", "elsewhere"),
    [
        ([R(), SECOND], "g1", "g1", ["g2"]),
        ([SECOND, R()], "g1", "g1", ["g2"]),
        ([R(), SECOND, R(id="g3")], "g2", "g2", ["g1", "g3"]),
        ([SECOND, R()], "", "g1", ["g2"]),
        ([R(), R(id="g2", state="Errored")], "g1", "g1", []),
        ([R(), R(id="g2", transaction_amount="9.00")], "g1", "g1", ["g2"]),
        ([R(state="Errored"), SECOND, R(id="g3")], "", "g2", ["g3"]),
        # One that is not approved there makes no other one bookable.
        ([SECOND], "g1", K.EXECUTED_TWICE, []),
        ([R(state="Errored"), SECOND], "g1", K.EXECUTED_TWICE, []),
        ([R(state="Pending"), SECOND], "g1", K.EXECUTED_TWICE, []),
        ([R(transaction_amount="9.00"), SECOND], "g1", K.AMOUNT_DIFFERS, ["g2"]),
    ],
)
def test_of_two_accepted_executions_one_is_ours(
    records: list[StatusRecord], approved_id: str, own: str, elsewhere: list[str]
) -> None:
    found = read_records(records, expecting(approved_id=approved_id, is_accepted_twice=True))
    assert (found.shown_discrepancy or found.record_id) == own
    assert [one.id for one in found.elsewhere] == elsewhere


def test_what_was_accepted_without_an_id_is_approved_with_the_amount_that_was_asked_for() -> None:
    accepted = expecting(is_accepted=True)
    found = read_records([R(id="0")], accepted)
    assert (found.verdict, found.amount, found.record_id) == (V.APPROVED, 1000, "")
    assert read_records([R(id="0")] * 2, accepted).shown_discrepancy is K.RECORD_UNUSABLE


def test_a_reversal_that_is_expected_is_not_ours_and_one_of_another_amount_was_made_elsewhere() -> None:
    for amount, elsewhere in ((1000, ()), (300, (REVERSAL,))):
        waits = sibling(
            references=frozenset({"REF-1"}), wire_type="ecom.reversalpreauthorization", amount=amount
        )
        assert read_records([REVERSAL], expecting(expected_elsewhere=(waits,))).elsewhere == elsewhere
    assert read_records([REVERSAL], CAPTURE).elsewhere == (REVERSAL,)
