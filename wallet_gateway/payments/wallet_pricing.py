"""Price a sheet: one function for the displayed price, the snapshot and the authorized amount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operation_errors import OperationError
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
from wallet_gateway.wallet_hooks import SheetFault, SheetPricing, SheetQuestion, ShippingOption

ADDRESS_FIELDS = ("countryCode", "administrativeArea", "locality", "postalCode")
"""The address fields that the wallet passes on before the customer has approved."""
LONGEST_FIELD = 255
LINE_ITEM = "LINE_ITEM"
NO_OPTION = "shipping_option_unselected"
"""The wallet's name for "no option chosen"."""
NOTHING_CHOSEN: Mapping[str, Any] = {"address": None, "option": None, "offers": []}
_NEXT = "next"
"""The price shown on the sheet after a card was approved in it: it applies to the next card only."""
_NUMBER = "number"
"""The price's number among those of its order, in the order in which they were counted; 0 before a choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPrice:
    """The content of the sheet: the total, its lines, and the customer's options."""

    total: Money
    """What is authorized if the customer approves now."""
    display_items: tuple[tuple[str, str, str], ...]
    """Label, type (`LINE_ITEM` or `SUBTOTAL`) and price as text; a discount has a minus sign."""
    options: tuple[ShippingOption, ...] = ()
    """Ways of shipping that the sheet offers."""
    selected_option: str | None = None
    """Id of the option in the total; None without options."""
    offers: tuple[tuple[str, str], ...] = ()
    """Redemption code and description of each discount."""
    errors: tuple[SheetFault, ...] = ()
    """Why the choices cannot be priced; the total is then the order's amount."""


def price_of(order: PaymentOrder, chosen: Mapping[str, Any], *, context: GatewayContext) -> SheetPrice:
    """Price an order with the customer's choices; `chosen` are a snapshot's choices.

    Raises `OperationError` if the shop's own function returns an invalid price.
    """
    if context.price is None:
        return SheetPrice(total=order.amount, display_items=tuple(_lines(order)))
    question = SheetQuestion(
        order=order,
        shipping_address=chosen["address"],
        shipping_option=chosen["option"],
        offers=tuple(chosen["offers"]),
    )
    answer = context.price(question)
    if not isinstance(answer, SheetPricing):
        raise OperationError(
            _("The pricing function returned %(type)s, not SheetPricing."), type=type(answer).__name__
        )
    lines = tuple(_lines(order))
    if answer.errors:
        return SheetPrice(total=order.amount, display_items=lines, errors=tuple(answer.errors))
    by_id = {option.id: option for option in answer.options}
    default, first = by_id.get(answer.selected_option or ""), next(iter(answer.options), None)
    option = by_id.get(chosen["option"] or "") or default or first
    # All of them are checked: the sheet shows what each option costs.
    prices = {one.id: _money(order, one.amount) for one in answer.options}
    extra = [(option.label, prices[option.id])] if option else []
    off = [(discount.label, _money(order, discount.amount)) for discount in answer.discounts]
    total = order.amount_minor + sum(m.minor_units for _, m in extra) - sum(m.minor_units for _, m in off)
    if total <= 0:
        raise OperationError(_("The pricing function left nothing to pay."))
    return SheetPrice(
        total=Money.from_minor_units(total, order.currency),
        display_items=(
            *lines,
            *((label, LINE_ITEM, money.to_wire()) for label, money in extra),
            *((label, LINE_ITEM, f"-{money.to_wire()}") for label, money in off),
        ),
        options=tuple(answer.options),
        selected_option=option.id if option else None,
        offers=tuple((discount.code, discount.label) for discount in answer.discounts if discount.code),
    )


def _money(order: PaymentOrder, amount: Decimal) -> Money:
    if not isinstance(amount, Decimal):
        raise OperationError(
            _("An amount of the pricing function is %(type)s, not Decimal."), type=type(amount).__name__
        )
    try:
        return Money.parse(amount, order.currency, allow_zero=True)
    except ProtocolError as error:
        raise OperationError(
            _("An amount of the pricing function is not valid: %(problem)s"), problem=str(error)
        ) from error


def _lines(order: PaymentOrder) -> Iterator[tuple[str, str, str]]:
    """Yield the order's cart as lines of the sheet; an order without one is a single line."""
    cart = order.cart
    if cart is None:
        yield order.order_number or str(order.reference), "SUBTOTAL", order.amount.to_wire()
        return
    for item in cart.get("itemDetails", ()):
        yield item["productName"], LINE_ITEM, item["totalAmount"]
    for name, amount in order.cart_extras:
        yield name, LINE_ITEM, amount


def snapshot_of(price: SheetPrice, chosen: Mapping[str, Any], number: int = 0) -> dict[str, Any]:
    """Return the snapshot of a price that is stored with its attempt: choices, and total in minor units."""
    return {
        _NUMBER: number,
        "total": price.total.minor_units,
        "lines": [list(line) for line in price.display_items],
        **chosen,
        "option": price.selected_option,
    }


def with_next(snapshot: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the snapshot of an approved card, with the sheet's current snapshot added to it."""
    return {**snapshot, _NEXT: dict(shown)}


def shown_last(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return the snapshot last shown on a sheet, which another card in it is charged."""
    return dict(snapshot.get(_NEXT, snapshot))


def is_newer(shown: Mapping[str, Any], snapshot: Mapping[str, Any]) -> bool:
    """Return whether a price was asked for after the one last shown on a sheet."""
    return int(shown[_NUMBER]) > int(shown_last(snapshot).get(_NUMBER, 0))


def total_of(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return the non-personal part of a price snapshot."""
    return {name: snapshot[name] for name in ("total",) if name in snapshot}


def choices_in(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices on which a snapshot's price is based."""
    return {name: snapshot.get(name, default) for name, default in NOTHING_CHOSEN.items()}


def region_of(address: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Return the shipping-related fields of a wallet's address; None if there is no address."""
    if address is None:
        return None
    return {name: str(address[name])[:LONGEST_FIELD] for name in ADDRESS_FIELDS if address.get(name)}
