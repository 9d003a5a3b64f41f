"""Somebody who tries stolen cards on an order: a new browser each time, and each card is declined.

No test lives here.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tests.operations.dying import Scripted, scripted
from tests.operations.wallet_customer import Customer, authorizing_through
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.wallet_limits import WalletLimits
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationRefused

MANY = 1000


def limited(context: GatewayContext, **limits: int) -> GatewayContext:
    """Return the context with these limits of a button, and with no others that are ever reached."""
    assert context.wallet is not None
    names = ("sessions", "attempts", "prices", "discount_codes", "results", "authorizations")
    given = WalletLimits(**dict.fromkeys(names, MANY) | limits)
    return replace(context, wallet=replace(context.wallet, limits=given))


def _declined(body: bytes) -> bytes:
    asked = json.loads(body)
    echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
    return json.dumps({"state": "Errored", **echoed}).encode()


@dataclass
class CardTester:
    """Tries cards from as many browsers and machines as it likes."""

    customer: Customer
    refusals: list[ErrorCode] = field(default_factory=list)
    _names: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        declining = scripted(self.customer.context, _declined)
        self._gateway = declining.gateway._transport
        context = authorizing_through(declining, context=self.customer.context)
        self.customer = replace(self.customer, context=context)

    @property
    def cards_tested(self) -> int:
        """How many authorizations have reached the gateway."""
        assert isinstance(self._gateway, Scripted)
        return len(self._gateway.requests)

    def browser(self) -> Customer:
        """Return a browser that nobody has seen."""
        return replace(self.customer, session=f"browser-{next(self._names)}")

    def try_card(self, order: PaymentOrder) -> ErrorCode | None:
        """Open the page in a new browser and try a card; return the code of a refusal."""
        try:
            self.browser().pay(PaymentOrder.objects.get(pk=order.pk))
        except OperationRefused as refused:
            self.refusals.append(refused.code)
            return refused.code
        return None

    def try_until_closed(self, order: PaymentOrder) -> None:
        """Try one card after the other until the button is closed."""
        while self.try_card(order) is not ErrorCode.WALLET_LIMIT_REACHED:
            pass

    def open_sheets(self, orders: Iterable[PaymentOrder], number: int) -> list[Callable[[], Payment]]:
        """Open sheets in new browsers, for each order that has a button; return how to post their cards."""
        sheets: list[Callable[[], Payment]] = []
        for order in orders:
            for _ in range(number):
                browser = self.browser()
                try:
                    detail = browser.approve(browser.open(PaymentOrder.objects.get(pk=order.pk)))
                except OperationRefused as refused:
                    self.refusals.append(refused.code)
                    break
                sheets.append(partial(browser.post, order, detail))
        return sheets


def allowed_of(results: list[Any]) -> int:
    """Return how many of several tries were not refused."""
    return sum(not isinstance(one, Exception) for one in results)
