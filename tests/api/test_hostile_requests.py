"""Hostile requests at the five addresses of the button: refused with a code, and nothing comes of them.

Nothing is stored, nothing is sent to the gateway, nothing hostile is logged, and none takes a second of the
processor, whatever it is.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from tests.api.browser import Browser
from tests.money.wallet.customers import WalletGateway, detail_for
from tests.support.stored import stored
from tests.support.tables import every
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.card_numbers import has_card_number

pytestmark = pytest.mark.django_db

VISA, DINERS = "4111111111111111", "36006666333344"
SPELT = (VISA, "4111.1111.1111.1111", "4111\u00a01111\u20111111_1111", DINERS)
BESIDE_LETTERS = "No4111111111111111x"
CRYPTOGRAM = "QUJDREVGR0hJSktMTU5PUFFSU1Q="
MARK = "hostile"
"""Stands in every other hostile text, so that it would be found in a log."""


def everything_sent(gateway: WalletGateway) -> tuple[int, ...]:
    """How often the gateway was asked for anything."""
    return len(gateway.sent), len(gateway.looked_up), len(gateway.asked), gateway.keys_asked


@pytest.fixture
def refuse(
    order: PaymentOrder,
    browser: Browser,
    gateway: WalletGateway,
    caplog: pytest.LogCaptureFixture,
) -> Callable[..., None]:
    """Send one request after the button was shown; see that it is refused and leaves nothing behind."""
    caplog.set_level(logging.DEBUG, logger="wallet_gateway")
    browser.open(order)

    def send(what: str, body: object, *, token: str = "", **headers: Any) -> None:
        cache.clear()
        caplog.clear()
        before, sent = stored(tables="wallet_gateway_"), everything_sent(gateway)
        begun = time.thread_time()
        answer = browser.post(what, token or order, body, **headers)
        took = time.thread_time() - begun
        assert 400 <= answer.status_code < 500, answer.content
        assert re.fullmatch(r"[a-z_]+", answer.json()["code"])
        assert took < 1
        assert stored(tables="wallet_gateway_") == before
        assert everything_sent(gateway) == sent
        # Django and every web server log the address of a request that fails, whatever it is.
        logged = [record for record in caplog.records if record.name.startswith("wallet_gateway")]
        for text in (*(record.getMessage() for record in logged), answer.content.decode()):
            assert not has_card_number(text)
            assert MARK not in text
            assert CRYPTOGRAM not in text
            assert len(text) < 1_000

    return send


@pytest.fixture
def good(order: PaymentOrder, browser: Browser) -> dict[str, Any]:
    """Return a result that would pay."""
    return detail_for(browser.open(order)["reference"])


ACCOUNTS = (*SPELT, ".", "..", f"../{MARK}", f"a/{MARK}", f"a?{MARK}=1", f"a#{MARK}", "a%2e%2e", f"a\\{MARK}")
RESULTS: list[dict[str, Any]] = [
    *({"transactionAccountId": account} for account in ACCOUNTS),
    *({"transactionAccountId": bad} for bad in (None, "", " ", "a" * 256, f"{MARK}\0", 7, [MARK], {MARK: 1})),
    *({"pan": number} for number in (*SPELT, BESIDE_LETTERS, 4111111111111111)),
    *({name: MARK} for name in ("cvv", "CVV2", "cvc", "security_code", "Primary-Account-Number")),
    {"billingAddress": {"cvv": "123"}},
    {"deep": [{"cardNumber": "4111 1111 1111 1111"}]},
    *({"transactionMethod": method} for method in (*SPELT, BESIDE_LETTERS, MARK, CRYPTOGRAM, "x" * 9_000)),
    {"transactionMethod": 1},
    {"transactionMethod": []},
    {"cryptogram": MARK},
    {"cryptogram": VISA},
    {"eciIndicator": MARK},
    {"email": "a" * 256},
    {"email": f"{MARK}\n"},
    {"email": "\u2028"},
    {"billingAddress": MARK},
    {"billingAddress": {"name": f"{MARK}\0"}},
    {"billingAddress": {"name": 1}},
    *({"billingAddress": {"countryCode": country}} for country in ("ZZ", "XX", MARK, "\u202eDE", "D")),
    {"shippingAddress": {"countryCode": "QQ"}},
    {"code": "1"},
    {"clientSystemTransactionId": VISA},
    {"clientSystemTransactionId": f"../{MARK}"},
    {"clientSystemTransactionId": MARK},
]


@every("spoilt", RESULTS)
def test_a_hostile_result(spoilt: dict[str, Any], good: dict[str, Any], refuse: Callable[..., None]) -> None:
    refuse("result", good | spoilt)


PRICES: list[dict[str, Any]] = [
    *({"shippingOption": number} for number in (*SPELT, BESIDE_LETTERS)),
    {"shippingAddress": {"countryCode": "ZZ"}},
    {"shippingAddress": {"locality": f"{MARK}\0"}},
    {"shippingAddress": {"locality": [MARK]}},
    {"shippingAddress": {str(number): MARK for number in range(21)}},
    {"shippingAddress": MARK},
    {"shippingOption": "x" * 256},
    {"shippingOption": 4111111111111111},
    {"offers": MARK},
    {"offers": [MARK] * 11},
    {"offers": [True]},
    {"shippingOption": ""},
    {"shippingOption": ["a"]},
    {"shippingAddress": {"countryCode": {"a": "b"}}},
    {"reference": 1},
    {"reference": ""},
    {"reference": "x" * 256},
    {"offers": ["x" * 256]},
    {"offers": [None]},
    {"reference": MARK},
    {"reference": VISA},
    {"reference": None},
]


@every("spoilt", PRICES)
def test_hostile_choices(spoilt: dict[str, Any], good: dict[str, Any], refuse: Callable[..., None]) -> None:
    refuse("price", {"reference": good["clientSystemTransactionId"]} | spoilt)


EVENTS: list[dict[str, Any]] = [
    *({"event": event} for event in (MARK, VISA, "RESULT", None, 1)),
    {"event": []},
    *({"reference": reference} for reference in (MARK, VISA, "\0", "", "x" * 256, 1)),
    {"message": "x" * 256},
    {"message": [MARK]},
]


@every("spoilt", EVENTS)
def test_a_hostile_event(spoilt: dict[str, Any], good: dict[str, Any], refuse: Callable[..., None]) -> None:
    refuse("event", {"reference": good["clientSystemTransactionId"], "event": "READY"} | spoilt)


TOKENS = ("a%00b", "%00", VISA, MARK, "x" * 5_000, "%ff", "%E2%80%AE", "a b")


@pytest.mark.every_database
@every("token", TOKENS)
@every("what", ["session", "result"])
def test_an_address_of_no_order(
    what: str,
    token: str,
    refuse: Callable[..., None],
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The test client takes a path as it stands in a request, where `reverse` would encode it again.
    def post(path: str, *rest: Any, **more: Any) -> Any:  # noqa: ANN401
        return type(browser.client).post(browser.client, path.replace("TOKEN", token), *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(browser.client, "post", post)
        refuse(what, {"clientSystemTransactionId": "A", "transactionAccountId": "B"}, token="TOKEN")
