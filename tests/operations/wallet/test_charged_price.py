"""The price on the wallet's sheet: what it showed is what is charged, whatever is priced meanwhile."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder
from tests.operations.journal import sent
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, PriceChanged, WalletUnavailable
from wallet_gateway.operations.wallet.hooks import SheetPricing, SheetQuestion, ShippingOption
from wallet_gateway.operations.wallet.pricing import shown_last
from wallet_gateway.operations.wallet.session import price_sheet_of
from wallet_gateway.protocol.accounts import PaymentAccount
from wallet_gateway.queries.wallet import wallet_receipt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def pricing(question: SheetQuestion) -> SheetPricing:
    """Ship for 5.00, abroad for 15.00."""
    address = question.shipping_address or {}
    abroad = address.get("countryCode", "DE") != "DE"
    amount = Decimal("15.00") if abroad else Decimal("5.00")
    return SheetPricing(options=(ShippingOption(id="std", label="Standard", amount=amount),))


def test_what_the_sheet_showed_is_authorized_and_the_order_is_paid_by_it(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    shop = replace(customer, context=make_context(price=pricing))
    order = make_order()
    button = shop.open(order)
    assert button.parameters["amount"] == "25.00"

    payment = shop.post(order, shop.approve(button))

    (body,) = sent(wallet_sandbox)
    assert body["amount"] == "25.00"
    assert (payment.amount_minor, payment.authorized) == (2500, 2500)
    assert payment.order.state == OrderState.PAID
    assert payment.order.amount_minor == 2000


def test_an_address_that_costs_more_than_the_sheet_showed_is_not_charged(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    shop = replace(customer, context=make_context(price=pricing))
    order = make_order()
    detail = shop.approve(shop.open(order)) | {"shippingAddress": {"countryCode": "NZ"}}

    with pytest.raises(PriceChanged):
        shop.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


@pytest.mark.parametrize("now", [Decimal("0.00"), Decimal("4.99"), Decimal("5.01"), Decimal("9.00")])
def test_a_price_that_has_changed_since_the_sheet_showed_it_is_not_charged(
    now: Decimal,
    customer: Customer,
    make_context: MakeContext,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    amounts = [Decimal("5.00")]

    def price(_: SheetQuestion) -> SheetPricing:
        return SheetPricing(options=(ShippingOption(id="std", label="Standard", amount=amounts[-1]),))

    shop, order = replace(customer, context=make_context(price=price)), make_order()
    detail = shop.approve(shop.open(order))
    amounts.append(now)

    with pytest.raises(PriceChanged):
        shop.post(order, detail)
    assert not sent(wallet_sandbox)
    amounts.append(Decimal("5.00"))
    assert shop.post(order, detail).authorized == 2500


def test_a_price_for_one_address_is_not_paid_for_a_parcel_that_the_page_says_nothing_of(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context = make_context(price=pricing)
    assert context.wallet is not None
    wallet = replace(context.wallet, shipping_address=True, shipping_countries=("DE", "NZ"))
    shop, order = replace(customer, context=replace(context, wallet=wallet)), make_order()
    button = shop.open(order)
    detail = shop.approve(button)

    for spoilt in ({}, {"shippingAddress": {"name": "Ada"}}, {"shippingAddress": {"countryCode": "AQ"}}):
        with pytest.raises(InvalidInput, match="shippingAddress"):
            shop.post(order, detail | spoilt)

    assert not sent(wallet_sandbox)
    paid = shop.post(order, detail | {"shippingAddress": {"countryCode": "DE"}})
    assert paid.order.state == OrderState.PAID


def test_what_is_priced_while_a_card_is_being_charged_changes_neither_its_amount_nor_what_is_on_record(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder
) -> None:
    context = make_context(price=pricing)
    shop, order = replace(customer, context=context), make_order()
    button = shop.open(order)
    detail = shop.approve(button) | {"shippingAddress": {"countryCode": "DE"}}
    look_up = context.gateway.payment_account

    def meanwhile(*given: Any, **more: Any) -> Answer[PaymentAccount]:
        price_sheet_of(
            order=order,
            reference=button.reference,
            session=shop.session,
            chosen={"address": {"countryCode": "NZ"}, "option": "std", "offers": ()},
            context=context,
        )
        with pytest.raises(InvalidInput, match="another result"):
            shop.post(order, detail | {"shippingAddress": {"countryCode": "NZ"}})
        return look_up(*given, **more)

    context.gateway.payment_account = meanwhile  # type: ignore[method-assign]
    payment = shop.post(order, detail)

    assert (payment.authorized, payment.order.state) == (2500, OrderState.PAID)
    receipt = wallet_receipt(order)
    assert receipt is not None
    assert (receipt.amount.to_wire(), receipt.shipping_address) == ("25.00", {"countryCode": "DE"})
    assert WalletAttempt.objects.get().price["address"] is None


def test_another_card_is_charged_what_the_sheet_showed_after_the_first_one(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context = make_context(price=pricing)
    shop, order = replace(customer, context=context), make_order()
    button = shop.open(order)
    wallet_sandbox.fault("authorization", "errored")
    shop.post(order, shop.approve(button))
    price_sheet_of(
        order=order,
        reference=button.reference,
        session=shop.session,
        chosen={"address": {"countryCode": "NZ"}, "option": "std", "offers": ()},
        context=context,
    )
    shop.post(order, shop.approve(button, reference=shop.another_card(order)))
    assert [body["amount"] for body in sent(wallet_sandbox)] == ["25.00", "35.00"]


@pytest.mark.every_database
@pytest.mark.parametrize("has_result", [False, True])
def test_a_price_that_comes_late_is_not_stored_over_the_one_that_the_sheet_shows(
    has_result: bool, customer: Customer, make_context: MakeContext, make_order: MakeOrder
) -> None:
    order = make_order()

    def price(country: str, context: GatewayContext) -> int:
        priced = price_sheet_of(
            order=order,
            reference=button.reference,
            session=customer.session,
            chosen={"address": {"countryCode": country}, "option": "std", "offers": ()},
            context=context,
        )
        return priced.total.minor_units

    def slow(question: SheetQuestion) -> SheetPricing:
        price("DE", fast_context)
        return pricing(question)

    fast_context = make_context(price=pricing)
    button = replace(customer, context=fast_context).open(order)
    WalletAttempt.objects.update(results_count=int(has_result))

    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="at the same time"):
        price("NZ", make_context(price=slow))
    assert shown_last(WalletAttempt.objects.get().price)["address"] == {"countryCode": "DE"}
    assert shown_last(WalletAttempt.objects.get().price)["total"] == 2500
    assert price("NZ", fast_context) == 3500
    assert shown_last(WalletAttempt.objects.get().price)["total"] == 3500
