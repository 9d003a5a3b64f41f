"""The real Sentry SDK with default options: no event holds a secret or a customer, whatever fails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sentry_sdk
from django.db import DataError, OperationalError, connection
from django.test import Client
from pytest_django import Settings

from tests.api.browser import CARD, TOKEN
from tests.collectors import shop
from tests.collectors.canaries import EMAIL, Payer, found
from tests.collectors.dying_database import Dying
from tests.collectors.listening import SentryEvents
from tests.collectors.shop import surprise
from tests.operations.personal import PERSONAL
from tests.web.conftest import address
from wallet_gateway import error_reports, payments, signals
from wallet_gateway.api import base, parsers, problems
from wallet_gateway.api.throttles import ResultsThrottle
from wallet_gateway.client import gateway as client_gateway
from wallet_gateway.client import http_transport, redaction
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.checkout import orders, payment_attempts
from wallet_gateway.operations.migration import import_export
from wallet_gateway.operations.sending import answers
from wallet_gateway.operations.settlement import outbox
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.wallet import authorize, card
from wallet_gateway.operations.wallet import pay as wallet_payment
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MakeOrder = Callable[..., PaymentOrder]
HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
PARENT = "CANARY-OF-THE-OLD-PROVIDER"
MIGRATION_FILE = (HEADER, f"{PARENT},2026-01-15T10:30:00,1.00,EUR,0.00,P\n")


def assert_tells_nothing(sentry: SentryEvents, payer: Payer) -> None:
    assert found(sentry.text, payer.secrets) == []
    assert found(sentry.text_without_calls, payer.asked_for) == []


FAULTS = ["drop_before", "drop_after", "error_body", "wrong_shape"]


@pytest.mark.parametrize("operation", ["authorization", "get_payment_account"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_gateway_that_is_silent_or_answers_oddly(
    operation: str,
    fault: str,
    payer: Payer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    sentry: SentryEvents,
) -> None:
    order = make_order()
    payer.approve(order)
    wallet_sandbox.fault(operation, fault, times=10)
    payer.post(order)
    sentry_sdk.capture_message("what the breadcrumbs say")
    assert_tells_nothing(sentry, payer)


WAY_OF_A_CARD = [
    (base, "binding_of"),
    (ResultsThrottle, "allow_request"),
    (parsers, "_object"),
    (wallet_payment, "read_result"),
    (wallet_payment, "_take"),
    (card, "opened"),
    (http_transport.HttpTransport, "_signed"),
    (client_gateway, "parse_response"),
    (redaction, "_redacted"),
    (wallet_payment, "cipher_of"),
    (authorize, "_claim"),
    (answers, "record_authorization_answer"),
    (settlement, "_event"),
    (outbox, "_deliver_one"),
]


@pytest.mark.parametrize(("place", "name"), WAY_OF_A_CARD, ids=lambda part: str(part).rpartition(".")[2])
def test_a_result_that_fails_anywhere(
    place: Any,  # noqa: ANN401 - a module or a class
    name: str,
    payer: Payer,
    make_order: MakeOrder,
    sentry: SentryEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = make_order()
    payer.approve(order)
    monkeypatch.setattr(place, name, surprise)
    payer.post(order)
    assert sentry.sent
    assert_tells_nothing(sentry, payer)


def test_sentry_would_be_told_without_this(
    payer: Payer, make_order: MakeOrder, sentry: SentryEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (error_reports, problems):
        monkeypatch.setattr(module, "hide_variables", ignore)
    for number in range(1, 21):
        order = make_order()
        payer.approve(order)
        with connection.execute_wrapper(Dying(number, DataError, once=True)):
            payer.post(order)
        connection.needs_rollback = False
    assert EMAIL in sentry.text


def ignore(*_: object, **__: object) -> None:
    """Do nothing."""


def test_the_traceback_still_names_every_line(
    payer: Payer, make_order: MakeOrder, sentry: SentryEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = make_order()
    payer.approve(order)
    monkeypatch.setattr(settlement, "_event", surprise)
    payer.post(order)
    ways = ["pay", "pay_with_wallet", "_charge", "send", "send_once", "surprise"]
    assert [frame["function"] for frame in frames_of(sentry) if frame["function"] in ways] == ways


@pytest.mark.parametrize(("error", "once"), [(DataError, True), (OperationalError, False)])
def test_a_database_that_fails_at_any_statement_of_a_payment(
    error: type[Exception], once: bool, payer: Payer, make_order: MakeOrder, sentry: SentryEvents
) -> None:
    failed = 0
    while True:
        order = make_order()
        payer.approve(order)
        dying = Dying(failed + 1, error, once=once)
        with connection.execute_wrapper(dying):
            payer.post(order)
        # The test's own transaction is not to be rolled back for it.
        connection.needs_rollback = False
        assert_tells_nothing(sentry, payer)
        if dying.count <= failed:
            break
        failed += 1
    assert failed > 10
    assert len(sentry.events) >= failed - 1


@pytest.mark.parametrize(
    ("setting", "function", "method"),
    [("PRICING", "price", TOKEN), ("THREE_D_SECURE", "authenticate", CARD)],
)
def test_a_function_of_the_shop_that_raises(
    setting: str,
    function: str,
    method: str,
    payer: Payer,
    make_order: MakeOrder,
    sentry: SentryEvents,
    settings: Settings,
) -> None:
    shop.set_wallet(settings, **{setting: f"tests.collectors.shop.{function}"})
    order = make_order()
    payer.approve(order, method)
    assert payer.post(order) == 500
    assert function in [frame["function"] for frame in frames_of(sentry)]
    assert_tells_nothing(sentry, payer)


def frames_of(sentry: SentryEvents) -> list[dict[str, Any]]:
    errors = [event["exception"]["values"][-1] for event in sentry.events if "exception" in event]
    return [frame for error in errors for frame in error["stacktrace"]["frames"]]


def test_a_receiver_that_raises(payer: Payer, make_order: MakeOrder, sentry: SentryEvents) -> None:
    order = make_order()
    payer.approve(order)
    signals.order_paid.connect(surprise)
    try:
        assert payer.post(order) == 200
    finally:
        signals.order_paid.disconnect(surprise)
    assert sentry.events
    assert_tells_nothing(sentry, payer)


def report(work: Callable[[], object]) -> None:
    """Do what a shop does whose view fails: report the exception to Sentry."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - as a framework does
        sentry_sdk.capture_exception(error)


