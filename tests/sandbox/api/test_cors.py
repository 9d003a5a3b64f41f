"""Which sites' pages may create payment accounts, and what their browsers are told."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet_buyer import ACCOUNTS, AUTHORIZATIONS, KEYS, Buyer
from wallet_gateway.testing.control import SandboxControl

SHOP_ORIGIN = "https://shop.example"
LOOPBACK = ["http://127.0.0.1:8000", "http://localhost:3000", "http://[::1]:8000", "http://127.0.0.1"]
STRANGE = [
    "null",
    "",
    "https://evil.example",
    "http://127.0.0.1.evil.example:80",
    "http://127.0.0.1:8000.evil.example",
    "http://127.0.0.1:x",
    "http://127.0.0.1:8000/",
    "http://user@127.0.0.1:8000",
    "https://127.0.0.1:8000",
]
ASKING = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}


@pytest.fixture
def shop(control: SandboxControl) -> Merchant:
    """A merchant with one registered origin."""
    control.add_merchant(merchant_id="SHOP", store_id="S", user_id="u", origins=(SHOP_ORIGIN,))
    return Merchant(control.base_url, ids={"merchantId": "SHOP", "storeId": "S", "userId": "u"})


@pytest.mark.parametrize("origin", LOOPBACK)
def test_pages_of_this_machine_may_for_the_built_in_merchant(buyer: Buyer, origin: str) -> None:
    answer = buyer.create(buyer.data(), headers={"Origin": origin})
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize("origin", STRANGE)
def test_pages_of_others_may_not(buyer: Buyer, origin: str) -> None:
    data = buyer.data()
    answer = buyer.create(data, headers={"Origin": origin})
    assert (answer.status, answer.code) == (403, "4403005")
    assert "access-control-allow-origin" not in answer.headers
    assert buyer.create(data).status == 200


def test_a_refusal_can_be_read_by_the_page_that_earned_it(buyer: Buyer) -> None:
    for answer in (
        buyer.create({}, headers={"Origin": LOOPBACK[0]}),
        buyer.create(buyer.data(), headers={"Origin": LOOPBACK[0], "Authorization": ""}),
    ):
        assert answer.status in (400, 401)
        assert answer.headers["access-control-allow-origin"] == LOOPBACK[0]


@pytest.mark.parametrize("origin", [*LOOPBACK, SHOP_ORIGIN])
def test_a_browser_is_told_in_advance(merchant: Merchant, shop: Merchant, origin: str) -> None:
    answer = merchant.send("OPTIONS", ACCOUNTS, headers=ASKING | {"Origin": origin})
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-allow-headers"] == "Authorization, Content-Type"
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize("path", [KEYS, AUTHORIZATIONS, f"{ACCOUNTS}/x"])
def test_no_other_operation_is_for_browsers(merchant: Merchant, path: str) -> None:
    answer = merchant.send("OPTIONS", path, headers=ASKING | {"Origin": LOOPBACK[0]})
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_browsers_question_waits_for_no_fault(merchant: Merchant, control: SandboxControl) -> None:
    control.fault("*", "drop_before")
    assert merchant.send("OPTIONS", ACCOUNTS, headers=ASKING | {"Origin": LOOPBACK[0]}).status == 204
    assert control.journal() == []
