"""The button before it is pressed: its parameters, whose it is, and when no button is shown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.errors import (
    InvalidInput,
    OperationError,
    SendingStopped,
    WalletUnavailable,
)
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.sending.circuit_breaker import pause_sending
from wallet_gateway.operations.wallet.hooks import SheetFault, SheetPricing, SheetQuestion, ShippingOption
from wallet_gateway.operations.wallet.pricing import SheetPrice
from wallet_gateway.operations.wallet.session import next_reference, open_session, price_sheet_of
from wallet_gateway.queries.wallet import wallet_receipt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def stands(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


@pytest.mark.parametrize(
    ("language", "setting", "sent"),
    [
        ("nb", "", "no"),
        ("nn-NO", "", "no"),
        ("nb_NO", "", "no"),
        ("no", "", "no"),
        ("in", "", "id"),
        ("pt-br", "", "pt"),
        ("sr_Latn", "", "sr"),
        ("zh-hans", "", "zh"),
        ("HR", "", "hr"),
        ("hu", "", None),
        ("he", "", None),
        ("", "", None),
        ("de", "nb", "no"),
        ("de", "sv-FI", "sv"),
        ("de", "hu", "hu"),
    ],
)
def test_the_buttons_language_is_a_code_of_the_wallet(
    customer: Customer, make_order: MakeOrder, language: str, setting: str, sent: str | None
) -> None:
    shop = with_sheet(customer, button_locale=setting)
    given = shop.open(make_order(language=language)).parameters["optionalParams"]
    assert given.get("buttonLocale") == sent


def test_the_attempt_is_written_before_the_page_is_shown_and_changes_nothing_else(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    transaction = GatewayTransaction.objects.get(reference=button.reference)
    assert transaction.state == TransactionState.AWAITING_RESULT
    assert Payment.objects.get().state == PaymentState.OFFERED
    assert transaction.next_query_at is None
    assert transaction.request_body == ""
    assert stands(order).state == OrderState.OPEN
    assert [entry["operation"] for entry in wallet_sandbox.journal()] == ["public_key"]
    assert customer.session not in str(WalletAttempt.objects.values_list("session_hash", flat=True)[0])


def test_a_button_that_is_about_to_end_or_has_had_a_result_is_not_shown_again(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock
) -> None:
    order = make_order()
    first = customer.open(order)
    WalletAttempt.objects.update(results_count=1)
    second = customer.open(stands(order))
    assert second.reference != first.reference
    clock.advance(minutes=56)
    assert customer.open(stands(order)).reference != second.reference


@pytest.mark.parametrize(("currency", "amount"), [("JPY", "500"), ("EUR", "7.00")])
def test_an_amount_has_two_decimals_or_none(
    currency: str, amount: str, customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order(currency=currency, items=(), amount=Decimal(amount))
    assert customer.open(order).parameters["amount"] == amount


# When no button is shown


def test_there_is_no_button_without_the_setting_and_none_while_sending_waits(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    order = make_order()
    with refuses(WalletUnavailable, ErrorCode.WALLET_UNAVAILABLE, says="no WALLET"):
        replace(customer, context=replace(customer.context, wallet=None)).open(order)
    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED, says="switched off"):
        replace(customer, context=make_context(sending=False)).open(order)
    pause_sending(customer.context, seconds=60, explanation=explain(ExplanationCode.COMMENT, said="test"))
    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED):
        customer.open(order)
    assert not Payment.objects.exists()


# Prices


def pricing(question: SheetQuestion) -> SheetPricing:
    if (question.shipping_address or {}).get("countryCode") == "AQ":
        fault = SheetFault(intent="SHIPPING_ADDRESS", reason="SHIPPING_ADDRESS_UNSERVICEABLE", message="No")
        return SheetPricing(errors=(fault,))
    options = [
        ShippingOption(id="std", label="Standard", amount=Decimal("5.00")),
        ShippingOption(id="fast", label="Fast", amount=Decimal("9.00"), description="Tomorrow"),
    ]
    return SheetPricing(options=options)


def test_the_sheet_asks_for_its_price_where_the_shop_prices_it(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    shop = make_context(price=pricing)
    assert shop.wallet is not None
    shop = replace(shop, wallet=replace(shop.wallet, shipping_address=True, shipping_countries=("DE", "AT")))
    optional = replace(customer, context=shop).open(make_order()).parameters["optionalParams"]
    assert set(optional["callbackIntents"]) == {
        *("PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION")
    }
    # A field for codes is for shops that take codes.
    assert "offerInfo" not in optional
    assert optional["shippingAddressParameters"] == {"allowedCountryCodes": ["DE", "AT"]}
    assert optional["shippingOptionRequired"] is True
    assert optional["shippingOptionParameters"]["defaultSelectedOptionId"] == "std"
    std, fast = optional["shippingOptionParameters"]["shippingOptions"]
    # wallet.js refuses an empty text.
    assert std == {"id": "std", "label": "Standard"}
    assert fast == {"id": "fast", "label": "Fast", "description": "Tomorrow"}


def with_sheet(customer: Customer, **asked: Any) -> Customer:
    wallet = customer.context.wallet
    assert wallet is not None
    return replace(customer, context=replace(customer.context, wallet=replace(wallet, **asked)))


def test_a_sheet_asks_for_phone_numbers_an_option_and_a_label_where_the_shop_does(
    customer: Customer, make_order: MakeOrder
) -> None:
    shop = with_sheet(
        customer,
        billing_address="FULL",
        billing_phone_required=True,
        shipping_address=True,
        shipping_phone_required=True,
        checkout_option="COMPLETE_IMMEDIATE_PURCHASE",
        total_price_label="To pay today",
    )
    optional = shop.open(make_order()).parameters["optionalParams"]
    assert optional["billingAddressParameters"] == {"format": "FULL", "phoneNumberRequired": True}
    assert optional["shippingAddressParameters"] == {"phoneNumberRequired": True}
    info = optional["additionalTransactionInfo"]
    assert (info["checkoutOption"], info["totalPriceLabel"]) == (
        "COMPLETE_IMMEDIATE_PURCHASE",
        "To pay today",
    )


def test_one_order_may_ask_otherwise(customer: Customer, make_order: MakeOrder) -> None:
    def for_order(order: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
        return replace(
            usual, billing_address="MIN", billing_phone_required=True, total_price_label=order.reference
        )

    order = make_order()
    shop = replace(customer, context=replace(customer.context, button_overrides=for_order))
    optional = shop.open(order).parameters["optionalParams"]
    assert optional["billingAddressParameters"] == {"format": "MIN", "phoneNumberRequired": True}
    assert optional["additionalTransactionInfo"]["totalPriceLabel"] == order.reference


def test_a_phone_number_that_the_sheet_gave_is_kept_with_its_address(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    shop = with_sheet(
        customer,
        billing_address="MIN",
        billing_phone_required=True,
        shipping_address=True,
        shipping_phone_required=True,
    )
    order = make_order()
    button = shop.open(order)
    asked = button.parameters["optionalParams"]
    data = wallet_sandbox.wallet_payment_data(
        request={
            "shippingAddressRequired": True,
            "shippingAddressParameters": asked["shippingAddressParameters"],
        }
    )
    phone = data["shippingAddress"]["phoneNumber"]
    detail = shop.approve(button) | {
        "billingAddress": {"name": "Ada", "phoneNumber": phone},
        "shippingAddress": data["shippingAddress"],
    }
    shop.post(order, detail)
    receipt = wallet_receipt(order)
    assert receipt is not None
    assert receipt.billing_address["phoneNumber"] == receipt.shipping_address["phoneNumber"] == phone != ""


def test_a_button_nobody_has_pressed_hides_no_attempt_that_has_ended(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    customer.open(order)
    page = start_checkout(order=stands(order), context=customer.context, return_urls=return_urls)
    wallet_sandbox.complete_checkout(page.reference, "refused")
    reconcile_attempt(reference=page.reference, context=customer.context)
    assert stands(order).state == OrderState.FAILED
    assert stands(order).is_payable


def test_a_button_shown_after_a_declined_card_leaves_the_order_as_it_stands(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    wallet_sandbox.fault("authorization", "errored")
    customer.pay(order)
    for button in (customer.open(stands(order)), replace(customer, session="another").open(stands(order))):
        assert (
            GatewayTransaction.objects.get(reference=button.reference).state
            == TransactionState.AWAITING_RESULT
        )
        assert stands(order).state == OrderState.FAILED
    assert customer.pay(stands(order)).order.state == OrderState.PAID


@pytest.mark.parametrize(("language", "label"), [("", "Total"), ("de", "Gesamtbetrag"), ("en", "Total")])
def test_the_lines_of_the_sheet_come_with_their_label_in_the_customers_language(
    customer: Customer, make_order: MakeOrder, language: str, label: str
) -> None:
    button = open_session(order=make_order(), session="ada", context=customer.context, language=language)
    assert button.parameters["optionalParams"]["additionalTransactionInfo"]["totalPriceLabel"] == label


@pytest.mark.parametrize("callbacks", [(), ("PAYMENT_AUTHORIZATION",), ("SHIPPING_ADDRESS", "OFFER")])
def test_options_whose_callback_is_off_are_refused_whole(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext, callbacks: tuple[str, ...]
) -> None:
    shop = make_context(price=pricing)
    assert shop.wallet is not None
    shop = replace(shop, wallet=replace(shop.wallet, callbacks=callbacks))
    with pytest.raises(OperationError) as refusal:
        replace(customer, context=shop).open(make_order())
    assert refusal.value.code == ErrorCode.PRICING_INVALID
    assert not Payment.objects.exists()


def test_options_that_come_with_an_address_are_refused_without_their_callback(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    def by_address(question: SheetQuestion) -> SheetPricing:
        return pricing(question) if question.shipping_address else SheetPricing()

    shop = make_context(price=by_address)
    assert shop.wallet is not None
    shop = replace(shop, wallet=replace(shop.wallet, callbacks=("SHIPPING_ADDRESS",), shipping_address=True))
    order = make_order()
    button = replace(customer, context=shop).open(order)
    before = WalletAttempt.objects.values_list("price", flat=True)[0]
    with pytest.raises(OperationError) as refusal:
        price_sheet_of(
            order=stands(order),
            reference=button.reference,
            session=customer.session,
            chosen={"address": {"countryCode": "DE"}, "option": None, "offers": []},
            context=shop,
        )
    assert refusal.value.code == ErrorCode.PRICING_INVALID
    assert WalletAttempt.objects.values_list("price", flat=True)[0] == before


def test_an_open_sheet_asks_only_what_the_settings_let_it_ask(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    shop = make_context(price=pricing)
    assert shop.wallet is not None
    shop = replace(shop, wallet=replace(shop.wallet, callbacks=("SHIPPING_OPTION",)))
    optional = replace(customer, context=shop).open(make_order()).parameters["optionalParams"]
    assert optional["callbackIntents"] == ["SHIPPING_OPTION"]
    assert "offerInfo" not in optional


def test_a_shop_may_have_another_button_and_other_questions_for_one_order(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    plain, parcel = make_order(), make_order()

    def for_order(order: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
        is_parcel = order.pk == parcel.pk
        return replace(usual, button_color="white", shipping_address=True) if is_parcel else usual

    shopper = replace(customer, context=replace(make_context(), button_overrides=for_order))
    asked = [shopper.open(order).parameters["optionalParams"] for order in (plain, parcel)]
    assert [one["shippingAddressRequired"] for one in asked] == [False, True]
    assert [one["buttonColor"] for one in asked] == ["default", "white"]


def test_what_was_priced_last_is_remembered_and_a_fault_is_not(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    shop, order = make_context(price=pricing), make_order()
    button = replace(customer, context=shop).open(order)

    def price(country: str, option: str) -> SheetPrice:
        return price_sheet_of(
            order=stands(order),
            reference=button.reference,
            session=customer.session,
            chosen={"address": {"countryCode": country}, "option": option, "offers": ()},
            context=shop,
        )

    assert price("DE", "fast").total.to_wire() == "29.00"
    assert WalletAttempt.objects.get().price["total"] == 2900
    assert price("AQ", "std").errors
    snapshot = WalletAttempt.objects.get().price
    assert (snapshot["total"], snapshot["option"]) == (2900, "fast")


def test_two_open_sheets_never_price_over_each_other(
    customer: Customer, make_order: MakeOrder, make_context: MakeContext
) -> None:
    shop, order = make_context(price=pricing), make_order()
    one = replace(customer, context=shop).open(order)
    other = replace(customer, context=shop).open(stands(order))
    assert one.reference != other.reference
    price_sheet_of(
        order=stands(order),
        reference=other.reference,
        session=customer.session,
        chosen={"address": None, "option": "fast", "offers": ()},
        context=shop,
    )
    # Another card goes on with the choices of its own sheet, whatever the other one shows.
    WalletAttempt.objects.filter(transaction__reference=one.reference).update(results_count=1)
    following = next_reference(
        order=stands(order), session=customer.session, context=shop, after=one.reference
    )
    totals = WalletAttempt.objects.order_by("pk").values_list("transaction__reference", "price__total")
    assert list(totals) == [(one.reference, 2500), (other.reference, 2900), (following, 2500)]
    with pytest.raises(InvalidInput):
        next_reference(order=stands(order), session="another", context=shop, after=one.reference)
