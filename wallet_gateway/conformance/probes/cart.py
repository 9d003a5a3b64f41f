"""Probes of ``shoppingCartDetails``: mandatory and conditional fields, arithmetic, listed values."""

from __future__ import annotations

from typing import Any

from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.messages import Body, changed, without
from wallet_gateway.conformance.registry import probe
from wallet_gateway.conformance.schemas import mandatory

_SECTION = "shoppingCartDetails"
_LINE = "shoppingCartDetails.itemDetails.0"
_SHIPPING = "shoppingCartDetails.shippingDetails"
_DISCOUNT = "shoppingCartDetails.discountDetails.0"
_MANDATORY = mandatory("checkout_request", f"{_SECTION}.itemDetails")
_CONDITIONAL = {
    "line.taxRate": f"{_LINE}.taxRate",
    "line.totalTaxAmount": f"{_LINE}.totalTaxAmount",
    "line.discountName": f"{_LINE}.discountName",
    "line.discountTaxAmount": f"{_LINE}.discountTaxAmount",
    "totalTaxAmount": f"{_SECTION}.totalTaxAmount",
    "shippingName": f"{_SHIPPING}.shippingName",
    "discountType": f"{_DISCOUNT}.discountType",
    "discountName": f"{_DISCOUNT}.discountName",
}
"""Fields that the full cart needs, each under a condition of its own."""
_SUMS = {"line": f"{_LINE}.totalAmount", "tax": f"{_SECTION}.totalTaxAmount"}
_DISCOUNT_TYPES = ("discount", "storecredit", "storeCredit", "giftcard")


def _one_line(gateway: Gateway, **line: Any) -> Body:
    """Return a checkout of one untaxed line of 1.00, with some of its fields changed."""
    plain = {
        "productId": "MUG",
        "productName": "Mug",
        "productQuantity": 1,
        "unitAmount": "1.00",
        "totalAmount": "1.00",
    }
    body = gateway.cart_checkout() | {_SECTION: {"itemDetails": [plain | line]}}
    return body | {"amount": line.get("totalAmount", "1.00")}


@probe("cart.none", section=_SECTION)
def no_cart(gateway: Gateway) -> None:
    """A checkout without a cart is accepted."""
    gateway.checkout_is_accepted(without(gateway.cart_checkout(), _SECTION))


@probe("cart.line", section="itemDetails")
def one_line(gateway: Gateway) -> None:
    """A cart of one line with its mandatory fields alone is accepted."""
    gateway.checkout_is_accepted(_one_line(gateway))


@probe("cart.line.mandatory.{}", _MANDATORY, section="itemDetails")
def a_line_without_a_mandatory_field(gateway: Gateway, name: str) -> None:
    """A line without {} is refused."""
    gateway.checkout_is_refused(without(_one_line(gateway), f"{_LINE}.{name}"))


@probe("cart.quantity.{}", ("1", "9999"), section="Limits")
def a_quantity(gateway: Gateway, quantity: str) -> None:
    """A productQuantity of {} is accepted."""
    total = f"{quantity}.00"
    gateway.checkout_is_accepted(_one_line(gateway, productQuantity=int(quantity), totalAmount=total))


@probe("cart.quantity.{}", ("0", "10000"), section="Limits")
def a_quantity_beyond_the_limits(gateway: Gateway, quantity: str) -> None:
    """A productQuantity of {} is refused: "1 to 9999"."""
    # The second line gives the order an amount, whatever the first comes to.
    body = _one_line(gateway)
    [line] = body[_SECTION]["itemDetails"]
    odd = line | {"productQuantity": int(quantity), "totalAmount": f"{quantity}.00"}
    body = changed(body, f"{_SECTION}.itemDetails", [odd, line]) | {"amount": f"{int(quantity) + 1}.00"}
    gateway.checkout_is_refused(body)


@probe("cart.quantity.fraction", section="itemDetails")
def a_quantity_of_a_fraction(gateway: Gateway) -> None:
    """A productQuantity that is no Int32 is refused."""
    gateway.checkout_is_refused(_one_line(gateway, productQuantity=1.5, totalAmount="1.50"))


