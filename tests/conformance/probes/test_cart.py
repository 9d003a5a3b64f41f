"""Gateways that are wrong about carts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Mend,
    Wrong,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    forgetting,
    refusing,
    wrong,
)
from tests.tables import every

CART = "shoppingCartDetails"


def _ignoring(when: Callable[[Any], bool]) -> Mend:
    """Does not look into a cart of which something holds."""
    return forgetting(CART, lambda cart: when(_Cart(cart)))


def _refusing(when: Callable[[Any], bool]) -> Mend:
    return refusing("checkout", lambda body: CART in body and when(_Cart(body[CART])))


class _Cart:
    """The first of each part of a cart; without one it has no fields."""

    def __init__(self, cart: dict[str, Any]) -> None:
        self.cart = cart
        self.line: dict[str, Any] = next(iter(cart.get("itemDetails", [])), {})
        self.shipping: dict[str, Any] = cart.get("shippingDetails", {})
        self.discount: dict[str, Any] = next(iter(cart.get("discountDetails", [])), {})


def _line_lacks(name: str) -> Callable[[_Cart], bool]:
    return lambda of: name not in of.line


def _taxed_line_lacks(name: str) -> Callable[[_Cart], bool]:
    return lambda of: "unitTaxAmount" in of.line and name not in of.line


def _discount_lacks(name: str) -> Callable[[_Cart], bool]:
    return lambda of: bool(of.discount) and name not in of.discount


WRONG = [
    *(
        wrong(
            f"accepts a line without {name}",
            f"cart.line.mandatory.{name}",
            mend=_ignoring(_line_lacks(name)),
        )
        for name in ("productId", "productName", "productQuantity", "unitAmount", "totalAmount")
    ),
    wrong(
        "accepts a quantity of 0",
        "cart.quantity.0",
        mend=_ignoring(lambda of: of.line.get("productQuantity") == 0 and len(of.cart["itemDetails"]) == 2),
    ),
    wrong(
        "accepts a quantity of 10000",
        "cart.quantity.10000",
        mend=_ignoring(lambda of: of.line.get("productQuantity") == 10000),
    ),
    wrong(
        "refuses a quantity of 9999",
        "cart.quantity.9999",
        mend=_refusing(lambda of: of.line.get("productQuantity") == 9999),
    ),
    wrong(
        "accepts a quantity of a fraction",
        "cart.quantity.fraction",
        mend=_ignoring(lambda of: of.line.get("productQuantity") == 1.5),
    ),
    wrong(
        "does not know surcharges",
        "cart.product-type.surcharge",
        mend=_refusing(lambda of: of.line.get("productType") == "surcharge"),
    ),
    wrong(
        "sells cake",
        "cart.product-type.unknown",
        mend=_ignoring(lambda of: of.line.get("productType") == "cake"),
    ),
    *(
        wrong(
            f"does not miss a line's {name}",
            f"cart.conditional.line.{name}",
            mend=_ignoring(_taxed_line_lacks(name)),
        )
        for name in ("taxRate", "totalTaxAmount", "discountName", "discountTaxAmount")
    ),
    wrong(
        "does not miss the total tax",
        "cart.conditional.totalTaxAmount",
        "cart.conditional.totalTaxAmount.shipping",
        mend=_ignoring(
            lambda of: (
                not {"totalTaxAmount", "totaltaxAmount"} & set(of.cart)
                and ("taxRate" in of.line or "shippingTaxRate" in of.shipping)
            )
        ),
    ),
    wrong(
        "does not miss the name of shipping",
        "cart.conditional.shippingName",
        mend=_ignoring(lambda of: "shippingAmount" in of.shipping and "shippingName" not in of.shipping),
    ),
    *(
        wrong(
            f"does not miss an order's {name}",
            f"cart.conditional.{name}",
            mend=_ignoring(_discount_lacks(name)),
        )
        for name in ("discountType", "discountName")
    ),
    wrong(
        "does not add up lines",
        "cart.sum.line",
        mend=_ignoring(lambda of: of.line.get("totalAmount") == "0.76"),
    ),
    wrong(
        "does not add up taxes",
        "cart.sum.tax",
        mend=_ignoring(lambda of: of.cart.get("totalTaxAmount") == "0.76"),
    ),
    wrong(
        "does not know storeCredit as the example spells it",
        "cart.discount-type.storeCredit",
        "checkout.example",
        mend=_refusing(lambda of: of.discount.get("discountType") == "storeCredit"),
    ),
    wrong(
        "knows a discount type more",
        "cart.discount-type.unknown",
        mend=_ignoring(lambda of: of.discount.get("discountType") == "kindness"),
    ),
    wrong(
        "accepts negative discounts",
        "cart.discount.negative.line",
        "cart.discount.negative.order",
        mend=_ignoring(
            lambda of: any(
                str(part.get("discountAmount", "")).startswith("-") for part in (of.line, of.discount)
            )
        ),
    ),
    wrong(
        "reads a comma in the cart",
        "cart.amount.comma",
        mend=_ignoring(lambda of: "," in str(of.line.get("unitAmount"))),
    ),
    wrong(
        "wants to know why there is no tax",
        "cart.no-tax.0",
        mend=_refusing(lambda of: of.line.get("taxRate") == "0"),
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
