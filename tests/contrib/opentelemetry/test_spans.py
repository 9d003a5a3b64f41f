"""Spans of calls to a gateway, as the SDK's own exporter receives them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.contrib.opentelemetry.memory import exporter
from tests.support.shop import Shop, order_of
from wallet_gateway import gateways, payments
from wallet_gateway.client.errors import NotSent
from wallet_gateway.contrib.opentelemetry.spans import connect
from wallet_gateway.signals import gateway_called


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    connect()
    exporter().clear()
    yield exporter()
    assert gateway_called.disconnect(dispatch_uid="wallet_gateway_opentelemetry")


def test_a_call_is_a_client_span_under_the_shops_own(spans: InMemorySpanExporter, shop: Shop) -> None:
    with trace.get_tracer("shop").start_as_current_span("view") as view:
        gateways.gateway("default").status("UNKNOWN-REFERENCE")
    ours, outer = spans.get_finished_spans()
    assert (ours.name, ours.kind) == ("wallet_gateway.status", SpanKind.CLIENT)
    assert ours.parent is not None
    assert ours.parent.span_id == view.get_span_context().span_id
    assert ours.status.status_code is StatusCode.UNSET
    assert dict(ours.attributes or {}) == {
        "wallet_gateway.gateway": "default",
        "wallet_gateway.operation": "status",
        "wallet_gateway.outcome": "answered",
        "http.request.method": "GET",
        "url.template": "/api/v5/apmTransactions",
        "http.response.status_code": 200,
    }
    assert outer.start_time is not None
    assert ours.start_time is not None
    assert ours.end_time is not None
    assert outer.start_time - 1_000_000 <= ours.start_time < ours.end_time


def test_a_gateway_that_cannot_be_reached_is_an_error_by_its_reason(
    spans: InMemorySpanExporter, shop: Shop
) -> None:
    with shop.cut_off(), pytest.raises(NotSent):
        gateways.gateway("default").status("SECRET-REFERENCE")
    (span,) = spans.get_finished_spans()
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "refused_connection")
    assert (span.attributes or {})["error.type"] == "refused_connection"
    assert "SECRET-REFERENCE" not in span.to_json()


def test_a_payment_leaves_no_word_of_its_customer_and_no_secret_in_any_span(
    spans: InMemorySpanExporter, shop: Shop
) -> None:
    mug = payments.Item(
        product_id="MUG", product_name="Mug of mallory", unit_amount=Decimal("15.00"), quantity=2
    )
    paid = shop.pay(type="preauthorization", items=[mug], amount=None, cardholder_email="mallory@example.com")
    payments.capture(order_of(paid), Decimal("5.00"))
    names = [span.name for span in spans.get_finished_spans()]
    assert names[0] == "wallet_gateway.checkout"
    assert "wallet_gateway.capture" in names
    written = " ".join(span.to_json() for span in spans.get_finished_spans())
    for word in ("mallory", paid.order.reference, paid.reference, "15.00", "30.00", "127.0.0.1"):
        assert word not in written
