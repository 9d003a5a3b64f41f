"""Items from a shop's own prices: net, finer than the currency, or of quantities with decimals."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from wallet_gateway.domain import orders
from wallet_gateway.domain.error_codes import ITEMS_INVALID
from wallet_gateway.domain.orders import PriceLine, PriceRules
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.operation_errors import InvalidInput
from wallet_gateway.protocol.cart import Item
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.money import Money

__all__ = ["PriceLine", "items_from"]


@sensitive_variables()
def items_from(
    lines: Iterable[PriceLine],
    *,
    currency: str,
    total: Decimal | Money,
    prices_include_tax: bool,
    round_per: str = "line",
    rounding: str = ROUND_HALF_UP,
) -> list[Item]:
    """Return one item for each line of an order; together they come to exactly `total`, tax included.

    Each line is rounded to the currency: the net amount of net prices, the gross amount of gross prices. A
    line whose amount is not its quantity times an amount of the currency becomes one piece, such as "1.25 kg
    x Apples". Nothing is ever adjusted.

    :param lines: a `PriceLine` for each line, prices and quantities of any precision.
    :param currency: ISO 4217: `"EUR"`.
    :param total: what the shop has calculated for these lines, a cross-check: `Decimal("11.90")` or a
        `Money`.
    :param prices_include_tax: whether `price` of each line is with tax.
    :param round_per: `"line"` rounds the tax of each line; `"order"` that of the sum of each rate, of which
        every line then has its share.
    :param rounding: `ROUND_HALF_UP` or `ROUND_HALF_EVEN` of the module `decimal`.
    :returns: the `items` for `create_order`, in the same order.
    :raises InvalidInput: `fields_invalid`, whose `errors` name each field, and `total` if the lines come to
        another amount.
    """
    rules = PriceRules(prices_include_tax=prices_include_tax, round_per=round_per, rounding=rounding)
    try:
        return orders.items_from(tuple(lines), currency=currency, total=total, rules=rules)
    except InvalidMessage as fault:
        raise InvalidInput(*ITEMS_INVALID, errors=fault.errors) from fault
