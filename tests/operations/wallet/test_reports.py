"""What Django reports of an error names nobody and shows no body, wherever in an operation it is raised."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.views.debug import ExceptionReporter

from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.dying import scripted
from tests.operations.personal import ADDRESS, CARDHOLDER, EMAIL, LAST_NAME, PAYER, PERSONAL
from tests.operations.records import answer_of, record
from wallet_gateway import error_reports, gateways, payments
from wallet_gateway.client import gateway as client_gateway
from wallet_gateway.client import http_transport, redaction
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.checkout import orders, page_request, payment_attempts
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups import detached_refunds
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def _name(part: object) -> str:
    return getattr(part, "__name__", str(part)).rpartition(".")[2]


class Surprise(BaseException):
    """Nothing catches this on its way up to Django."""


def surprise(*_: object, **__: object) -> None:
    raise Surprise("of the test")


def report_of(work: Callable[[], object]) -> str:
    """Run what fails as a public function does; give Django's report of it, as text and as a page."""
    try:
        error_reports.sensitive_variables()(work)()
    except Surprise:
        reporter = ExceptionReporter(None, *sys.exc_info())
        return reporter.get_traceback_text() + reporter.get_traceback_html()
    raise AssertionError("nothing was raised")


def assert_names_nobody(report: str) -> None:
    assert "of the test" in report
    assert "********************" in report
    assert [one for one in PERSONAL if one in report] == []


@pytest.fixture
def known_order(make_order: MakeOrder) -> PaymentOrder:
    return make_order(cardholder=CARDHOLDER, billing_address=ADDRESS)


CHECKOUT = [
    (payment_attempts, "_lock_untouched"),
    (page_request, "canonical"),
    (http_transport.HttpTransport, "_exchange"),
    (client_gateway, "parse_response"),
    (redaction, "_redacted"),
    (settlement, "event_columns"),
    (settlement, "write_settlement"),
]


@pytest.mark.parametrize(("place", "name"), CHECKOUT, ids=_name)
def test_a_checkout_that_fails_anywhere(
    place: Any,  # noqa: ANN401 - a module or a class
    name: str,
    known_order: PaymentOrder,
    context: GatewayContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, name, surprise)
    assert_names_nobody(
        report_of(
            lambda: start_checkout(order=known_order, context=context, return_urls=gateways.return_urls)
        )
    )


@pytest.mark.parametrize("name", ["_checked_content", "_check_storable", "_store_once"])
def test_an_order_that_fails_anywhere(
    name: str, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, name, surprise)
    assert_names_nobody(
        report_of(
            lambda: payments.create_order(
                reference="SHOP-1",
                currency="EUR",
                amount=Decimal(20),
                billing_address=ADDRESS,
                cardholder_email=EMAIL,
                cardholder_last_name=LAST_NAME,
            )
        )
    )


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (client_gateway, "parse_response"),
        (redaction, "_redacted"),
        (settlement, "record_discrepancies"),
        (settlement, "_event"),
    ],
    ids=_name,
)
@pytest.mark.parametrize("ask", ["page", "sweep"])
def test_a_question_that_fails_anywhere(
    place: Any,  # noqa: ANN401 - a module or a class
    name: str,
    ask: str,
    known_order: PaymentOrder,
    context: GatewayContext,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start_checkout(order=known_order, context=context, return_urls=gateways.return_urls)
    transaction = GatewayTransaction.objects.get()
    telling = scripted(
        context, answer_of(record(transaction, "20.00", apmDetails={"apmPayerEmailAddress": PAYER}))
    )
    clock.advance(seconds=90)
    monkeypatch.setattr(place, name, surprise)
    verbs = {
        "page": lambda: reconcile_attempt(reference=transaction.reference, context=telling),
        "sweep": lambda: sweep(context=telling),
    }
    assert_names_nobody(report_of(verbs[ask]))


@pytest.mark.parametrize("name", ["_exchange", "_signed"])
def test_a_detached_refund_that_fails(
    name: str, context: GatewayContext, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_transport.HttpTransport, name, surprise)
    report = report_of(
        lambda: detached_refunds.refund_migrated(
            parent_transaction_id="OLD-1", amount=Decimal(5), currency="EUR", context=context
        )
    )
    assert_names_nobody(report)


def test_the_report_would_name_them_without_this(
    known_order: PaymentOrder, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_transport.HttpTransport, "_exchange", surprise)
    monkeypatch.setattr(error_reports, "hide_variables", lambda *_, **__: None)
    report = report_of(
        lambda: start_checkout(order=known_order, context=context, return_urls=gateways.return_urls)
    )
    assert [one for one in PERSONAL if one in report], "this test proves nothing otherwise"


def test_the_details_of_an_order_do_not_show_who_buys() -> None:
    shown = repr(OrderDetails(currency="EUR", billing_address=ADDRESS, cardholder=CARDHOLDER))
    assert "EUR" in shown
    assert [one for one in PERSONAL if one in shown] == []
