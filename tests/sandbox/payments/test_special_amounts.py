"""Amounts that always do the same for a person, and never for a control call."""

from __future__ import annotations

import urllib.error
import urllib.request
from decimal import Decimal
from http.client import HTTPMessage
from typing import IO
from urllib.parse import urlencode

import pytest

from tests.sandbox.merchant import SHOP, Merchant, new_reference
from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.payments.provider_decision import SpecialAmount, special_amount
from wallet_gateway.testing.control import SandboxControl


class Standstill(urllib.request.HTTPRedirectHandler):
    """Leaves a redirect to the caller."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def press(url: str, outcome: str) -> str:
    """Press a button of the checkout page as a browser does; give where it leads."""
    opener = urllib.request.build_opener(Standstill, urllib.request.ProxyHandler({}))
    with pytest.raises(urllib.error.HTTPError) as redirect:
        opener.open(url, urlencode({"outcome": outcome}).encode(), timeout=60)
    with redirect.value as answer:
        assert answer.code == 303
        return answer.headers["Location"]


@pytest.mark.parametrize(
    ("amount", "to", "state"),
    [
        ("6660.01", "refused", "Errored"),
        ("6660.02", "pending", "Pending"),
        ("6660.03", "error", "Errored"),
        ("6660.00", "success", "Approved"),
        ("6660.05", "success", "Approved"),
    ],
)
def test_paying_a_special_amount_on_the_page_does_what_it_always_does(
    merchant: Merchant, amount: str, to: str, state: str
) -> None:
    reference = new_reference()
    link = merchant.checkout(reference, amount=amount).json["redirectUrl"]
    assert press(link, "success") == f"{SHOP}?to={to}"
    assert merchant.record(reference)["state"] == state


@pytest.mark.parametrize("amount", ["6660.01", "6660.02", "6660.03"])
def test_control_calls_ignore_them(merchant: Merchant, control: SandboxControl, amount: str) -> None:
    reference = new_reference()
    merchant.checkout(reference, amount=amount)
    assert control.complete_checkout(reference, "success") == f"{SHOP}?to=success"
    assert control.portal(reference, "ecom.refund", amount)["state"] == "Approved"


@pytest.mark.parametrize(
    ("amount", "state", "provider_state"),
    [
        ("6660.01", "Errored", "RefusedByProvider"),
        ("6660.02", "Pending", "PendingAtProvider"),
        ("6660.03", "Errored", "FailedAtProvider"),
    ],
)
def test_a_follow_up_of_a_special_amount_does_it_too(
    merchant: Merchant, control: SandboxControl, amount: str, state: str, provider_state: str
) -> None:
    reference = new_reference()
    merchant.checkout(reference, amount="9000.00")
    control.complete_checkout(reference, "success")
    answer = merchant.refund(new_reference(), reference, amount)
    assert answer.status == 200
    assert (answer.json["state"], answer.json["providerStateCode"]) == (state, provider_state)


@every(
    ("amount", "currency", "special"),
    [
        ("6660.01", "EUR", SpecialAmount.REFUSED),
        ("6660.02", "USD", SpecialAmount.PENDING),
        ("6660.030", "KWD", SpecialAmount.ERRORED),
        ("6660.04", "EUR", SpecialAmount.SLOW),
        ("666001", "JPY", None),
        ("6660", "JPY", None),
        ("66.60", "EUR", None),
    ],
)
def test_an_amount_is_special_by_its_value_in_major_units(
    amount: str, currency: str, special: SpecialAmount | None
) -> None:
    assert special_amount(Money(Decimal(amount), currency)) is special
