"""The wallet button's five addresses, over a running sandbox: what they answer, and to whom."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from pytest_django import Settings

from tests.api.browser import KINDS, Browser, approve
from tests.api.conftest import MakeOrder
from tests.web.conftest import state_of
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_counted")]


@pytest.fixture
def browser() -> Browser:
    return Browser()


# The session


def test_a_session_has_the_fifteen_parameters_of_the_interface(order: PaymentOrder, browser: Browser) -> None:
    session = browser.open(order)
    assert list(session) == ["reference", "parameters", "script", "statusUrl", "resultUrl", "expiresIn"]
    assert len(session["parameters"]) == 15
    given = session["parameters"]
    assert (given["amount"], given["currencyCode"], given["mid"]) == ("24.90", "EUR", "SANDBOX-MERCHANT")
    assert given["clientSystemTransactionId"] == session["reference"]
    assert 60 < session["expiresIn"] < 86_400


def test_a_session_names_no_person(order: PaymentOrder, browser: Browser) -> None:
    assert "ada@example.com" not in browser.post("session", order).content.decode()


def test_an_answer_is_kept_by_nobody(order: PaymentOrder, browser: Browser) -> None:
    answer = browser.post("session", order)
    assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "no-referrer")


def test_a_reload_gets_the_same_reference_and_another_browser_another_one(
    order: PaymentOrder, browser: Browser
) -> None:
    first, again, other = browser.open(order), browser.open(order), Browser().open(order)
    assert first["reference"] == again["reference"] != other["reference"]


@pytest.mark.parametrize("name", ["statusUrl", "resultUrl"])
def test_the_addresses_for_a_page_that_lost_its_answer_exist(
    order: PaymentOrder, browser: Browser, name: str
) -> None:
    assert browser.client.get(browser.open(order)[name]).status_code == 200


def test_without_a_key_service_there_is_no_session_and_the_order_stays_payable(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("public_key", "drop_before", times=9)
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (503, "wallet_unavailable")
    assert payments.get_order(order.reference).is_payable


@pytest.mark.parametrize("state", [OrderState.PAID, OrderState.PENDING, OrderState.FROZEN])
def test_an_order_that_must_not_be_paid_again_has_no_session(
    order: PaymentOrder, browser: Browser, state: OrderState
) -> None:
    PaymentOrder.objects.filter(pk=order.pk).update(state=state)
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_payable")


def test_a_button_that_is_not_shown_costs_no_session(
    order: PaymentOrder, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    paid = Browser()
    detail = approve(wallet_sandbox, paid.open(order))
    assert paid.post("result", order, detail).status_code == 200
    before = Session.objects.count()
    for refused in (order, make_order(currency="KWD")):
        answer = Browser().post("session", refused)
        assert (answer.status_code in {409, 503}, list(answer.cookies)) == (True, [])
    assert Session.objects.count() == before


def test_a_shop_without_its_settings_is_a_problem_that_names_none_of_them(
    order: PaymentOrder, browser: Browser, settings: Settings
) -> None:
    settings.WALLET_GATEWAY = {}
    answer = browser.post("session", order)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_configured")


# Price and reference


def test_the_sheet_is_priced_from_the_order(order: PaymentOrder, browser: Browser) -> None:
    asked = {"reference": browser.open(order)["reference"], "total": "0.01"}
    body = browser.post(
        "price", order, asked | {"shippingAddress": {"countryCode": "FR"}, "offers": []}
    ).json()
    assert (body["total"], body["errors"], body["shippingOptions"]) == ("24.90", [], [])
    assert [item["price"] for item in body["displayItems"]] == ["24.90"]


@pytest.fixture
def pricing(settings: Settings, wallet_sandbox: SandboxControl) -> None:
    configuration = settings.WALLET_GATEWAY
    configuration["GATEWAYS"]["default"]["WALLET"] = {
        "COUNTRY": "DE",
        "MERCHANT_NAME": "Shop",
        "SHIPPING_ADDRESS": True,
        "PRICING": "tests.api.shipping.price",
    }
    settings.WALLET_GATEWAY = configuration


@pytest.mark.usefixtures("pricing")
def test_shipping_is_priced_and_is_what_is_charged(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    session = browser.open(order)
    address = {"countryCode": "FR", "postalCode": "75001", "administrativeArea": ""}
    asked = {
        "reference": session["reference"],
        "shippingAddress": address,
        "shippingOption": "fast",
        "offers": ["SAVE"],
    }
    body = browser.post("price", order, asked).json()
    assert (body["total"], body["selectedOption"]) == ("28.80", "fast")
    assert [option["amount"] for option in body["shippingOptions"]] == ["0.00", "4.90"]
    assert [option["amountText"] for option in body["shippingOptions"]] == ["€0.00", "€4.90"]
    assert body["offers"] == [{"redemptionCode": "SAVE", "description": "One off"}]
    detail = approve(wallet_sandbox, session)
    assert browser.post("result", order, detail).json()["code"] == "invalid_result", "it went to nowhere"
    detail |= {"shippingAddress": address}
    assert browser.post("result", order, detail).json()["outcome"] == "APPROVED"
    assert payments.get_order(order.reference).payments.get(captured__gt=0).captured == 2880


@pytest.mark.usefixtures("pricing")
def test_where_the_shop_does_not_ship_the_sheet_says_so(order: PaymentOrder, browser: Browser) -> None:
    asked = {"reference": browser.open(order)["reference"], "shippingAddress": {"countryCode": "AQ"}}
    assert browser.post("price", order, asked).json()["errors"] == [
        {"intent": "SHIPPING_ADDRESS", "reason": "SHIPPING_ADDRESS_UNSERVICEABLE", "message": "Not there"}
    ]


def test_a_second_card_gets_a_reference_of_its_own_after_the_first_was_used(
    order: PaymentOrder, browser: Browser
) -> None:
    session = browser.open(order)
    first = session["reference"]
    addresses = ("reference", "statusUrl", "resultUrl")
    again = browser.post("reference", order).json()
    assert again == {name: session[name] for name in addresses}
    WalletAttempt.objects.update(results_count=1)
    assert browser.post("reference", order).json()["reference"] != first


@pytest.mark.usefixtures("pricing")
def test_another_card_is_charged_what_its_own_sheet_shows_and_not_another_tabs(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl
) -> None:
    sheets = [browser.open(order), browser.open(order)]
    sent_to = {"shippingAddress": {"countryCode": "FR"}}
    dearer = {"reference": sheets[0]["reference"], "shippingOption": "fast"}
    assert browser.post("price", order, dearer).json()["total"] == "29.80"
    for sheet in sheets:
        wallet_sandbox.fault("authorization", "errored")
        answer = browser.post("result", order, approve(wallet_sandbox, sheet) | sent_to)
        assert answer.json()["outcome"] == "DECLINED"

    after = {"after": sheets[0]["reference"]}
    reference = browser.post("reference", order, after).json()["reference"]
    browser.post("result", order, approve(wallet_sandbox, sheets[0], reference=reference) | sent_to)
    assert payments.get_order(order.reference).payments.get(captured__gt=0).captured == 2980


# What the page reports


def _reported(order: PaymentOrder, *, everything: bool = False) -> list[tuple[str, str]]:
    entries = payments.orders.order_timeline(order, everything=everything)
    return [(str(entry.text), entry.detail) for entry in entries if entry.kind == "REPORTED"]


def test_what_the_page_reports_is_in_the_timeline_and_changes_nothing(
    order: PaymentOrder, browser: Browser
) -> None:
    report = {"reference": browser.open(order)["reference"]}
    for event, message in [("READY", None), ("CLOSED", ""), ("ERROR", "card 4111111111111111\nfailed")]:
        answer = browser.post("event", order, report | {"event": event, "message": message or None})
        assert (answer.status_code, answer.content) == (204, b"")
    by_the_customer = [("Wallet sheet closed", ""), ("Wallet reported an error", "card ***1111 failed")]
    assert _reported(order) == by_the_customer
    assert _reported(order, everything=True) == [("Wallet button ready", ""), *by_the_customer]
    assert state_of(order) == "OPEN"


@pytest.mark.parametrize(
    "changed",
    [
        {"event": "RESULT"},
        {"event": "BOUGHT"},
        {"event": ["CLOSED"]},
        {"event": None},
        {"reference": 7},
        {"message": "m" * 256},
        {"message": {"a": "b"}},
    ],
    ids=str,
)
def test_a_report_of_another_kind_or_size_is_refused_whole(
    order: PaymentOrder, browser: Browser, changed: dict[str, Any]
) -> None:
    report = {"reference": browser.open(order)["reference"], "event": "CLOSED"}
    answer = browser.post("event", order, report | changed)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert WalletAttempt.objects.get().events == []


# What is said and logged


def test_neither_cryptogram_nor_account_is_in_a_log_or_an_answer(
    order: PaymentOrder, browser: Browser, wallet_sandbox: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    detail = approve(wallet_sandbox, browser.open(order))
    with caplog.at_level(logging.DEBUG):
        bad = browser.post("result", order, detail | {"eciIndicator": {"a": 1}})
        good = browser.post("result", order, detail)
    for secret in (detail["cryptogram"], detail["transactionAccountId"]):
        assert secret not in caplog.text + bad.content.decode() + good.content.decode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["get", "put", "patch", "delete", "options"])
def test_there_is_nothing_but_post(order: PaymentOrder, browser: Browser, kind: str, method: str) -> None:
    url = reverse(f"wallet_gateway:wallet_{kind}", args=[order.token])
    browser.open(order)
    for given in ({}, {"content_type": "application/json", "HTTP_X_CSRFTOKEN": "a" * 32}):
        answer = getattr(browser.client, method)(url, **given)
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
        assert answer.headers["Allow"] == "POST"
