"""Which records of operations made elsewhere can be booked, and when."""

from __future__ import annotations

from typing import Any

from tests.tables import every
from wallet_gateway.domain.elsewhere import operation_of, refusal_to_book
from wallet_gateway.domain.error_codes import BOOKING_OUTSTANDING, NOT_BOOKABLE, Refusal
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import PaymentTotals, Reversal
from wallet_gateway.protocol.status import StatusRecord

AUTHORIZED = PaymentTotals(amount=2000, authorized=2000)
K = TransactionKind


def record(**changes: Any) -> StatusRecord:
    given = {
        "id": "g9",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": "4.00",
        "clientSystemTransactionId": "R-1",
        "type": "ecom.refund",
    }
    return StatusRecord.from_wire(given | changes)


@every(
    ("wire", "kind"),
    [
        ("ecom.capture", K.CAPTURE),
        ("ecom.refund", K.REFUND),
        ("ECOM.Refund", K.REFUND),
        ("ecom.reversalPreauthorization", K.REVERSAL),
        ("ecom.reversalPreAuthorization", K.REVERSAL),
    ],
)
def test_captures_refunds_and_reversals_are_bookable_in_any_letter_case(
    wire: str, kind: TransactionKind
) -> None:
    operation = operation_of(record(type=wire), currency="EUR")
    assert operation is not None
    assert (operation.kind, operation.amount, operation.record_id) == (kind, 400, "g9")


def test_the_provider_s_id_is_kept() -> None:
    operation = operation_of(record(apmDetails={"apmProviderTransactionId": "P-7"}), currency="EUR")
    assert operation is not None
    assert operation.provider_transaction_id == "P-7"


@every(
    "changes",
    [
        {"type": "ecom.sale"},
        {"type": "ecom.preAuthorization"},
        {"type": "detached.refund"},
        {"type": "chargeback"},
        {"currencyCode": "USD"},
        {"transactionAmount": "0.00"},
        {"id": "g" * 129},
    ],
    ids=str,
)
def test_a_record_for_which_there_is_no_rule_is_left_to_a_person(changes: dict[str, Any]) -> None:
    assert operation_of(record(**changes), currency="EUR") is None


@every(
    ("wire", "amount", "totals", "refusal"),
    [
        ("ecom.refund", "4.00", PaymentTotals(amount=2000, authorized=2000, captured=2000), None),
        ("ecom.capture", "4.00", AUTHORIZED, None),
        ("ecom.reversalPreauthorization", "20.00", AUTHORIZED, None),
        ("ecom.reversalPreauthorization", "4.00", AUTHORIZED, NOT_BOOKABLE),
        ("ecom.refund", "4.00", PaymentTotals(amount=2000), NOT_BOOKABLE),
        ("ecom.sale", "4.00", AUTHORIZED, NOT_BOOKABLE),
        (
            "ecom.capture",
            "4.00",
            PaymentTotals(amount=2000, authorized=2000, capture_reserved=1),
            BOOKING_OUTSTANDING,
        ),
        (
            "ecom.refund",
            "4.00",
            PaymentTotals(amount=2000, authorized=2000, captured=2000, refund_reserved=1),
            BOOKING_OUTSTANDING,
        ),
        (
            "ecom.capture",
            "4.00",
            PaymentTotals(amount=2000, authorized=2000, reversal=Reversal.RESERVED),
            BOOKING_OUTSTANDING,
        ),
        # Above the limit is bookable: the excess is a discrepancy.
        (
            "ecom.capture",
            "4.00",
            PaymentTotals(amount=2000, authorized=2000, reversal=Reversal.DONE),
            None,
        ),
        ("ecom.refund", "40.00", PaymentTotals(amount=2000, authorized=2000, captured=2000), None),
    ],
)
def test_an_operation_is_booked_on_an_approved_payment_of_which_nothing_is_reserved(
    wire: str, amount: str, totals: PaymentTotals, refusal: Refusal | None
) -> None:
    operation = operation_of(record(type=wire, transactionAmount=amount), currency="EUR")
    assert refusal_to_book(operation, totals) is refusal
