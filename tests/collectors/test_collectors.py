"""What collectors are told of a payment that fails anywhere: everything but a secret or a customer.

They are the real Sentry SDK with default options, a log that shows the variables of every frame, Django's
mail to the admins, and OpenTelemetry with the instruments of Django, requests and urllib3.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
import sentry_sdk
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils.log import AdminEmailHandler
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.instrumentation.urllib3 import URLLib3Instrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django import Settings

from tests.api.browser import CARD, TOKEN
from tests.collectors import shop
from tests.collectors.canaries import EMAIL, Payer, found
from tests.collectors.dying import Faults, at_any_call, at_any_statement
from tests.collectors.listening import LocalsHandler, SentryEvents
from tests.collectors.shop import surprise
from tests.support.personal import PERSONAL
from tests.web.conftest import address
from wallet_gateway import payments, signals
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.return_tokens import ReturnOutcome
from wallet_gateway.testing.control import SandboxControl

pytestmark = [
    pytest.mark.django_db,
    # A fault between opening a connection and keeping it leaves it to Python.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

MakeOrder = Callable[..., PaymentOrder]
Take = Callable[[], tuple[str, str]]
"""Gives all that was recorded since it was called last, and the same without the list of calls."""


def taking(texts: Callable[[], tuple[str, str]], forget: Callable[[], object]) -> Take:
    def take() -> tuple[str, str]:
        both = texts()
        forget()
        return both

    return take


@contextmanager
def to_sentry(_: Settings) -> Iterator[Take]:
    with contextmanager(SentryEvents.listening)() as events:
        yield taking(lambda: (events.text, events.text_without_calls), events.sent.clear)


@contextmanager
def heard_by(handler: logging.Handler, *names: str) -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    loggers[0].addHandler(handler)
    try:
        yield
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def to_log(settings: Settings) -> Iterator[Take]:
    settings.DEBUG = True
    handler = LocalsHandler()
    with heard_by(handler, "", "django", "wallet_gateway"):
        yield taking(lambda: (handler.text, handler.text), handler.lines.clear)


@contextmanager
def to_mail(settings: Settings) -> Iterator[Take]:
    def sent() -> tuple[str, str]:
        text = "".join(message.message().as_string() for message in mail.outbox)
        return text, text

    settings.ADMINS = [("Ada", "ada@shop.example")]
    with heard_by(AdminEmailHandler(include_html=True), "django.request"):
        yield taking(sent, mail.outbox.clear)


@contextmanager
def to_spans(settings: Settings) -> Iterator[Take]:
    def exported() -> tuple[str, str]:
        text = "\n".join(span.to_json() for span in exporter.get_finished_spans())
        return text, text

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings.MIDDLEWARE = list(settings.MIDDLEWARE)
    with ExitStack() as stack:
        for instrument in (DjangoInstrumentor(), RequestsInstrumentor(), URLLib3Instrumentor()):
            instrument.instrument(tracer_provider=provider)
            stack.callback(instrument.uninstrument)
        yield taking(exported, exporter.clear)


@contextmanager
def of_gateway(sandbox: SandboxControl, operation: str, fault: str) -> Iterator[None]:
    sandbox.fault(operation, fault, times=10)
    yield
    sandbox.clear_faults()


def at_the_gateway(sandbox: SandboxControl) -> Faults:
    odd = ("drop_before", "drop_after", "error_body", "wrong_shape")
    for operation, fault in product(("authorization", "get_payment_account"), odd):
        yield of_gateway(sandbox, operation, fault)


def silent(sandbox: SandboxControl) -> Faults:
    yield of_gateway(sandbox, "get_payment_account", "drop_after")


def at_any_of_our_calls(_: SandboxControl) -> Faults:
    return at_any_call(12)


def at_some_of_our_calls(_: SandboxControl) -> Faults:
    return at_any_call(4)


def at_statements(_: SandboxControl) -> Faults:
    return at_any_statement()


@contextmanager
def of_receiver() -> Iterator[None]:
    signals.order_paid.connect(surprise)
    yield
    signals.order_paid.disconnect(surprise)


def at_a_receiver(_: SandboxControl) -> Faults:
    yield of_receiver()


CASES: list[tuple[Any, Any]] = [
    *product([to_sentry], [at_the_gateway, at_any_of_our_calls, at_statements, at_a_receiver]),
    *product([to_log], [silent, at_some_of_our_calls, at_a_receiver]),
    (to_mail, at_some_of_our_calls),
    *product([to_spans], [silent, at_some_of_our_calls]),
]


@pytest.mark.parametrize(("collector", "faults"), CASES)
def test_a_result_that_fails_anywhere_tells_nothing_of_who_paid_and_how(
    collector: Callable[[Settings], AbstractContextManager[Take]],
    faults: Callable[[SandboxControl], Faults],
    payer: Payer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    settings: Settings,
) -> None:
    said = ""
    with collector(settings) as take:
        for fault in faults(wallet_sandbox):
            order = make_order()
            payer.approve(order)
            take()
            with fault:
                payer.post(order)
            if collector is to_sentry:
                sentry_sdk.capture_message("what the breadcrumbs say")
            text, without_calls = take()
            assert found(text, payer.secrets) == [], fault
            assert found(without_calls, payer.asked_for) == [], fault
            said += text
    assert said


@pytest.mark.parametrize(
    ("setting", "function", "method"),
    [("PRICING", "price", TOKEN), ("THREE_D_SECURE", "authenticate", CARD)],
)
def test_a_function_of_the_shop_that_raises_is_named_with_every_line_and_without_what_it_was_given(
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
    (error, *_) = [event["exception"]["values"][-1] for event in sentry.events if "exception" in event]
    frames = error["stacktrace"]["frames"]
    assert frames[-1]["function"] == function
    assert len({frame["module"] for frame in frames if frame["module"].startswith("wallet_gateway.")}) > 2
    assert found(sentry.text, payer.secrets) == []
    assert found(sentry.text_without_calls, payer.asked_for) == []


def report(work: Callable[[], object]) -> None:
    """Do what a shop does whose view fails: report the exception to Sentry."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - as a framework does
        sentry_sdk.capture_exception(error)


