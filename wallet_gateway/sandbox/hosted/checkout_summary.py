"""The content of the hosted checkout page: a checkout request as rows of text in the page's language.

Input are protocol messages, output are frozen values. Labels, markup, the database and the clock are
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from wallet_gateway.protocol.cart import (
    DiscountDetail,
    ItemDetail,
    ShippingDetail,
    ShoppingCart,
)
from wallet_gateway.protocol.checkout import (
    AddressDetails,
    BillingAddress,
    CheckoutDetails,
    CheckoutRequest,
    CheckoutType,
    ShippingAddress,
)
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.pages.localization import amount_text, number_text, rate_text

SKINS: Final = ("default", "midnight", "market")
DEFAULT_SKIN: Final = "default"

_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxNote:
    """The tax included in an amount, and its rate if the shop gave one."""

    amount: str
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscountRow:
    """One discount: the shop's name for it, its type as in the interface, and its negative amount."""

    name: str
    kind: str
    amount: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """One order line; `total` is the line's amount after its discount."""

    name: str
    description: str
    kind: str
    quantity: str
    unit: str
    discount: DiscountRow | None
    tax: TaxNote | None
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingRow:
    """The shipping method and its price."""

    name: str
    amount: str
    tax: TaxNote | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CartView:
    """The order's lines and totals; `subtotal` excludes shipping and order discounts."""

    lines: tuple[LineRow, ...]
    pieces: int
    pieces_text: str
    subtotal: str
    shipping: ShippingRow | None
    discounts: tuple[DiscountRow, ...]
    tax: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PayerView:
    """The payer's contact data and addresses as the shop gave them; an address is a tuple of lines."""

    name: str
    email: str
    phone: str
    billing_address: tuple[str, ...]
    shipping_address: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutView:
    """The shop's data on a hosted checkout page."""

    reference: str
    order_number: str
    wallet: str
    reserves: bool
    currency: str
    amount: str
    plain_amount: str
    cart: CartView | None
    payer: PayerView | None


def checkout_view(request: CheckoutRequest, *, language: str) -> CheckoutView:
    """Return the content of the page in a language."""
    money = request.money
    return CheckoutView(
        reference=request.client_system_transaction_id,
        order_number=request.provider_discretionary_data or "",
        wallet=wallet_name(request.checkout_details.payment_method),
        reserves=request.type == CheckoutType.PREAUTHORIZATION,
        currency=money.currency,
        amount=amount_text(money, language),
        plain_amount=money.to_wire(),
        cart=_cart(request.shopping_cart_details, money.currency, language),
        payer=_payer(request.checkout_details, request.address_details),
    )


def page_skin(requested: str | None) -> str:
    """Return the skin for a ``skinId`` in any letter case, or the default skin if it is unknown."""
    folded = (requested or "").strip().casefold()
    return folded if folded in SKINS else DEFAULT_SKIN


def wallet_name(provider: str) -> str:
    """Return the display name of a provider constant: ``Example Wallet`` for ``ExampleWalletV2``."""
    return _CAMEL_HUMP.sub(" ", re.sub(r"V\d+$", "", provider)) or provider


def _cart(cart: ShoppingCart | None, currency: str, language: str) -> CartView | None:
    if cart is None:
        return None
    amounts = _Amounts(currency=currency, language=language)
    items = cart.item_details or ()
    pieces = sum(item.product_quantity for item in items)
    return CartView(
        lines=tuple(_line(item, amounts) for item in items),
        pieces=pieces,
        pieces_text=number_text(pieces, language),
        subtotal=amounts.sum_text(item.total_amount for item in items),
        shipping=_shipping(cart.shipping_details, amounts),
        discounts=tuple(_order_discounts(cart.discount_details or (), amounts)),
        tax=amounts.text_unless_zero(cart.total_tax_amount),
    )


def _line(item: ItemDetail, amounts: _Amounts) -> LineRow:
    return LineRow(
        name=item.product_name,
        description=item.product_description or "",
        kind=item.product_type or "",
        quantity=number_text(item.product_quantity, amounts.language),
        unit=amounts.text(item.unit_amount),
        discount=amounts.discount(item.discount_amount, name=item.discount_name, kind="discount"),
        tax=amounts.tax(item.total_tax_amount, item.tax_rate),
        total=amounts.text(item.total_amount),
    )


def _shipping(shipping: ShippingDetail | None, amounts: _Amounts) -> ShippingRow | None:
    if shipping is None or shipping.shipping_amount is None:
        return None
    return ShippingRow(
        name=shipping.shipping_name or "",
        amount=amounts.text(shipping.shipping_amount),
        tax=amounts.tax(shipping.shipping_tax_amount, shipping.shipping_tax_rate),
    )


def _order_discounts(discounts: Iterable[DiscountDetail], amounts: _Amounts) -> Iterable[DiscountRow]:
    for each in discounts:
        row = amounts.discount(each.discount_amount, name=each.discount_name, kind=each.discount_type)
        if row:
            yield row


def _payer(details: CheckoutDetails, addresses: AddressDetails | None) -> PayerView | None:
    phones = (
        details.cardholder_mobile_phone,
        details.cardholder_home_phone,
        details.cardholder_work_phone,
    )
    payer = PayerView(
        name=_joined(details.cardholder_first_name, details.cardholder_last_name),
        email=details.cardholder_email or "",
        phone=next(filter(None, phones), ""),
        billing_address=_address(addresses.billing_address if addresses else None),
        shipping_address=_address(addresses.shipping_address if addresses else None),
    )
    known = (payer.name, payer.email, payer.phone, payer.billing_address, payer.shipping_address)
    return payer if any(known) else None


def _address(address: BillingAddress | ShippingAddress | None) -> tuple[str, ...]:
    if address is None:
        return ()
    name = _joined(address.first_name, address.last_name) if isinstance(address, ShippingAddress) else ""
    lines = (
        name,
        _joined(address.street, address.house_number),
        _joined(address.zip_postal_code, address.city),
        _joined(address.state, address.country_code),
    )
    return tuple(line for line in lines if line)


def _joined(*words: str | None) -> str:
    return " ".join(word for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Amounts:
    """Formats a checkout's amounts in its currency and the page's language."""

    currency: str
    language: str

    def text(self, wire: str, *, negative: bool = False) -> str:
        return self._money_text(self._parse(wire), negative=negative)

    def text_unless_zero(self, wire: str | None, *, negative: bool = False) -> str:
        amount = self._parse(wire) if wire else Decimal(0)
        return self._money_text(amount, negative=negative) if amount else ""

    def sum_text(self, wires: Iterable[str]) -> str:
        return self._money_text(sum((self._parse(wire) for wire in wires), Decimal(0)))

    def tax(self, wire: str | None, rate: str | None) -> TaxNote | None:
        amount = self.text_unless_zero(wire)
        if not amount:
            return None
        return TaxNote(amount=amount, rate=rate_text(Decimal(rate), self.language) if rate else "")

    def discount(self, wire: str | None, *, name: str | None, kind: str | None) -> DiscountRow | None:
        amount = self.text_unless_zero(wire, negative=True)
        return DiscountRow(name=name or "", kind=kind or "", amount=amount) if amount else None

    def _parse(self, wire: str) -> Decimal:
        return Money.parse(wire, self.currency, allow_zero=True).amount

    def _money_text(self, amount: Decimal, *, negative: bool = False) -> str:
        return amount_text(Money(amount, self.currency), self.language, negative=negative)
