"""The button before it is pressed: its parameters, whose it is, and when no button is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.money.wallet.customers import Customer, refused
from tests.money.wallet.hooks import OVERRIDES, PRICING, Hooks
from tests.support.gateway import answering, record
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.payments.wallet import WalletPolicy

pytestmark = pytest.mark.django_db


@every(
    ("language", "setting", "sent"),
    [
        ("nb", "", "no"),
        ("nn-NO", "", "no"),
        ("in", "", "id"),
        ("pt-br", "", "pt"),
        ("sr_Latn", "", "sr"),
        ("HR", "", "hr"),
        ("hu", "", None),
        ("", "", None),
        ("de", "nb", "no"),
        ("de", "hu", "hu"),
    ],
)
def test_the_buttons_language_is_a_code_of_the_wallet(
    customer: Customer, language: str, setting: str, sent: str | None
) -> None:
    customer.configure(BUTTON={"LOCALE": setting})
    assert customer.asked_of_sheet(customer.order(language=language)).get("buttonLocale") == sent


@every(
    ("language", "label", "currency", "amount"),
    [("", "Total", "JPY", "500"), ("de", "Gesamtbetrag", "EUR", "7.00")],
)
def test_the_sum_of_the_sheet_has_its_currencys_decimals_and_a_label_in_the_customers_language(
    customer: Customer, language: str, label: str, currency: str, amount: str
) -> None:
    shown = customer.open(customer.order(currency=currency, amount=Decimal(amount)), language).parameters
    assert shown["amount"] == amount
    assert shown["optionalParams"]["additionalTransactionInfo"]["totalPriceLabel"] == label


def test_the_attempt_is_written_before_the_page_is_shown_and_changes_nothing_else(customer: Customer) -> None:
    order = customer.order()
    button = customer.open(order)
    transaction = GatewayTransaction.objects.get(reference=button.reference)
    written = (transaction.state, transaction.next_query_at, transaction.request_body)
    assert written == ("AWAITING_RESULT", None, "")
    assert (Payment.objects.get().state, PaymentOrder.objects.get().state) == ("OFFERED", "OPEN")
    asked = customer.gateway
    assert (asked.keys_asked, asked.sent, asked.asked, asked.looked_up) == (1, [], [], [])
    assert customer.session not in str(WalletAttempt.objects.values().get())
    assert button.parameters["publicKeyApi"] not in repr(button)


def test_a_button_is_shown_again_until_it_is_about_to_end_or_has_had_a_result(customer: Customer) -> None:
    order = customer.order()
    first = customer.open(order).reference
    assert customer.open(order).reference == first
    assert customer.elsewhere("another browser").open(order).reference != first
    customer.post(order, {"code": "4000340"})
    assert customer.open(order).reference == first, "a failure of the sheet is no result"
    customer.gateway.answers.append(answering(state="Errored"))
    customer.pay(order)
    second = customer.open(order).reference
    assert second != first
    customer.shop.clock.by += timedelta(minutes=56)
    assert customer.open(order).reference != second


# What a sheet asks


def test_the_sheet_asks_for_its_price_where_the_shop_prices_it(customer: Customer, hooks: Hooks) -> None:
    customer.configure(PRICING=PRICING, SHIPPING={"ADDRESS": True, "COUNTRIES": ["DE", "AT"]})
    optional = customer.asked_of_sheet(customer.order())
    intents = {"PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION"}
    assert set(optional["callbackIntents"]) == intents
    assert "offerInfo" not in optional, "a field for codes is for shops that take codes"
    assert optional["shippingAddressParameters"] == {"allowedCountryCodes": ["DE", "AT"]}
    assert optional["shippingOptionRequired"] is True
    assert optional["shippingOptionParameters"] == {
        "defaultSelectedOptionId": "std",
        "shippingOptions": [
            # wallet.js refuses an empty text.
            {"id": "std", "label": "Standard"},
            {"id": "fast", "label": "Fast", "description": "Tomorrow"},
        ],
    }
    customer.configure(PRICING=PRICING, CALLBACKS=["SHIPPING_OPTION"])
    assert customer.asked_of_sheet(customer.order())["callbackIntents"] == ["SHIPPING_OPTION"]


ASKED = {
    "BILLING": {"ADDRESS": "FULL", "PHONE": True},
    "SHIPPING": {"ADDRESS": True, "PHONE": True},
    "EMAIL_REQUIRED": True,
    "CARDS": {"PREPAID": False},
}


def test_a_sheet_asks_for_what_the_settings_name(customer: Customer) -> None:
    order = customer.order()
    usual = customer.asked_of_sheet(order)
    customer.configure(**ASKED)
    optional = customer.asked_of_sheet(order)
    changed = {name: value for name, value in optional.items() if usual.get(name) != value}
    assert changed == {
        "billingAddressRequired": True,
        "billingAddressParameters": {"format": "FULL", "phoneNumberRequired": True},
        "shippingAddressRequired": True,
        "shippingAddressParameters": {"phoneNumberRequired": True},
        "emailRequired": True,
        "allowPrepaidCards": False,
    }


def test_a_shop_may_have_another_button_and_other_questions_for_one_order(
    customer: Customer, hooks: Hooks
) -> None:
    plain, parcel = customer.order(), customer.order()

    def for_order(order: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
        asked = replace(usual, button_color="white", shipping_address=True, billing_address="MIN")
        words = {"checkout_option": "COMPLETE_IMMEDIATE_PURCHASE", "total_price_label": "To pay today"}
        changed = replace(asked, existing_payment_method_required=True, **words)  # type: ignore[arg-type]
        return changed if order == parcel else usual

    hooks.override = for_order
    customer.configure(BUTTON_OVERRIDES=OVERRIDES)
    asked = [customer.asked_of_sheet(order) for order in (plain, parcel)]
    assert [one["shippingAddressRequired"] for one in asked] == [False, True]
    assert [one["buttonColor"] for one in asked] == ["default", "white"]
    assert [one["existingPaymentMethodRequired"] for one in asked] == [False, True]
    assert asked[1]["billingAddressParameters"]["format"] == "MIN"
    info = [one["additionalTransactionInfo"] for one in asked]
    assert info[1]["checkoutOption"] == "COMPLETE_IMMEDIATE_PURCHASE"
    assert "checkoutOption" not in info[0]
    assert [one["totalPriceLabel"] for one in info] == ["Total", "To pay today"]


@every("callbacks", [(), ("PAYMENT_AUTHORIZATION",), ("SHIPPING_ADDRESS", "OFFER")])
def test_options_whose_callback_is_off_are_refused_whole(
    customer: Customer, hooks: Hooks, callbacks: tuple[str, ...]
) -> None:
    customer.configure(PRICING=PRICING, CALLBACKS=callbacks)
    with refused("pricing_invalid", says="SHIPPING_OPTION"):
        customer.open(customer.order())
    assert not Payment.objects.exists()


# When no button is shown


@pytest.mark.parametrize(
    ("happens", "currency", "code"),
    [
        (Customer.without_wallet, "EUR", "wallet_unavailable"),
        (lambda _: None, "KWD", "wallet_unavailable"),
        (Customer.stop_sending, "EUR", "sending_stopped"),
        (Customer.pause_sending, "EUR", "sending_stopped"),
    ],
)
def test_there_is_no_button(
    customer: Customer, happens: Callable[[Customer], None], currency: str, code: str
) -> None:
    order = customer.order(currency=currency)
    happens(customer)
    with refused(code):
        customer.open(order)
    assert not Payment.objects.exists()


def test_a_button_shown_after_a_declined_card_leaves_the_order_as_it_stands(customer: Customer) -> None:
    order = customer.order()
    customer.gateway.answers.append(answering(state="Errored"))
    customer.pay(order)
    for browser in (customer, customer.elsewhere("another browser")):
        button = browser.open(order)
        assert GatewayTransaction.objects.get(reference=button.reference).state == "AWAITING_RESULT"
        assert PaymentOrder.objects.get().state == "FAILED"
    assert customer.pay(order).order.state == "PAID"
    with refused("order_not_payable"):
        customer.open(order)


def test_a_button_nobody_has_pressed_hides_no_page_that_has_ended(customer: Customer) -> None:
    order = customer.order()
    customer.open(order)
    page = payments.start_checkout(order)
    assert (page.number, bool(page.redirect_url)) == (2, True)
    assert customer.open(order).reference, "nor does an open page keep the button from being shown"
    customer.shop.report(page, record(page.reference, state="Errored"))
    customer.shop.ask(page)
    assert (PaymentOrder.objects.get().state, PaymentOrder.objects.get().is_payable) == ("FAILED", True)
