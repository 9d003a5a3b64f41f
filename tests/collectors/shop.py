"""A shop whose own functions fail, and whose views hold nothing of a customer in their variables."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from decimal import Decimal

from django.http import HttpRequest, HttpResponse
from pytest_django import Settings

from tests.support.personal import ADDRESS, CARDHOLDER
from wallet_gateway import payments
from wallet_gateway.models import Payment
from wallet_gateway.payments.wallet import AuthenticationQuestion, SheetPricing, SheetQuestion

_numbers = itertools.count(1)


def set_wallet(settings: Settings, **given: str) -> None:
    """Change the settings of the default gateway's button."""
    changed = copy.deepcopy(settings.WALLET_GATEWAY)
    changed["GATEWAYS"]["default"]["WALLET"] |= given
    settings.WALLET_GATEWAY = changed


def price(question: SheetQuestion) -> SheetPricing:
    """Price a sheet, and fail once the final address is known."""
    address = dict(question.shipping_address or {})
    if address:
        raise LookupError("no carrier")
    return SheetPricing()


def authenticate(question: AuthenticationQuestion) -> None:
    """Fail with the account in a variable."""
    account = question.account_id
    raise ConnectionError(f"no answer for an account of {len(account)} characters")


def failing_middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Fail before the plugin's view when a wallet's result is posted: a middleware of the shop."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path.endswith("/result/"):
            raise LookupError("of the shop's own middleware")
        return get_response(request)

    return answer


def check_out() -> Payment:
    """Store an order with all that is known of the customer, and open its payment page."""
    order = payments.create_order(
        reference=f"CANARY-{next(_numbers)}",
        currency="EUR",
        amount=Decimal(20),
        billing_address=ADDRESS,
        **CARDHOLDER,  # type: ignore[arg-type]
    )
    return payments.start_checkout(order)


def surprise(*_: object, **__: object) -> None:
    """Fail, in place of a function on the way of a card.

    It stands here because reports quote source lines, and there is no canary among these.
    """
    raise RuntimeError("of the test")
