"""OpenTelemetry with the instruments of Django, requests and urllib3 beside ours: what their spans hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.instrumentation.urllib3 import URLLib3Instrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django import Settings

from tests.collectors.canaries import Payer, found
from tests.collectors.shop import surprise
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MakeOrder = Callable[..., PaymentOrder]
INSTRUMENTS = (DjangoInstrumentor, RequestsInstrumentor, URLLib3Instrumentor)


@pytest.fixture
def spans(settings: Settings) -> Iterator[InMemorySpanExporter]:
    """All instruments with their own defaults, and an exporter that keeps."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings.MIDDLEWARE = list(settings.MIDDLEWARE)
    for instrument in INSTRUMENTS:
        instrument().instrument(tracer_provider=provider)
    yield exporter
    for instrument in INSTRUMENTS:
        instrument().uninstrument()


def text_of(spans: InMemorySpanExporter) -> str:
    return "\n".join(span.to_json() for span in spans.get_finished_spans())


@pytest.mark.parametrize("fault", ["", "silent", "crash"])
def test_spans_and_their_events_hold_no_secret_and_no_customer(
    fault: str,
    payer: Payer,
    make_order: MakeOrder,
    spans: InMemorySpanExporter,
    wallet_sandbox: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = make_order()
    payer.approve(order)
    if fault == "silent":
        wallet_sandbox.fault("get_payment_account", "drop_after", times=10)
    if fault == "crash":
        monkeypatch.setattr(settlement, "_event", surprise)
    payer.post(order)
    assert spans.get_finished_spans()
    assert found(text_of(spans), (*payer.secrets, *payer.asked_for)) == []
