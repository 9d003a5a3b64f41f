"""Who pays on the gateway's page: the sandbox's control interface, or a person who is shown its address."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Protocol

from wallet_gateway.conformance.control import Control
from wallet_gateway.conformance.results import Skipped
from wallet_gateway.conformance.wire import split_url

_SECONDS_BETWEEN_LOOKS: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A payment that the kit had made, or waits for."""

    reference: str
    type: str
    amount: str
    currency: str
    page: str
    """The ``redirectUrl``; empty for one made with the wallet button."""


class Payer(Protocol):
    """Has payments made."""

    def pay(self, payment: Payment, *, is_paid: Callable[[], bool]) -> None:
        """Return once the payment was approved; raises Skipped if it was not."""
        ...


@dataclass(frozen=True, slots=True)
class SandboxPayer:
    """Pays by the control interface of a sandbox."""

    control: Control

    def pay(self, payment: Payment, *, is_paid: Callable[[], bool]) -> None:  # noqa: ARG002  (known at once)
        """Decide the checkout as its customer would."""
        self.control.complete_checkout(payment.reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Shows a person the page's address, and waits until the gateway reports the payment."""

    say: Callable[[str], None]
    seconds: float
    """How long to wait for each payment; with 0 nobody is asked."""

    def pay(self, payment: Payment, *, is_paid: Callable[[], bool]) -> None:
        """Wait for the person; raises Skipped when the time is over."""
        if not self.seconds:
            raise Skipped("needs a payer, and --wait is 0")
        if split_url(payment.page) is None or not payment.page.isprintable():
            raise Skipped("there is no page to pay on")
        self.say(
            f"Please pay {payment.amount} {payment.currency} ({payment.type}) within"
            f" {self.seconds:g} seconds at {payment.page}"
        )
        deadline = time.monotonic() + self.seconds
        while not is_paid():
            if time.monotonic() > deadline:
                raise Skipped(f"nobody paid within {self.seconds:g} seconds")
            time.sleep(_SECONDS_BETWEEN_LOOKS)


class Limit:
    """The most that the payments of one run may come to."""

    def __init__(self, amount: Decimal, *, currency: str, say: Callable[[str], None]) -> None:
        self._amount = amount
        self._currency = currency
        self._say = say
        self.spent = Decimal(0)

    def take(self, amount: str, what: str) -> None:
        """Say that money is about to be moved; raises Skipped if that would exceed the limit."""
        if self.spent + Decimal(amount) > self._amount:
            raise Skipped(f"would move more than the limit of {self._amount} {self._currency}; see --limit")
        self.spent += Decimal(amount)
        self._say(f"Moves money: {what}, {amount} {self._currency}")
