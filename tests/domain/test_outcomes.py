"""Direct answers of the gateway as evidence: what is a yes, what is a no, and what is neither."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import CAPTURE, DETACHED, OURS
from tests.support.explanations import explained
from tests.support.tables import every
from wallet_gateway.domain import discrepancies, evidence, states
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse

V, K = evidence.Verdict, discrepancies.DiscrepancyKind
KIND, TYPE = states.TransactionKind, states.PaymentType
LONG = "g" * evidence.LONGEST_RECORD_ID


def follow_up(**changes: Any) -> FollowUpResponse:
    given = {
        "id": "g1",
        "state": "Approved",
        "provider_state_code": "Captured",
        "currency_code": "EUR",
        "client_system_transaction_id": OURS,
    }
    return FollowUpResponse.build(**given | changes)


def read(**changes: Any) -> evidence.Finding:
    """Read the answer to a capture, which approves it but for these changes."""
    return evidence.read_follow_up_answer(follow_up(**changes), CAPTURE)


@every(
    ("kind", "payment_type", "expected"),
    [
        *((kind, TYPE.SALE, "ecom.sale") for kind in states.OPENING_KINDS),
        *((kind, TYPE.PREAUTHORIZATION, "ecom.preauthorization") for kind in states.OPENING_KINDS),
        (KIND.CAPTURE, TYPE.PREAUTHORIZATION, "ecom.capture"),
        (KIND.REFUND, TYPE.SALE, "ecom.refund"),
        (KIND.REVERSAL, TYPE.PREAUTHORIZATION, "ecom.reversalpreauthorization"),
        (KIND.DETACHED_REFUND, TYPE.SALE, "detached.refund"),
    ],
)
def test_every_transaction_has_a_wire_type_in_lower_case(
    kind: states.TransactionKind, payment_type: states.PaymentType, expected: str
) -> None:
    assert evidence.wire_type(kind, payment_type) == expected


# To a capture, refund or reversal


@every(
    ("changes", "verdict", "why"),
    [
        *(({"state": state}, V.APPROVED, "") for state in ("Approved", "approved", "APPROVED")),
        *(({"state": state}, V.REJECTED, "errored said='Captured'") for state in ("Errored", "eRRored")),
        ({"state": "Errored", "provider_state_code": None}, V.REJECTED, "errored"),
        *(({"state": state}, V.PENDING, "") for state in ("Pending", "PENDING")),
        *(
            ({"state": state}, V.PENDING, f'state_undocumented given="{state!r}"')
            for state in (" Approved", "Approvedd", "Quarantined")
        ),
        *(
            ({"client_system_transaction_id": other}, V.INCONCLUSIVE, "reference_not_echoed")
            for other in (None, "REF-2", "ref-1", "REF-1 ")
        ),
        *(({"currency_code": other}, V.INCONCLUSIVE, "currency_not_echoed") for other in (None, "USD")),
        # A failure that is not plainly about our request is no failure of it either.
        (
            {"state": "Errored", "client_system_transaction_id": "REF-2"},
            V.INCONCLUSIVE,
            "reference_not_echoed",
        ),
    ],
)
def test_an_answer_to_a_follow_up(changes: dict[str, Any], verdict: evidence.Verdict, why: str) -> None:
    found = read(**changes)
    assert (found.verdict, explained(found.explanation)) == (verdict, why)


@every(
    ("id_", "approved", "kept"),
    [
        ("g1", "g1", "g1"),
        (LONG, LONG, LONG),
        *(
            (none, "", "")
            for none in ("0", "000", "00000000-0000-0000-0000-000000000000", " ", "{00-0}", None)
        ),
    ],
)
def test_an_approval_brings_its_record_and_a_placeholder_is_no_id(
    id_: str | None, approved: str, kept: str
) -> None:
    found = read(id=id_)
    assert (found.record_id, found.amount, found.provider_state) == (approved, 1000, "Captured")
    assert found.discrepancies == ()
    for state in ("Errored", "Pending"):
        other = read(id=id_, state=state)
        assert (other.record_id, other.reported_id, other.amount) == ("", kept, None)


def test_an_id_too_long_to_be_kept_is_refused_and_never_cut() -> None:
    found = read(id=LONG + "1")
    assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, K.RECORD_UNUSABLE)
    assert found.record_id == ""
    assert "record_id_too_long limit=128" in explained(found.explanation)
    for state, verdict in (("Errored", V.REJECTED), ("Pending", V.PENDING), ("Odd", V.PENDING)):
        unlooked = read(id=LONG + "1", state=state)
        assert (unlooked.verdict, unlooked.discrepancies) == (verdict, ())


def test_texts_are_quoted_in_part_and_made_storable() -> None:
    found = read(state="X" * 500)
    assert len(explained(found.explanation)) < 100
    assert found.undocumented_state == "X" * 500
    said = FollowUpResponse.model_construct(
        **dict(follow_up()) | {"id": "g\0001", "provider_state_code": "\0"}
    )
    found = evidence.read_follow_up_answer(said, CAPTURE)
    assert (found.record_id, found.provider_state) == ("g\ufffd1", "\ufffd")


# To a detached refund

MESSAGE = "requested 10.00, refunded 10.00"
TOLD = f"gateway_message said='{MESSAGE}'"


def above(given: str) -> str:
    return f"approved_above_request given='{given}' requested='10.00' currency='EUR'"


@every(
    ("changes", "verdict", "amount", "why"),
    [
        ({}, V.APPROVED, 1000, TOLD),
        ({"amount": "7.50"}, V.APPROVED, 750, TOLD),
        ({"amount": "0.01", "response_message": None}, V.APPROVED, 1, ""),
        # Finer than the currency is no evidence of any amount.
        *(
            ({"amount": amount}, V.INCONCLUSIVE, None, "amount_unreadable")
            for amount in (None, "0.00", "7.505")
        ),
        *(
            ({"amount": amount}, K.APPROVED_ABOVE_REQUEST, None, above(amount))
            for amount in ("10.01", "99.99")
        ),
        ({"amount": "1000.00"}, K.UNIT_MIX_UP, None, above("1000.00")),
        ({"state": "Errored"}, V.REJECTED, None, f"errored said='{MESSAGE}'"),
        ({"state": "Pending"}, V.PENDING, None, ""),
        ({"state": "Partly"}, V.PENDING, None, "state_undocumented given=\"'Partly'\""),
        ({"client_system_transaction_id": "X"}, V.INCONCLUSIVE, None, "reference_not_echoed"),
        *(({"currency_code": other}, V.INCONCLUSIVE, None, "currency_not_echoed") for other in (None, "USD")),
    ],
)
def test_an_answer_to_a_detached_refund(
    changes: dict[str, Any],
    verdict: evidence.Verdict | discrepancies.DiscrepancyKind,
    amount: int | None,
    why: str,
) -> None:
    given = {
        "state": "Approved",
        "currency_code": "EUR",
        "client_system_transaction_id": OURS,
        "amount": "10.00",
        "response_message": MESSAGE,
    }
    # As it is: the message itself refuses an amount finer than its currency.
    answer = DetachedRefundResponse.model_construct(**given | changes)
    found = evidence.read_detached_answer(answer, DETACHED)
    is_above = isinstance(verdict, K)
    assert (found.verdict, found.amount, found.record_id) == (
        V.CONTRADICTION if is_above else verdict,
        amount,
        "",
    )
    assert found.shown_discrepancy == (
        verdict if is_above else K.UNKNOWN_STATE if "'Partly'" in why else None
    )
    assert explained(found.explanation) == why
