"""What a capture, refund or reversal may be of, what of it is sent, and who is told why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.money.sending.movers import mover
from tests.support.database_faults import RESERVING, meddling
from tests.support.gateway import approved, record
from tests.support.refusals import refuses
from tests.support.shop import Shop, euros, of, order_of, reloaded, state
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.models import (
    Approval,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.payments.errors import InvalidInput, InvalidState
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db
CAPTURE, REFUND, REVERSE = payments.capture, payments.refund, payments.reverse
E = ErrorCode
THIRTY, FIVE = Decimal("30.00"), Decimal("5.00")
MUG = payments.Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal("6.00"))
PARCEL = payments.Shipping(name="Parcel", amount=Decimal("2.50"))
VOUCHER = payments.Discount(name="Welcome", amount=Decimal("0.50"))


def authorized(shop: Shop, **given: Any) -> Payment:
    return shop.pay(type="preauthorization", **given)


# What is sent


def test_a_follow_up_names_its_original_and_has_a_reference_of_its_own(shop: Shop) -> None:
    account = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    payment = shop.pay(order_number="A-1001")
    transaction = REFUND(order_of(payment), Decimal("7.50"))
    (sent,) = shop.gateway.sent
    assert dict(sent) | {"userId": ""} == {
        "merchantId": account["MERCHANT_ID"],
        "storeId": account["STORE_ID"],
        "userId": "",
        "type": "ecom.refund",
        "amount": "7.50",
        "currencyCode": "EUR",
        "clientSystemTransactionId": transaction.reference,
        "clientSystemInvoiceId": payment.reference,
        "providerDiscretionaryData": "A-1001",
        "apmDetails": {"apmProvider": account["PROVIDER"]},
    }
    assert transaction.reference != payment.reference


def test_the_preview_is_the_request_but_for_its_reference_and_moves_nothing(shop: Shop) -> None:
    payment = authorized(shop, order_number="A-1001")
    shown = json.loads(payments.follow_ups.preview(payment, TransactionKind.CAPTURE, euros("5.00")))
    assert (shop.gateway.sent, payment.transactions.count()) == ([], 1)
    transaction = CAPTURE(order_of(payment), FIVE)
    sent = json.loads(TransactionEvent.objects.get(transaction=transaction).request_body)
    assert (shown.pop("clientSystemTransactionId") != "", shown) == (
        sent.pop("clientSystemTransactionId") == transaction.reference,
        sent,
    )
    body = payments.follow_ups.shown_body(
        '{"amount":"5.00","cryptogram":"AgAA","cardholderEmail":"a@b.example"}'
    )
    assert ("5.00" in body, "AgAA" in body, "a@b" in body) == (True, False, False)
    assert payments.follow_ups.shown_body("") == ""


@pytest.mark.parametrize(("currency", "amount", "wire"), [("JPY", "7", "7"), ("KWD", "1.25", "1.250")])
def test_amounts_and_lines_leave_with_the_decimals_of_their_currency(
    currency: str, amount: str, wire: str, shop: Shop
) -> None:
    payment = shop.begin(currency=currency, amount=Decimal(20))
    shop.report_and_ask(payment, record(payment.reference, currencyCode=currency, transactionAmount=20))
    item = payments.Item(product_id="M", product_name="Mug", unit_amount=Decimal(amount))
    assert REFUND(order_of(payment), items=[item]).state == "APPROVED"
    sent = shop.gateway.sent[-1]
    (line,) = sent["shoppingCartDetails"]["itemDetails"]
    assert (sent["amount"], line["unitAmount"], line["totalAmount"]) == (wire, wire, wire)


@pytest.mark.parametrize("amount", [None, Decimal("8.00")])
@pytest.mark.parametrize("verb", [CAPTURE, REFUND])
def test_lines_are_sent_and_their_sum_is_the_amount(
    verb: Callable[..., GatewayTransaction], amount: Decimal | None, shop: Shop
) -> None:
    payment = authorized(shop) if verb is CAPTURE else shop.pay()
    lines: dict[str, Any] = {"items": [MUG], "shipping": PARCEL, "discounts": [VOUCHER]}
    transaction = verb(order_of(payment), amount, **lines)
    assert (transaction.state, transaction.amount) == ("APPROVED", euros("8.00"))
    details = shop.gateway.sent[-1]["shoppingCartDetails"]
    assert details == {
        "itemDetails": [
            {
                "productId": "MUG-1",
                "productName": "Mug",
                "productQuantity": 1,
                "unitAmount": "6.00",
                "totalAmount": "6.00",
            }
        ],
        "shippingDetails": {"shippingName": "Parcel", "shippingAmount": "2.50"},
        "discountDetails": [
            {"discountAmount": "0.50", "discountType": "discount", "discountName": "Welcome"}
        ],
    }
    kept = json.loads(TransactionEvent.objects.get(transaction=transaction).request_body)
    assert kept["shoppingCartDetails"] == details


@pytest.mark.parametrize("amount", ["7.99", "8.01", "30.00"])
def test_lines_that_come_to_another_amount_are_refused_and_nothing_is_sent(amount: str, shop: Shop) -> None:
    payment = shop.pay()
    with refuses(InvalidInput, E.FIELDS_INVALID, says=f"is {amount}, but the items come to 8.00"):
        REFUND(order_of(payment), Decimal(amount), items=[MUG], shipping=PARCEL, discounts=[VOUCHER])
    free = payments.Discount(name="All", amount=Decimal("6.00"))
    with refuses(InvalidInput, E.AMOUNT_INVALID):
        REFUND(order_of(payment), items=[MUG], discounts=[free])
    assert (shop.gateway.sent, payment.transactions.count()) == ([], 1)


def test_lines_are_kept_no_longer_than_their_request_waits(shop: Shop) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "1.00"}})
    waiting = []
    for _ in range(2):
        with pytest.raises(payments.errors.AwaitingApproval) as raised:
            REFUND(order_of(shop.pay()), items=[MUG], by="anna")
        waiting.append(raised.value.approval)
    declined, erased = waiting
    payments.approvals.decline(declined, by="bert", reason="no")
    assert erased.payment is not None
    payments.maintenance.erase_customer(erased.payment.order, by="bert", reason="asked for")
    assert set(Approval.objects.values_list("sends", flat=True)) == {None}


def test_the_reason_is_kept_and_a_card_number_in_a_comment_loses_its_digits(shop: Shop) -> None:
    payment = authorized(shop)
    captured = CAPTURE(order_of(payment), FIVE, reason_code="part-shipped", comment="parcel 1", by="grace")
    assert (captured.reason_code, captured.comment, captured.created_by) == (
        "part-shipped",
        "parcel 1",
        "grace",
    )
    refunded = REFUND(order_of(payment), reason_code="returned", comment="n" * 495 + " 4111.1111 1111-1111")
    assert (refunded.reason_code, refunded.comment) == ("returned", "n" * 495 + " ***1")
    with pytest.raises(InvalidInput, match=r"reason code is not known for the operation.*: cancelled"):
        REVERSE(order_of(authorized(shop)), reason_code="returned")


# How much


@pytest.mark.parametrize("amount", [None, THIRTY, Decimal(30), Money(THIRTY, "EUR")])
def test_no_amount_means_all_that_is_left(amount: Decimal | Money | None, shop: Shop) -> None:
    payment = authorized(shop)
    assert CAPTURE(order_of(payment), amount).amount == euros("30.00")
    assert REFUND(order_of(payment), amount).amount == euros("30.00")
    if amount is None:
        other = authorized(shop)
        CAPTURE(order_of(other), FIVE)
        assert CAPTURE(order_of(other)).amount == euros("25.00")
        REFUND(order_of(other), FIVE)
        assert REFUND(order_of(other)).amount == euros("25.00")


@every(
    ("captured", "refunded", "verb", "amount", "code"),
    [
        ("", "", CAPTURE, "30.01", E.AMOUNT_TOO_HIGH),
        ("", "", REFUND, "", E.NOTHING_LEFT),
        ("5.00", "", CAPTURE, "25.01", E.AMOUNT_TOO_HIGH),
        ("5.00", "", REFUND, "5.01", E.AMOUNT_TOO_HIGH),
        ("5.00", "1.00", REFUND, "4.01", E.AMOUNT_TOO_HIGH),
        ("5.00", "5.00", REFUND, "", E.AMOUNT_TOO_HIGH),
        ("5.00", "", REVERSE, "", E.REFUND_NEEDED),
        ("30.00", "", CAPTURE, "", E.AMOUNT_TOO_HIGH),
        ("reversed", "", CAPTURE, "", E.NOTHING_LEFT),
        ("reversed", "", REVERSE, "", E.NOTHING_LEFT),
        ("unpaid", "", CAPTURE, "", E.NOTHING_LEFT),
        ("unpaid", "", REFUND, "", E.NOTHING_LEFT),
        ("unpaid", "", REVERSE, "", E.NOTHING_LEFT),
        ("frozen", "", CAPTURE, "1.00", E.PAYMENT_FROZEN),
        ("frozen", "", REFUND, "1.00", E.PAYMENT_FROZEN),
        ("frozen", "", REVERSE, "", E.PAYMENT_FROZEN),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_sent(
    captured: str,
    refunded: str,
    verb: Callable[..., GatewayTransaction],
    amount: str,
    code: ErrorCode,
    shop: Shop,
) -> None:
    payment = shop.begin() if captured == "unpaid" else authorized(shop)
    if captured == "reversed":
        REVERSE(order_of(payment))
    elif captured == "frozen":
        strange = record(payment.reference, id="R-9", type="ecom.capture", transactionAmount=1)
        shop.report_and_ask(payment, *shop.gateway.records[payment.reference], strange)
    elif captured not in {"", "unpaid"}:
        CAPTURE(order_of(payment), Decimal(captured))
    if refunded:
        REFUND(order_of(payment), Decimal(refunded))
    before = len(shop.gateway.sent), GatewayTransaction.objects.count()
    with refuses(InvalidState, code):
        verb(order_of(payment), *([Decimal(amount)] if amount else []))
    assert (len(shop.gateway.sent), GatewayTransaction.objects.count()) == before


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("name", "columns", "code"),
    [
        ("capture", {"is_frozen": True}, E.PAYMENT_FROZEN),
        ("capture", {"reversal": "reserved"}, E.NOTHING_LEFT),
        ("capture", {"captured": 2501}, E.AMOUNT_TOO_HIGH),
        ("capture", {"capture_reserved": 2501}, E.AMOUNT_TOO_HIGH),
        ("capture", {"authorized": 499}, E.AMOUNT_TOO_HIGH),
        ("reversal", {"is_frozen": True}, E.PAYMENT_FROZEN),
        ("reversal", {"captured": 1}, E.REFUND_NEEDED),
        ("reversal", {"capture_reserved": 1}, E.REFUND_NEEDED),
        ("reversal", {"reversal": "reserved"}, E.NOTHING_LEFT),
        ("reversal", {"authorized": 0}, E.NOTHING_LEFT),
        ("refund", {"is_frozen": True}, E.PAYMENT_FROZEN),
        ("refund", {"refunded": 2501}, E.AMOUNT_TOO_HIGH),
        ("refund", {"refund_reserved": 2501}, E.AMOUNT_TOO_HIGH),
        ("refund", {"captured": 499}, E.AMOUNT_TOO_HIGH),
    ],
)
def test_a_reservation_sees_what_came_between_reading_and_writing(
    name: str, columns: dict[str, Any], code: ErrorCode, shop: Shop
) -> None:
    operation = mover(name, shop)
    before = GatewayTransaction.objects.count()

    def write() -> None:
        Payment.objects.update(**columns)

    with meddling(RESERVING, act=write), refuses(InvalidState, code):
        operation.execute()
    assert (shop.gateway.sent, GatewayTransaction.objects.count()) == ([], before)


def test_a_pending_refund_holds_its_amount_until_the_gateway_decides(shop: Shop) -> None:
    operation = mover("refund", shop)
    operation.will(lambda sent: (200, approved(sent, state="Pending")))
    transaction = operation.execute()
    assert (transaction.state, operation.held()) == ("PENDING", 500)
    shop.report(transaction, of(transaction))
    shop.sweep_when_due(transaction)
    assert transaction.state == "APPROVED"
    operation.check_money(transaction)
    assert OutboxEvent.objects.get(transaction=transaction).kind == "REFUNDED"


# Which payment of an order


def test_a_payment_of_another_order_is_not_operated_on(shop: Shop) -> None:
    mine, other = shop.pay(), shop.pay()
    for verb in (CAPTURE, REFUND, REVERSE):
        with refuses(InvalidInput, E.ARGUMENT_INVALID, says="does not belong", order=mine.order.reference):
            verb(order_of(mine), payment=other)
    assert REFUND(order_of(other), payment=other).state == "APPROVED"
    open_page = shop.begin()
    with refuses(InvalidState, E.NOTHING_LEFT, order=open_page.order.reference):
        CAPTURE(order_of(open_page))


def test_a_payment_that_was_reversed_is_passed_over(shop: Shop) -> None:
    first = authorized(shop)
    REVERSE(order_of(first))
    again = payments.start_checkout(order_of(first))
    shop.report_and_ask(again, record(again.reference, type="ecom.preAuthorization"))
    assert CAPTURE(order_of(first)).payment == again
    assert REFUND(order_of(first)).payment == again


def test_of_two_payments_the_shop_says_which_and_the_order_stays_paid_by_the_other(shop: Shop) -> None:
    first, second = shop.two_pages()
    for payment in (first, second):
        shop.report(payment, record(payment.reference))
    shop.ask(first)
    assert state(first)[0] == "OVERPAID"
    with refuses(InvalidInput, E.SEVERAL_PAYMENTS, count=2):
        REFUND(order_of(first))
    assert REFUND(order_of(first), payment=second).state == "APPROVED"
    assert state(first)[0] == "PAID"


# A currency that ISO 4217 withdraws


def withdraw(code: str) -> None:
    """Make rows in the currency as they are after its withdrawal, by renaming the one they are in."""
    for model in (PaymentOrder, Payment, GatewayTransaction):
        model._default_manager.update(currency=code)


def test_what_was_paid_in_a_withdrawn_currency_is_followed_up(shop: Shop) -> None:
    unpaid, payment = shop.order(), shop.begin(type="preauthorization")
    withdraw("BGN")
    opening = {"type": "ecom.preAuthorization", "currencyCode": "BGN"}
    shop.report_and_ask(payment, record(payment.reference, **opening))
    assert reloaded(payment).state == "AUTHORIZED"

    captured = payments.capture(order_of(payment), Money(Decimal("10.50"), "BGN"))
    refunded = payments.refund(order_of(payment))
    assert [(sent["amount"], sent["currencyCode"]) for sent in shop.gateway.sent] == [("10.50", "BGN")] * 2
    assert (captured.state, refunded.state) == ("APPROVED", "APPROVED")
    assert str(order_of(payment).amount) == "30.00 BGN"
    shop.days(1)
    assert str(payments.order_summary(order_of(payment)).refunded) == "10.50 BGN"
    # What was ordered before may still be paid.
    unpaid.refresh_from_db()
    page = payments.start_checkout(unpaid)
    shop.report_and_ask(page, record(page.reference, currencyCode="BGN"))
    assert state(page)[0] == "PAID"


@pytest.mark.parametrize("code", ["BGN", "ang"])
def test_a_new_order_in_a_withdrawn_currency_is_refused(shop: Shop, code: str) -> None:
    with pytest.raises(InvalidInput, match=r"currency: .* is withdrawn from ISO 4217"):
        shop.order(currency=code)
