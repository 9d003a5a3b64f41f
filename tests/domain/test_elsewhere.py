"""Which records of operations made elsewhere can be booked, and when."""

from __future__ import annotations

from typing import Any

from tests.domain.gateway_words import record
from tests.support.tables import every
from wallet_gateway.domain import elsewhere, error_codes, states

K, NOT_BOOKABLE = states.TransactionKind, error_codes.NOT_BOOKABLE
OUTSTANDING = error_codes.BOOKING_OUTSTANDING
RESERVED, DONE = states.Reversal.RESERVED, states.Reversal.DONE
AUTHORIZED = {"authorized": 2000}
CAPTURED = {"authorized": 2000, "captured": 2000}
REVERSAL = "ecom.reversalPreauthorization"


def operation(**changes: Any) -> elsewhere.OperationElsewhere | None:
    given = {"id": "g9", "transaction_amount": "4.00", "type": "ecom.refund"}
    return elsewhere.operation_of(record(**given | changes), currency="EUR")


@every(
    ("wire", "kind"),
    [
        ("ecom.capture", K.CAPTURE),
        ("ecom.refund", K.REFUND),
        ("ECOM.Refund", K.REFUND),
        (REVERSAL, K.REVERSAL),
        ("ecom.reversalPreAuthorization", K.REVERSAL),
    ],
)
def test_captures_refunds_and_reversals_are_bookable_in_any_letter_case_with_the_providers_id(
    wire: str, kind: states.TransactionKind
) -> None:
    found = operation(type=wire, apm_details={"apm_provider_transaction_id": "P-7"})
    assert found is not None
    assert (found.kind, found.amount, found.record_id) == (kind, 400, "g9")
    assert found.provider_transaction_id == "P-7"


@every(
    "changes",
    [
        *(
            {"type": type_}
            for type_ in ("ecom.sale", "ecom.preAuthorization", "detached.refund", "chargeback")
        ),
        {"currency_code": "USD"},
        {"transaction_amount": "0.00"},
        {"id": "g" * 129},
    ],
)
def test_a_record_for_which_there_is_no_rule_is_left_to_a_person(changes: dict[str, Any]) -> None:
    assert operation(**changes) is None


@every(
    ("wire", "amount", "sums", "refusal"),
    [
        ("ecom.refund", "4.00", CAPTURED, None),
        ("ecom.capture", "4.00", AUTHORIZED, None),
        (REVERSAL, "20.00", AUTHORIZED, None),
        (REVERSAL, "4.00", AUTHORIZED, NOT_BOOKABLE),
        ("ecom.refund", "4.00", {}, NOT_BOOKABLE),
        ("ecom.sale", "4.00", AUTHORIZED, NOT_BOOKABLE),
        ("ecom.capture", "4.00", {**AUTHORIZED, "capture_reserved": 1}, OUTSTANDING),
        ("ecom.refund", "4.00", {**CAPTURED, "refund_reserved": 1}, OUTSTANDING),
        ("ecom.capture", "4.00", {**AUTHORIZED, "reversal": RESERVED}, OUTSTANDING),
        # Above the limit is bookable: the excess is a discrepancy.
        ("ecom.capture", "4.00", {**AUTHORIZED, "reversal": DONE}, None),
        ("ecom.refund", "40.00", CAPTURED, None),
    ],
)
def test_an_operation_is_booked_on_an_approved_payment_of_which_nothing_is_reserved(
    wire: str, amount: str, sums: dict[str, Any], refusal: error_codes.Refusal | None
) -> None:
    found = operation(type=wire, transaction_amount=amount)
    assert elsewhere.refusal_to_book(found, states.PaymentTotals(amount=2000, **sums)) is refusal
