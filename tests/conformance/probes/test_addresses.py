"""Gateways that are wrong about the addresses of a checkout."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.wrong_gateways import (
    Wrong,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    forgetting,
    refusing,
    setting,
    wrong,
)
from tests.tables import every

BILLING = "addressDetails.billingAddress"
SHIPPING = "addressDetails.shippingAddress"


def _has_address(value: object) -> bool:
    return isinstance(value, dict) and bool(value)


def _lacks(name: str) -> Callable[[dict[str, str]], bool]:
    return lambda address: name not in address


WRONG = [
    *(
        wrong(
            f"accepts a billing address without {name}",
            f"addresses.billing.mandatory.{name}",
            mend=forgetting(BILLING, _lacks(name)),
        )
        for name in ("houseNumber", "street", "city", "zipPostalCode", "countryCode")
    ),
    wrong(
        "wants a state",
        "addresses.billing.no-state",
        mend=refusing(
            "checkout",
            lambda body: (
                _has_address(body.get("addressDetails", {}).get("billingAddress"))
                and "state" not in body["addressDetails"]["billingAddress"]
                and body["addressDetails"]["billingAddress"]["countryCode"] == "DEU"
            ),
        ),
    ),
    wrong(
        "reads countries of two letters",
        "addresses.billing.country.two-letters",
        mend=setting("checkout", f"{BILLING}.countryCode", "DEU", lambda value: value == "DE"),
    ),
    wrong(
        "reads the names of states",
        "addresses.billing.state.name",
        mend=setting("checkout", f"{BILLING}.state", "DE-BY", lambda value: value == "Bavaria"),
    ),
    wrong(
        "refuses a shipping address without a street",
        "addresses.shipping.nothing",
        "addresses.shipping.name",
        mend=refusing(
            "checkout",
            lambda body: (
                "shippingAddress" in body.get("addressDetails", {})
                and "street" not in body["addressDetails"]["shippingAddress"]
            ),
        ),
    ),
    wrong(
        "ships to any country",
        "addresses.shipping.country.two-letters",
        "addresses.shipping.country.unknown",
        "addresses.shipping.country.name",
        mend=forgetting(f"{SHIPPING}.countryCode", lambda code: code != "AUT"),
    ),
    wrong(
        "ships to any state",
        "addresses.shipping.state.name",
        "addresses.shipping.state.no-country",
        "addresses.shipping.state.unknown",
        mend=forgetting(f"{SHIPPING}.state", lambda state: state != "AT-9"),
    ),
    wrong(
        "refuses every billing address",
        "addresses.billing",
        "addresses.billing.no-state",
        "checkout.full",
        "checkout.example",
        mend=refusing("checkout", lambda body: "billingAddress" in body.get("addressDetails", {})),
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
