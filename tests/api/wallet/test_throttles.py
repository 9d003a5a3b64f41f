"""How often one browser may ask, and that nobody can use up another's share."""

from __future__ import annotations

import pytest

from tests.api.browser import FAILED, Browser
from tests.money.wallet.customers import detail_for
from tests.support.shop import Shop
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.transactions import MOST_EVENTS

pytestmark = pytest.mark.django_db


def test_a_session_may_bring_twenty_results_an_hour_and_is_told_how_long_to_wait(
    order: PaymentOrder, browser: Browser
) -> None:
    browser.open(order)
    answers = [browser.post("result", order, FAILED) for _ in range(22)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429] * 2
    assert answers[-1].json()["code"] == "throttled"
    assert "Request was throttled" not in answers[-1].json()["detail"]
    assert 0 < int(answers[-1]["Retry-After"]) <= 3600


def test_a_script_that_reports_without_end_is_stopped_and_fills_no_row(
    order: PaymentOrder, browser: Browser
) -> None:
    report = {"reference": browser.open(order)["reference"], "event": "CLOSED", "message": "m" * 255}
    codes = [browser.post("event", order, report).status_code for _ in range(122)]
    assert codes == [204] * 120 + [429] * 2
    assert len(WalletAttempt.objects.get().events) == MOST_EVENTS


@pytest.mark.parametrize("disguise", ["no-token", "no-session", "another-session", "another-origin"])
def test_a_flood_from_elsewhere_does_not_lock_a_customer_out(
    disguise: str, shop: Shop, order: PaymentOrder, browser: Browser
) -> None:
    flood = Browser()
    detail = detail_for(browser.open(order)["reference"])
    extra = {"no-token": {"HTTP_X_CSRFTOKEN": ""}, "another-origin": {"HTTP_ORIGIN": "https://evil.example"}}
    if disguise == "another-session":
        flood.open(shop.order())
    if disguise in extra:
        # As far as it can: a page of another site makes the customer's own browser ask.
        flood = browser
    answers = {flood.post("result", order, detail, **extra.get(disguise, {})).status_code for _ in range(25)}
    assert answers <= {403, 404, 429}
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"
