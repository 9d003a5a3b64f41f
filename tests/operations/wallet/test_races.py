"""Races for one card: in any order, it is charged once, and never beside the hosted page unnoticed."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.threads import surprises, together
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.wallet_limits import WalletLimits
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_RESULTS
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.errors import InvalidState, OperationError, OperationRefused
from wallet_gateway.operations.wallet.hooks import SheetPricing, SheetQuestion, ShippingOption
from wallet_gateway.operations.wallet.keys import may_ask_for_key, note_failure
from wallet_gateway.operations.wallet.session import price_sheet_of
from wallet_gateway.operations.wallet.sweep import expire_buttons
from wallet_gateway.operations.wallet.usage import count_price
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState


def by_country(question: SheetQuestion) -> SheetPricing:
    """Ship for 5.00, abroad for 15.00."""
    abroad = (question.shipping_address or {}).get("countryCode", "DE") != "DE"
    return SheetPricing(
        options=(ShippingOption(id="std", label="Standard", amount=Decimal("15.00" if abroad else "5.00")),)
    )


def stands(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


def test_one_result_posted_by_many_at_once_charges_once(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    results = together(lambda: customer.post(order, detail))

    assert surprises(results, OperationRefused) == []
    assert times_sent(wallet_sandbox, "authorization") == 1
    assert stands(order).state == OrderState.PAID
    assert WalletAttempt.objects.get().results_count <= MOST_RESULTS


def test_many_that_find_the_key_service_failing_at_once_note_it_without_a_fault(
    make_context: MakeContext,
) -> None:
    context = make_context()
    assert surprises(together(lambda: note_failure(context))) == []
    assert not may_ask_for_key(context, context.clock.now())


def test_no_more_than_five_results_are_looked_at_however_many_come_at_once(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    nobody = {"clientSystemTransactionId": button.reference, "transactionAccountId": "no-such-account"}
    results = together(lambda: customer.post(order, nobody))

    assert surprises(results, OperationRefused) == []
    assert times_sent(wallet_sandbox, "get_payment_account") == MOST_RESULTS
    assert sum(isinstance(one, InvalidState) for one in results) == len(results) - MOST_RESULTS


def test_two_tabs_with_a_card_each_charge_one_of_them(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    first, second = customer.open(order), None
    one = customer.approve(first)
    wallet = WalletAttempt.objects.get()
    WalletAttempt.objects.filter(pk=wallet.pk).update(results_count=1)
    second = customer.open(stands(order))
    assert second.reference != first.reference
    other = customer.approve(second)

    results = together(lambda: customer.post(order, one), lambda: customer.post(order, other), times=2)

    assert surprises(results, OperationRefused) == []
    assert times_sent(wallet_sandbox, "authorization") == 1
    assert stands(order).state == OrderState.PAID


def test_the_hosted_page_and_the_button_at_the_same_moment_do_not_both_take_the_money(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))

    def page() -> Payment:
        return start_checkout(order=stands(order), context=customer.context, return_urls=return_urls)

    results = together(lambda: customer.post(order, detail), page, times=2)

    assert surprises(results, OperationRefused, OperationError) == []
    assert times_sent(wallet_sandbox, "authorization") == 1
    assert stands(order).state == OrderState.PAID


def test_a_button_that_ends_while_its_result_comes_is_either_charged_or_ended(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    # The sweep's clock is past the end, the request's is not.
    GatewayTransaction.objects.update(expires_at=clock.now())
    late = customer.context

    def end() -> int:
        return expire_buttons(context=late, limit=5)

    results = together(lambda: customer.post(order, detail), end, times=2)

    assert surprises(results, OperationRefused) == []
    state = GatewayTransaction.objects.get().state
    assert state in {S.APPROVED, S.EXPIRED}
    assert times_sent(wallet_sandbox, "authorization") == (state == S.APPROVED)


def test_prices_that_are_counted_at_once_have_numbers_of_their_own(make_order: MakeOrder) -> None:
    order = make_order()
    numbers = together(lambda: count_price(order, None, (), limits=WalletLimits()))
    assert surprises(numbers) == []
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_however_a_sheet_is_priced_while_its_result_comes_what_is_charged_is_what_is_on_record(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context = make_context(price=by_country)
    shop, order = replace(customer, context=context), make_order()
    button = shop.open(order)
    detail = shop.approve(button)

    def price(country: str) -> None:
        price_sheet_of(
            order=stands(order),
            reference=button.reference,
            session=shop.session,
            chosen={"address": {"countryCode": country}, "option": None, "offers": ()},
            context=context,
        )

    works = [partial(price, country) for country in ("NZ", "DE", "NZ", "DE")]
    results = together(*works, partial(shop.post, order, detail), *works, times=1)

    assert surprises(results, OperationRefused) == []
    (sent,) = [one["body"] for one in wallet_sandbox.journal() if one["operation"] == "authorization"]
    wallet = WalletAttempt.objects.get()
    country = (wallet.price["address"] or {}).get("countryCode")
    expected = 3500 if country == "NZ" else 2500
    assert (wallet.price["total"], sent["amount"]) == (expected, f"{expected // 100}.00")
    assert stands(order).payments.get().authorized == expected
