"""The fault matrix of the checkout: the answer is the only copy of the page's address."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from tests.explanations import explained
from tests.operations.conftest import IMPATIENT, MakeContext, MakeOrder, VirtualClock
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayRefused, GatewayUnreachable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Row:
    """One fault of the answer to a checkout, and whether a page exists at the gateway all the same."""

    fault: str
    has_page: bool
    options: dict[str, Any] = field(default_factory=dict)
    impatient: bool = False

    @property
    def name(self) -> str:
        given = "-".join(str(value) for value in self.options.values())
        return f"{self.fault}-{given}" if given else self.fault


def lost(fault: str, *, page: bool, impatient: bool = False, **options: Any) -> Row:
    return Row(fault, page, options, impatient)


LOST = (
    lost("drop_before", page=False),
    lost("drop_after", page=True),
    lost("delay_after", page=True, impatient=True, seconds=0.6),
    lost("drip", page=True, impatient=True, seconds=0.04),
    lost("late", page=False, seconds=3600),
    *(lost(fault, page=True) for fault in ("truncated", "reset", "bad_gzip", "bad_status_line")),
    *(lost(fault, page=True) for fault in ("not_json", "empty", "wrong_shape", "mixed")),
    lost("redirected", page=False),
    lost("throttled", page=False),
    *(
        lost("status_before", page=False, status=status)
        for status in (403, 404, 408, 425, 429, 500, 502, 503)
    ),
    *(lost("status_after", page=True, status=status) for status in (302, 307, 403, 429, 500, 502, 503)),
    *(lost("error_body", page=False, status=status) for status in (408, 425, 429, 500, 503)),
    *(lost("bare_error", page=False, status=status) for status in (408, 429, 503)),
)
REFUSED = (
    *(lost("error_body", page=False, status=status) for status in (200, 400, 401, 403, 404, 409, 422)),
    *(lost("bare_error", page=False, status=status) for status in (200, 400, 403, 404, 422)),
    lost("error_200", page=True),
    lost("duplicate", page=True),
)


def start(order: PaymentOrder, context: GatewayContext) -> Payment:
    return start_checkout(order=order, context=context, return_urls=return_urls)


def requests(control: SandboxControl) -> list[dict[str, Any]]:
    return [entry for entry in control.journal() if entry["operation"] == "checkout"]


def attempt_of(order: PaymentOrder) -> GatewayTransaction:
    return GatewayTransaction.objects.filter(payment__order=order).order_by("pk")[0]


@pytest.mark.parametrize("row", LOST, ids=lambda row: row.name)
def test_a_lost_answer_abandons_the_attempt_keeps_it_on_watch_and_allows_a_new_one(
    row: Row,
    make_order: MakeOrder,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("checkout", row.fault, **row.options)
    order = make_order()

    with pytest.raises(GatewayUnreachable):
        start(order, make_context(patience=IMPATIENT) if row.impatient else context)

    first = attempt_of(order)
    assert first.state == TransactionState.ABANDONED
    assert first.redirect_url == ""
    assert len(requests(wallet_sandbox)) == 1
    assert first.expires_at is not None
    assert first.next_query_at is not None
    watched_from = first.expires_at + timedelta(minutes=15)
    assert abs(first.next_query_at - watched_from) <= (watched_from - first.state_changed_at) / 5
    order.refresh_from_db()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)
    assert not OutboxEvent.objects.exists()

    # A 429 also asks for peace; it has passed before the customer clicks again.
    clock.advance(seconds=40)
    second = start(order, context)
    assert second.reference != first.reference
    assert second.is_open
    assert len(requests(wallet_sandbox)) == 2


@pytest.mark.parametrize("row", [row for row in LOST if row.has_page][:3], ids=lambda row: row.name)
def test_a_lost_page_that_is_paid_all_the_same_is_an_anomaly(
    row: Row,
    make_order: MakeOrder,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("checkout", row.fault, **row.options)
    order = make_order()
    with pytest.raises(GatewayUnreachable):
        start(order, make_context(patience=IMPATIENT) if row.impatient else context)
    first = attempt_of(order)
    wallet_sandbox.complete_checkout(first.reference, "success")

    clock.advance_to(first.next_query_at)
    sweep(context=context)

    first.refresh_from_db()
    order.refresh_from_db()
    assert first.state == TransactionState.ANOMALY
    assert order.state == OrderState.FROZEN
    assert first.discrepancies.get().kind == "APPROVED_AFTER_END"
    assert [outbox_event.kind for outbox_event in OutboxEvent.objects.all()] == ["ANOMALY"]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_a_refusal_ends_the_attempt_at_once_with_the_gateways_words(
    row: Row,
    make_order: MakeOrder,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    wallet_sandbox.fault("checkout", row.fault, **row.options)
    order = make_order()

    with pytest.raises(GatewayRefused) as refusal:
        start(order, context)

    first = attempt_of(order)
    assert first.state == TransactionState.REJECTED
    assert first.error_code
    assert first.error_code in explained(first)
    assert first.error_code in str(refusal.value)
    order.refresh_from_db()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)
    assert len(requests(wallet_sandbox)) == 1
    assert start(order, context).reference != first.reference


def test_a_page_that_was_decided_before_anybody_saw_it_fails_the_attempt(
    make_order: MakeOrder, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    wallet_sandbox.fault("checkout", "errored")
    payment = start(make_order(), context)
    assert payment.is_open

    clock.advance_to(payment.opening.next_query_at)
    sweep(context=context)

    order = PaymentOrder.objects.get()
    assert order.state == OrderState.FAILED
    assert [outbox_event.kind for outbox_event in OutboxEvent.objects.all()] == ["FAILED"]
