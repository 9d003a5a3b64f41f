"""How often one browser may ask, and that nobody can use up another's share."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request

from tests.api.browser import Browser, approve
from wallet_gateway.api.throttles import ResultsThrottle
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_EVENTS
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
FAILED = {"code": "4000340", "details": {"message": "no token"}}


def test_a_session_may_bring_twenty_results_an_hour(order: PaymentOrder) -> None:
    browser = Browser()
    browser.open(order)
    codes = [browser.post("result", order, FAILED).status_code for _ in range(22)]
    assert codes == [200] * 20 + [429] * 2


def test_a_script_that_reports_without_end_is_stopped_and_fills_no_row(order: PaymentOrder) -> None:
    browser = Browser()
    report = {"reference": browser.open(order)["reference"], "event": "ERROR", "message": "m" * 255}
    codes = [browser.post("event", order, report).status_code for _ in range(122)]
    assert codes == [204] * 120 + [429] * 2
    assert len(WalletAttempt.objects.get().events) == MOST_EVENTS


def test_whoever_is_told_to_wait_is_told_how_long(order: PaymentOrder) -> None:
    browser = Browser()
    browser.open(order)
    for _ in range(21):
        answer = browser.post("result", order, FAILED)
    assert answer.json()["code"] == "throttled"
    assert 0 < int(answer["Retry-After"]) <= 3600


@pytest.mark.parametrize("disguise", ["no-token", "no-session", "another-session", "another-origin"])
def test_a_flood_from_elsewhere_does_not_lock_a_customer_out(
    order: PaymentOrder,
    make_order: Callable[..., PaymentOrder],
    wallet_sandbox: SandboxControl,
    disguise: str,
) -> None:
    customer, flood = Browser(), Browser()
    session = customer.open(order)
    detail = approve(wallet_sandbox, session)
    extra = {"no-token": {"HTTP_X_CSRFTOKEN": ""}, "another-origin": {"HTTP_ORIGIN": "https://evil.example"}}
    if disguise == "another-session":
        flood.open(make_order())
    if disguise in extra:
        # As far as it can: a page of another site makes the customer's own browser ask.
        flood = customer
    answers = [flood.post("result", order, detail, **extra.get(disguise, {})).status_code for _ in range(60)]
    assert set(answers) <= {403, 404, 429}
    assert customer.post("result", order, detail).json()["outcome"] == "APPROVED"


def test_one_reference_brings_five_results_however_many_sessions_count(
    order: PaymentOrder, wallet_sandbox: SandboxControl
) -> None:
    browser = Browser()
    detail = approve(wallet_sandbox, browser.open(order))
    wallet_sandbox.fault("get_payment_account", "status_before", status=503, times=100)
    codes = []
    for _ in range(6):
        cache.clear()
        codes.append(browser.post("result", order, detail).json()["code"])
    assert codes == ["try_again"] * 5 + ["too_many_results"]
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


def test_a_binding_is_not_written_into_the_cache(order: PaymentOrder) -> None:
    browser = Browser()
    browser.open(order)
    binding = browser.client.session["wallet_gateway"]
    key = ResultsThrottle().get_cache_key(Request(HttpRequest()), SimpleNamespace(binding=binding))
    assert key is not None
    assert binding not in key
