"""Direct answers of the gateway as evidence: what is a yes, what is a no, and what is neither."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import CAPTURE, DETACHED, OURS, follow_up
from tests.explanations import explained
from tests.tables import every
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind
from wallet_gateway.domain.outcomes import (
    Verdict,
    read_detached_answer,
    read_follow_up_answer,
    wire_type,
)
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpResponse

V, K = Verdict, DiscrepancyKind


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


# The direct answer to a follow-up


@every(
    ("changes", "verdict", "detail"),
    [
        ({}, V.APPROVED, ""),
        ({"state": "Errored"}, V.REJECTED, "errored said='Captured"),
        ({"state": "Errored", "provider_state_code": None}, V.REJECTED, "errored"),
        ({"state": "Pending"}, V.PENDING, ""),
        ({"state": "approved"}, V.APPROVED, ""),
        ({"state": "APPROVED"}, V.APPROVED, ""),
        ({"state": "eRRored"}, V.REJECTED, "errored said='Captured"),
        ({"state": "PENDING"}, V.PENDING, ""),
        ({"state": " Approved"}, V.PENDING, """state_undocumented given=\"' Approved'\""""),
        ({"state": "Approvedd"}, V.PENDING, """state_undocumented given=\"'Approvedd'\""""),
        ({"state": "Quarantined"}, V.PENDING, """state_undocumented given=\"'Quarantined'\""""),
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


@every("state", ["Errored", "Pending"])
def test_what_is_not_approved_has_an_id_that_claims_nothing(state: str) -> None:
    found = read_follow_up_answer(follow_up(state=state), CAPTURE)
    assert (found.record_id, found.reported_id, found.amount) == ("", "g1", None)


@every("state", ["Approved", "Errored", "Pending"])
@every("id_", ["0", "000", "00000000-0000-0000-0000-000000000000", " ", "{00-0}", None])
def test_a_placeholder_in_an_answer_is_no_id(id_: str | None, state: str) -> None:
    found = read_follow_up_answer(follow_up(state=state, id=id_), CAPTURE)
    assert (found.record_id, found.reported_id, found.discrepancies) == ("", "", ())


def test_a_long_state_is_quoted_in_part() -> None:
    found = read_follow_up_answer(follow_up(state="X" * 500), CAPTURE)
    assert len(explained(found.explanation)) < 100
    assert found.undocumented_state == "X" * 500


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
        ({"state": "Partly"}, V.PENDING, None, """state_undocumented given=\"'Partly'\""""),
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


@every(
    ("amount", "kind"),
    [
        ("10.01", K.APPROVED_ABOVE_REQUEST),
        ("99.99", K.APPROVED_ABOVE_REQUEST),
        ("1000.00", K.UNIT_MIX_UP),
    ],
)
def test_more_than_was_asked_is_a_contradiction(amount: str, kind: DiscrepancyKind) -> None:
    found = read_detached_answer(detached(amount=amount), DETACHED)
    assert (found.verdict, found.shown_discrepancy) == (V.CONTRADICTION, kind)
    assert found.explanation == explain(
        ExplanationCode.APPROVED_ABOVE_REQUEST, given=amount, requested="10.00", currency="EUR"
    )