@probe("cart.product-type.{}", ("physical", "digital", "giftcard", "surcharge"), section="itemDetails")
def a_product_type(gateway: Gateway, name: str) -> None:
    """The productType {} is accepted."""
    gateway.checkout_is_accepted(_one_line(gateway, productType=name))


@probe("cart.product-type.unknown", section="itemDetails")
def an_unknown_product_type(gateway: Gateway) -> None:
    """A productType that is not listed is refused."""
    gateway.checkout_is_refused(_one_line(gateway, productType="cake"))


@probe("cart.conditional.{}", _CONDITIONAL, section=_SECTION)
def without_a_conditional_field(gateway: Gateway, name: str) -> None:
    """A cart without {} is refused where its condition holds."""
    gateway.checkout_is_refused(without(gateway.cart_checkout(), _CONDITIONAL[name]))


@probe("cart.conditional.totalTaxAmount.shipping", section=_SECTION)
def without_the_tax_of_shipping(gateway: Gateway) -> None:
    """A cart without totalTaxAmount is refused where shippingTaxRate > 0."""
    shipping = {
        "shippingName": "Parcel",
        "shippingAmount": "0.50",
        "shippingTaxAmount": "0.08",
        "shippingTaxRate": "19",
    }
    body = changed(_one_line(gateway, unitAmount="0.50", totalAmount="0.50"), _SHIPPING, shipping)
    gateway.checkout_is_refused(body | {"amount": "1.00"})


@probe("cart.no-tax.{}", ("omitted", "0"), section="itemDetails")
def a_line_without_tax(gateway: Gateway, rate: str) -> None:
    """A line without tax is accepted, its taxRate {}."""
    gateway.checkout_is_accepted(_one_line(gateway, **({} if rate == "omitted" else {"taxRate": rate})))


@probe("cart.sum.{}", _SUMS, section=_SECTION)
def a_wrong_sum(gateway: Gateway, name: str) -> None:
    """A cart whose sum ({}) is wrong is refused."""
    # The order's own amount follows, so that nothing but this one sum is wrong.
    body = changed(gateway.cart_checkout(), _SUMS[name], "0.76")
    gateway.checkout_is_refused(body | ({"amount": "1.01"} if name == "line" else {}))


@probe("cart.discount-type.{}", _DISCOUNT_TYPES, section="discountDetails")
def a_discount_type(gateway: Gateway, name: str) -> None:
    """The discountType {} is accepted."""
    gateway.checkout_is_accepted(changed(gateway.cart_checkout(), f"{_DISCOUNT}.discountType", name))


@probe("cart.discount-type.unknown", section="discountDetails")
def an_unknown_discount_type(gateway: Gateway) -> None:
    """A discountType that is not listed is refused."""
    body = changed(gateway.cart_checkout(), f"{_DISCOUNT}.discountType", "kindness")
    gateway.checkout_is_refused(body)


@probe("cart.discount.negative.line", section="itemDetails")
def a_negative_discount_of_a_line(gateway: Gateway) -> None:
    """A negative discountAmount of a line is refused."""
    line = {"discountAmount": "-0.50", "discountName": "Surcharge", "totalAmount": "1.50"}
    gateway.checkout_is_refused(_one_line(gateway, **line))


@probe("cart.discount.negative.order", section="discountDetails")
def a_negative_discount_of_the_order(gateway: Gateway) -> None:
    """A negative discountAmount of the order is refused."""
    body = changed(gateway.cart_checkout(), f"{_DISCOUNT}.discountAmount", "-0.10")
    gateway.checkout_is_refused(body | {"amount": "1.20"})


@probe("cart.amount.comma", section="General conventions")
def a_comma_in_the_cart(gateway: Gateway) -> None:
    """An amount of the cart with a comma is refused: "reject comma separators"."""
    gateway.checkout_is_refused(_one_line(gateway, unitAmount="1,00"))
