"""What a gateway requires of an order is asked for before anything is stored or sent, and named."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from tests.operations.conftest import MakeOrder, Pay, Start
from tests.refusals import refuses
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

HOME = {
    "house_number": "5",
    "street": "Curzon Street",
    "city": "London",
    "zip_postal_code": "W1J 5HE",
    "country_code": "GBR",
}
NAMES = ("house_number", "street", "city", "zip_postal_code", "country_code")


def given(settings: Settings, **gateway: Any) -> None:
    usual = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": usual | gateway}}


def order(reference: str = "SHOP-1", currency: str = "EUR", **details: Any) -> PaymentOrder:
    return payments.create_order(reference=reference, currency=currency, amount=Decimal(20), **details)


# A billing address


def test_an_order_without_a_required_address_is_refused_with_each_missing_field(settings: Settings) -> None:
    given(settings, BILLING_ADDRESS_REQUIRED=True)
    for shipping in (None, {"city": "London"}):
        with pytest.raises(InvalidInput) as raised:
            order(shipping_address=shipping)
        assert raised.value.code is ErrorCode.FIELDS_INVALID
        paths = [fault.path for fault in raised.value.errors]
        assert paths == [f"billing_address.{name}" for name in NAMES]
    assert not PaymentOrder.objects.exists()


def test_an_incomplete_address_is_refused_with_what_it_lacks(settings: Settings) -> None:
    given(settings, BILLING_ADDRESS_REQUIRED=True)
    incomplete = {name: text for name, text in HOME.items() if name not in {"street", "city"}}
    with pytest.raises(InvalidInput) as raised:
        order(billing_address=incomplete)
    paths = [fault.path for fault in raised.value.errors]
    assert paths == [f"billing_address.{name}" for name in ("street", "city")]
    assert not PaymentOrder.objects.exists()


def test_an_order_with_its_address_is_paid_where_the_gateway_demands_one(
    settings: Settings, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.behaviour(billing_address="required")
    given(settings, BILLING_ADDRESS_REQUIRED=True, BASE_URL=wallet_sandbox.base_url)
    made = order(billing_address=HOME)
    wallet_sandbox.complete_checkout(payments.start_checkout(made).reference, "success")
    assert payments.reconcile(made).is_paid


def test_an_order_made_before_is_refused_before_anything_is_stored_or_sent(
    make_order: MakeOrder, start: Start, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    strict = replace(context, policy=replace(context.policy, billing_address_required=True))
    with pytest.raises(InvalidInput) as raised:
        start(make_order(), strict)
    assert raised.value.code is ErrorCode.FIELDS_INVALID
    assert not GatewayTransaction.objects.exists()
    assert wallet_sandbox.journal() == []
    assert start(make_order(billing_address=HOME), strict).redirect_url


def test_an_order_that_exists_is_returned_whatever_the_settings_say_by_now(settings: Settings) -> None:
    made = order()
    given(settings, BILLING_ADDRESS_REQUIRED=True, CURRENCIES=["USD"])
    assert order() == made


def test_no_address_is_required_unless_a_setting_says_so(pay: Pay) -> None:
    assert pay().order.is_paid


# Currencies


def test_an_order_in_a_currency_that_is_not_named_is_refused(settings: Settings) -> None:
    given(settings, CURRENCIES=["EUR", "CHF"])
    with refuses(
        InvalidInput,
        ErrorCode.ARGUMENT_INVALID,
        says="takes no",
        gateway="default",
        currency="USD",
        known="CHF, EUR",
    ):
        order(currency="usd")
    assert not PaymentOrder.objects.exists()
    assert order(currency="chf").currency == "CHF"


@pytest.mark.parametrize("none", [{}, {"CURRENCIES": None}])
def test_without_the_setting_every_currency_is_taken(none: dict[str, object], settings: Settings) -> None:
    given(settings, **none)
    assert order(currency="JPY").currency == "JPY"
