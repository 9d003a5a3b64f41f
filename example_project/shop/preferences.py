"""A visitor's choices in the session: the currency, and the checkout answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from example_project.shop.models import Order, new_order_key, new_order_number
from example_project.shop.money import Currency

CURRENCY_KEY = "currency"
CHECKOUT_KEY = "checkout"
SEEN_KEY = "orders_seen"
MOST_SEEN = 20


def current_currency(session: SessionBase) -> Currency:
    """Return the visitor's currency; the euro until they choose."""
    chosen = session.get(CURRENCY_KEY)
    return Currency(chosen) if chosen in Currency.values else Currency.EUR


def choose_currency(session: SessionBase, currency: Currency) -> None:
    """Store the currency."""
    session[CURRENCY_KEY] = currency.value


def remember_order(session: SessionBase, order: Order) -> None:
    """Remember that this visitor knows an order's page, so that `known_order_key` leads back there."""
    seen: dict[str, str] = session.get(SEEN_KEY, {})
    if seen.get(order.number) != order.key:
        session[SEEN_KEY] = dict([*seen.items(), (order.number, order.key)][-MOST_SEEN:])


def known_order_key(session: SessionBase, number: str) -> str:
    """Return the key of an order that this visitor has seen; empty otherwise."""
    seen: dict[str, str] = session.get(SEEN_KEY, {})
    return seen.get(number, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutAnswers:
    """The checkout answers so far.

    The order's number and key are generated here, once, so that a double click places one order.
    """

    number: str = field(default_factory=new_order_number)
    key: str = field(default_factory=new_order_key)
    address: dict[str, Any] = field(default_factory=dict)
    shipping: str = "post"
    code: str = ""

    @classmethod
    def read(cls, session: SessionBase) -> CheckoutAnswers:
        """Return the answers in the session; the first call stores a new order's number and key there."""
        if CHECKOUT_KEY not in session:
            cls().save(session)
        return cls(**session[CHECKOUT_KEY])

    def save(self, session: SessionBase) -> None:
        """Store the answers in the session."""
        session[CHECKOUT_KEY] = asdict(self)

    def for_next_order(self) -> CheckoutAnswers:
        """Return the answers for the next order: a new number, the same address."""
        return CheckoutAnswers(address=self.address)

    def under_new_number(self) -> CheckoutAnswers:
        """Return the same answers with another order number."""
        return replace(self, number=new_order_number(), key=new_order_key())
