"""Who pays: a person who is shown the page, for as long as they have, and never above the limit."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from dataclasses import replace
from decimal import Decimal
from urllib.parse import urlencode, urlsplit

import pytest

from tests.tables import every
from wallet_gateway.conformance import payer
from wallet_gateway.conformance.gateway import SALE, Gateway
from wallet_gateway.conformance.payer import Limit, Payment, Person
from wallet_gateway.conformance.results import Skipped
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT
from wallet_gateway.conformance.wire import HttpWire

PAYMENT = Payment(reference="R", type=SALE, amount="1.00", currency="EUR", page="https://gateway.example/1")


def press_pay(line: str) -> None:
    """Do what a person would with the address that they are shown."""
    [page] = re.findall(r"http://\S+", line)
    opener = urllib.request.build_opener(NoRedirect)
    with pytest.raises(urllib.error.HTTPError, match="303"):
        opener.open(page, data=urlencode({"outcome": "success"}).encode(), timeout=60)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


def test_a_person_is_shown_the_page_and_pays(sandbox_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payer, "_SECONDS_BETWEEN_LOOKS", 0.01)
    gateway = Gateway(
        wire=HttpWire(sandbox_url),
        host=urlsplit(sandbox_url).netloc,
        account=SANDBOX_ACCOUNT,
        payer=Person(say=press_pay, seconds=60),
        limit=Limit(Decimal(1), currency="EUR", say=lambda _: None),
    )
    paid = gateway.paid_sale()
    assert gateway.payments == [paid]
    assert gateway.record(paid.reference, SALE)["state"] == "Approved"


def test_a_person_who_does_not_pay_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payer, "_SECONDS_BETWEEN_LOOKS", 0.01)
    said: list[str] = []
    with pytest.raises(Skipped, match=r"nobody paid within 0\.02 seconds"):
        Person(say=said.append, seconds=0.02).pay(PAYMENT, is_paid=lambda: False)
    assert said == [
        "Please pay 1.00 EUR (ecom.sale) within 0.02 seconds at https://gateway.example/1",
    ]


def test_nobody_is_asked_where_there_is_no_time() -> None:
    said: list[str] = []
    with pytest.raises(Skipped, match="--wait is 0"):
        Person(say=said.append, seconds=0).pay(PAYMENT, is_paid=lambda: True)
    assert said == []


@every("page", ["", "/pay", "https://gateway.example/\x1b[2J", "javascript:pay()"])
def test_a_page_that_is_none_is_not_shown(page: str) -> None:
    said: list[str] = []
    with pytest.raises(Skipped, match="no page to pay on"):
        Person(say=said.append, seconds=1).pay(replace(PAYMENT, page=page), is_paid=lambda: True)
    assert said == []


def test_money_is_announced_and_stays_below_the_limit() -> None:
    said: list[str] = []
    limit = Limit(Decimal("2.00"), currency="EUR", say=said.append)
    limit.take("1.50", "a payment")
    with pytest.raises(Skipped, match=r"more than the limit of 2\.00 EUR"):
        limit.take("0.51", "a payment")
    limit.take("0.50", "a refund")
    assert limit.spent == Decimal("2.00")
    assert said == ["Moves money: a payment, 1.50 EUR", "Moves money: a refund, 0.50 EUR"]
