"""A wallet key that the gateway no longer takes: the second press pays, with another key, and once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.api.browser import Browser, approve
from tests.operations.journal import times_sent
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, WalletAttempt, WalletKey
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Browser:
    return Browser()


LOST: dict[str, Callable[[SandboxControl], object]] = {
    "forgotten, as after a restart": lambda gateway: gateway.reset(),
    "ended before its time": lambda gateway: gateway.advance_clock(2 * 3600),
}
"""How a key that the shop believes in is lost at the gateway."""
REFUSED = {"code": "4401002", "description": "Unauthorized", "details": {"message": "no such key"}}
REPORTS: dict[str, tuple[str, dict[str, Any], tuple[int, object]]] = {
    "the gateway's refusal": (
        "result",
        REFUSED,
        (200, {"outcome": "TRY_AGAIN", "message": "Nothing was charged. Try again.", "next": ""}),
    ),
    "a refusal in words of another gateway": (
        "result",
        {"code": "E-17"},
        (200, {"outcome": "TRY_AGAIN", "message": "Nothing was charged. Try again.", "next": ""}),
    ),
    "an exception's text": (
        "event",
        {"event": "ERROR", "message": "Request failed with status code 401"},
        (200, {"newSession": True}),
    ),
    "an answer that a browser hides from the page": (
        "event",
        {"event": "ERROR", "message": "The gateway could not be reached"},
        (200, {"newSession": True}),
    ),
}
"""What a page can report of it, and what the shop answers."""


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("report", REPORTS)
def test_after_a_key_was_refused_in_the_browser_the_next_session_pays_with_another_key(
    lost: str, report: str, order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    before = browser.open(order)
    LOST[lost](wallet_sandbox)
    with pytest.raises(HTTPError, match="401"):
        approve(wallet_sandbox, before)
    what, body, expected = REPORTS[report]
    answer = browser.post(what, order, body | ({"reference": before["reference"]} if what == "event" else {}))
    assert (answer.status_code, answer.json()) == expected

    after = browser.open(order)
    assert after["parameters"]["publicKeyApi"] != before["parameters"]["publicKeyApi"]
    paid = browser.post("result", order, approve(wallet_sandbox, after))
    assert paid.json()["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).is_paid
    assert times_sent(wallet_sandbox, "authorization") == 1
    first, second = WalletAttempt.objects.order_by("pk")
    assert (first.key, second.key) == tuple(WalletKey.objects.order_by("pk")), "each keeps its own"


def test_a_refused_key_is_given_to_no_other_customer_and_to_no_other_order(
    order: PaymentOrder, make_order: Callable[..., PaymentOrder], wallet_sandbox: SandboxControl
) -> None:
    first, second = Browser(), Browser()
    before, beside = first.open(order), second.open(make_order())
    assert before["parameters"]["publicKeyApi"] == beside["parameters"]["publicKeyApi"]
    wallet_sandbox.reset()
    first.post("result", order, REFUSED)
    for payable in (order, make_order()):
        sheet = second.open(payable)
        assert sheet["parameters"]["publicKeyApi"] != before["parameters"]["publicKeyApi"]
        assert approve(wallet_sandbox, sheet)["transactionAccountId"]
    assert times_sent(wallet_sandbox, "public_key") == 1


def test_a_key_that_is_refused_when_the_shop_asks_for_the_card_charges_nothing_and_the_next_session_pays(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    before = browser.open(order)
    detail = approve(wallet_sandbox, before)
    wallet_sandbox.reset()
    for _ in range(2):
        answer = browser.post("result", order, detail)
        assert answer.status_code == 503
        assert answer.json()["detail"] == "Nothing was charged. Try again."
    after = browser.open(order)
    assert after["parameters"]["publicKeyApi"] != before["parameters"]["publicKeyApi"]
    paid = browser.post("result", order, approve(wallet_sandbox, after))
    assert paid.json()["outcome"] == "APPROVED"
    assert times_sent(wallet_sandbox, "authorization") == 1


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("error_body", "DECLINED"), ("bare_error", "DECLINED"), ("status_before", "CHECKING")],
)
def test_a_key_that_is_refused_with_the_authorization_is_not_given_again_and_nothing_is_sent_twice(
    fault: str, outcome: str, order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    before = browser.open(order)
    detail = approve(wallet_sandbox, before)
    wallet_sandbox.fault("authorization", fault, status=401, times=5)
    assert browser.post("result", order, detail).json()["outcome"] == outcome
    assert browser.post("result", order, detail).json()["outcome"] == outcome
    assert times_sent(wallet_sandbox, "authorization") == 1
    key = WalletKey.objects.get()
    assert key.refused_at is not None
    assert WalletAttempt.objects.get().key == key