def test_sentry_would_be_told_by_code_that_hides_nothing(sentry: SentryEvents) -> None:
    def careless(address: str) -> None:
        raise LookupError(len(address))

    report(lambda: careless(EMAIL))
    assert EMAIL in sentry.text


HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
PARENT = "CANARY-OF-THE-OLD-PROVIDER"
MIGRATION_FILE = (HEADER, f"{PARENT},2026-01-15T10:30:00,1.00,EUR,0.00,P\n")
WAYS: dict[str, Callable[[Client, Payment], object]] = {
    "return": lambda client, payment: client.get(address("return", payment, ReturnOutcome.SUCCESS)),
    "result": lambda client, payment: client.get(address("result", payment, ReturnOutcome.SUCCESS)),
    "sweep": lambda *_: payments.sweep(),
    "reconcile": lambda _, payment: payments.reconcile(payment),
    "refund": lambda _, payment: payments.refund(payment.order),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_back_a_poll_a_sweep_and_a_refund_that_fail_tell_no_customer(
    way: str, wallet_sandbox: SandboxControl, client: Client, sentry: SentryEvents
) -> None:
    client.raise_request_exception = False
    for fault in at_any_call(6):
        payment = shop.check_out()
        wallet_sandbox.complete_checkout(payment.reference, "success")
        if way == "refund":
            payments.reconcile(payment)
        GatewayTransaction.objects.update(next_query_at=payment.created_at - timedelta(minutes=1))
        with fault:
            report(partial(WAYS[way], client, payment))
        connection.needs_rollback = False
    sentry_sdk.capture_message("what the breadcrumbs say")
    assert len(sentry.events) > 3
    assert found(sentry.text, PERSONAL) == []


@pytest.mark.parametrize("faults", [at_any_call, at_any_statement])
def test_an_order_a_checkout_and_an_import_that_fail_tell_no_customer(
    faults: Callable[[], Faults], wallet_sandbox: SandboxControl, sentry: SentryEvents
) -> None:
    doors: list[Callable[[], Any]] = [
        shop.check_out,
        lambda: payments.maintenance.import_migration_file(MIGRATION_FILE),
    ]
    for work in doors:
        for fault in faults():
            with fault:
                report(work)
    assert len(sentry.events) > 10
    assert found(sentry.text, PERSONAL) == []
    frames = [frame for event in sentry.events for frame in _frames(event)]
    assert PARENT not in "".join(str(frame.get("vars")) for frame in frames)


def _frames(event: dict[str, Any]) -> list[dict[str, Any]]:
    errors = event.get("exception", {}).get("values", [])
    return [frame for error in errors for frame in error.get("stacktrace", {}).get("frames", [])]
