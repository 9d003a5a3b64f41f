"""What stands in addresses, and what the page on monitoring says drops it; what risky options record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sentry_sdk
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django import Settings

from tests.collectors.canaries import Payer, found
from tests.collectors.listening import SentryEvents
from tests.docs.pages import steps
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MakeOrder = Callable[..., PaymentOrder]


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names that the page's section on collectors defines."""
    names: dict[str, Any] = {}
    for step in steps("docs/how-to/monitoring.md"):
        if step.kind == "python" and ("without_tokens" in step.text or "with_route" in step.text):
            exec(step.text, names)
    return names


def silent(payer: Payer, order: PaymentOrder, sandbox: SandboxControl) -> None:
    """Pay while the gateway tells nothing of the card: an ERROR in the log, and no exception."""
    payer.approve(order)
    sandbox.fault("get_payment_account", "drop_after", times=10)
    payer.post(order)


@pytest.fixture
def sentry_with() -> Iterator[Callable[..., SentryEvents]]:
    """Listen with options of the test's own."""
    listening: list[Iterator[SentryEvents]] = []

    def start(**options: Any) -> SentryEvents:
        listening.append(SentryEvents.listening(**options))
        return next(listening[-1])

    yield start
    for events in listening:
        assert list(events) == []


@pytest.mark.parametrize("documented", [False, True])
def test_tokens_and_ids_in_addresses_are_dropped_by_what_the_page_says(
    documented: bool,
    page: dict[str, Any],
    payer: Payer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    sentry_with: Callable[..., SentryEvents],
) -> None:
    sentry = sentry_with(traces_sample_rate=1.0, **(page["SENTRY"] if documented else {}))
    order = make_order()
    silent(payer, order, wallet_sandbox)
    in_addresses = (order.token, *payer.asked_for)
    assert sentry.events
    assert found(sentry.text, in_addresses) == ([] if documented else [*in_addresses])
    assert found(sentry.text, payer.secrets) == []


@pytest.mark.parametrize("documented", [False, True])
def test_a_body_is_recorded_when_a_shops_middleware_fails_before_our_view_unless_as_the_page_says(
    documented: bool,
    page: dict[str, Any],
    payer: Payer,
    make_order: MakeOrder,
    settings: Settings,
    sentry_with: Callable[..., SentryEvents],
) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.collectors.shop.failing_middleware"]
    sentry = sentry_with(**(page["SENTRY"] if documented else {}))
    order = make_order()
    payer.approve(order)
    assert payer.post(order) == 500
    assert "of the shop's own middleware" in sentry.text
    # No code of the plugin runs before its view: Sentry reads the body itself.
    assert (found(sentry.text, payer.secrets) == []) is documented


@pytest.mark.parametrize("documented", [False, True])
def test_the_route_takes_the_place_of_the_address_in_spans(
    documented: bool, page: dict[str, Any], payer: Payer, make_order: MakeOrder
) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    hooks = {"response_hook": page["with_route"]} if documented else {}
    DjangoInstrumentor().instrument(tracer_provider=provider, **hooks)
    try:
        order = make_order()
        payer.approve(order)
    finally:
        DjangoInstrumentor().uninstrument()
    shown = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "orders/<str:token>/session/" in shown
    assert (order.token in shown) is not documented


def test_what_has_a_type_of_its_own_shows_nothing_even_in_a_whole_stack_with_variables(
    payer: Payer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    sentry_with: Callable[..., SentryEvents],
) -> None:
    sentry = sentry_with(attach_stacktrace=True)
    silent(payer, make_order(), wallet_sandbox)
    sentry_sdk.flush()
    # The test stands further up in the same stack, with all it knows.
    threads = [
        thread for event in sentry.events if "threads" in event for thread in event["threads"]["values"]
    ]
    frames = [frame for thread in threads for frame in thread["stacktrace"]["frames"]]
    ours = [str(frame.get("vars")) for frame in frames if frame["module"].startswith("wallet_gateway.")]
    assert len(ours) > 5
    assert found("".join(ours), payer.asked_for), "a frame that still runs keeps its variables"
    assert found("".join(ours), payer.secrets) == []
