"""The lines of a capture or refund: sent as they are given, and never with another amount than their sum."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import Pay
from tests.operations.journal import posts
from tests.operations.second_person import asked, needs_two
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Approval, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.operations.approvals.requests import decline
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.follow_ups.cart import cart_of
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.inputs import requested_units
from wallet_gateway.operations.maintenance.retention import erase_customer
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.cart_messages import ShoppingCart
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MUG = Item(product_id="MUG-1", product_name="Mug", unit_amount=Decimal("6.00"))
PARCEL = Shipping(name="Parcel", amount=Decimal("2.50"))
VOUCHER = Discount(name="Welcome", amount=Decimal("0.50"))


def cart(currency: str = "EUR", **given: Any) -> ShoppingCart:
    parts: dict[str, Any] = {"items": [MUG], "shipping": None, "discounts": ()}
    return cart_of(**(parts | given), currency=currency)


@pytest.mark.parametrize("verb", [capture, refund])
@pytest.mark.parametrize("amount", [None, Decimal("8.00")])
def test_the_lines_are_sent_and_their_sum_is_the_amount(
    verb: Callable[..., GatewayTransaction],
    amount: Decimal | None,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    payment = pay(type="preauthorization" if verb is capture else "sale")
    whole = cart(shipping=PARCEL, discounts=[VOUCHER])

    transaction = verb(payment=payment, context=context, amount=amount, cart=whole)

    sent = posts(wallet_sandbox)[-1]["body"]
    assert (transaction.state, sent["amount"]) == ("APPROVED", "8.00")
    assert sent["shoppingCartDetails"] == {
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
    assert kept["shoppingCartDetails"]["itemDetails"][0]["productId"] == "MUG-1"


@pytest.mark.parametrize("amount", ["7.99", "8.01", "20.00"])
def test_lines_that_come_to_another_amount_are_refused_and_nothing_is_sent(
    amount: str, paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    whole = cart(shipping=PARCEL, discounts=[VOUCHER])
    with pytest.raises(InvalidInput) as raised:
        refund(payment=paid, context=context, amount=Decimal(amount), cart=whole)
    assert raised.value.code is ErrorCode.FIELDS_INVALID
    assert [fault.path for fault in raised.value.errors] == ["amount"]
    assert f"is {amount}, but the items come to 8.00" in str(raised.value)
    assert not GatewayTransaction.objects.filter(kind="REFUND").exists()
    assert posts(wallet_sandbox) == []


def test_lines_that_come_to_nothing_are_no_amount() -> None:
    free = cart(discounts=[Discount(name="All", amount=Decimal("6.00"))])
    with pytest.raises(InvalidInput) as raised:
        requested_units(None, free, currency="EUR")
    assert raised.value.code is ErrorCode.AMOUNT_INVALID


def test_lines_are_written_in_the_decimals_of_the_payments_currency(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(currency="JPY", items=(), amount=Decimal(20))
    yen = cart("JPY", items=[Item(product_id="M", product_name="Mug", unit_amount=Decimal(7))])
    assert refund(payment=payment, context=context, cart=yen).amount_minor == 7
    (line,) = posts(wallet_sandbox)[-1]["body"]["shoppingCartDetails"]["itemDetails"]
    assert (line["unitAmount"], line["totalAmount"]) == ("7", "7")


def test_lines_are_kept_no_longer_than_their_request_waits(pay: Pay, context: GatewayContext) -> None:
    two = needs_two(context)

    def waiting() -> Approval:
        payment = pay()
        return asked(lambda: refund(payment=payment, context=two, cart=cart(), who=Initiator(by="anna")))

    declined, erased = waiting(), waiting()
    assert erased.payment is not None
    decline(declined, by="bert", reason="no", clock=two.clock)
    erase_customer(erased.payment.order, by="bert", reason="asked for", clock=two.clock)
    for request in (declined, erased):
        request.refresh_from_db()
        assert request.cart is None