DOORS = [
    (orders, "_checked_content"),
    (orders, "_store_once"),
    (payment_attempts, "_lock_untouched"),
    (http_transport.HttpTransport, "_signed"),
    (client_gateway, "parse_response"),
    (settlement, "event_columns"),
    (settlement, "write_settlement"),
]


@pytest.mark.parametrize(("place", "name"), DOORS, ids=lambda part: str(part).rpartition(".")[2])
def test_an_order_and_a_checkout_that_fail_anywhere(
    place: Any,  # noqa: ANN401 - a module or a class
    name: str,
    wallet_sandbox: SandboxControl,
    sentry: SentryEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, name, surprise)
    report(shop.check_out)
    assert sentry.events
    assert found(sentry.text, PERSONAL) == []


@pytest.mark.parametrize("name", ["_record_finding", "_event"])
@pytest.mark.parametrize("way", ["return", "result", "sweep", "reconcile", "refund"])
def test_a_way_back_a_poll_a_sweep_and_a_refund_that_fail(
    way: str,
    name: str,
    wallet_sandbox: SandboxControl,
    client: Client,
    sentry: SentryEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    payment = shop.check_out()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    if way == "refund":
        payments.reconcile(payment)
    GatewayTransaction.objects.update(next_query_at=payment.created_at - timedelta(minutes=1))
    client.raise_request_exception = False
    ways: dict[str, Callable[[], object]] = {
        "return": lambda: client.get(address("return", payment, ReturnOutcome.SUCCESS)),
        "result": lambda: client.get(address("result", payment, ReturnOutcome.SUCCESS)),
        "sweep": payments.sweep,
        "reconcile": lambda: payments.reconcile(payment),
        "refund": lambda: payments.refund(payment.order),
    }
    monkeypatch.setattr(answers if name == "_record_finding" else settlement, name, surprise)
    report(ways[way])
    sentry_sdk.capture_message("what the breadcrumbs say")
    assert found(sentry.text, PERSONAL) == []


@pytest.mark.parametrize("name", ["_check", "_store_all"])
def test_an_import_that_fails(name: str, sentry: SentryEvents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_export, name, surprise)
    report(lambda: payments.maintenance.import_migration_file(MIGRATION_FILE))
    assert sentry.events
    assert PARENT not in "".join(str(frame.get("vars")) for frame in frames_of(sentry))
