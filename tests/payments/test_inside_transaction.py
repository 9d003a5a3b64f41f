"""What reaches the gateway refuses to run inside a database transaction, and says how to leave one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db import transaction as db_transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path
from django.utils.decorators import method_decorator
from django.views import View

from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import (
    Approval,
    Discrepancy,
    GatewayTransaction,
    OperationBatch,
    Payment,
    PaymentOrder,
)
from wallet_gateway.payments import approvals, batches, follow_ups, maintenance, orders, prices, wallet
from wallet_gateway.payments.errors import ErrorCode, InsideTransaction
from wallet_gateway.testing.control import SandboxControl

ORDER = PaymentOrder(pk=1, reference="SHOP-1", gateway="default")
TRANSACTION = GatewayTransaction(pk=1, gateway="default")
MODULES = {
    "": payments,
    "orders.": orders,
    "prices.": prices,
    "follow_ups.": follow_ups,
    "wallet.": wallet,
    "approvals.": approvals,
    "batches.": batches,
    "maintenance.": maintenance,
}
REFUSED: dict[str, Callable[[], object]] = {
    "start_checkout": lambda: payments.start_checkout(ORDER),
    "cancel": lambda: payments.cancel(ORDER, by="anna"),
    "reconcile": lambda: payments.reconcile(ORDER),
    "gateway_records": lambda: payments.gateway_records(ORDER),
    "capture": lambda: payments.capture(ORDER),
    "refund": lambda: payments.refund(ORDER),
    "reverse": lambda: payments.reverse(ORDER),
    "refund_migrated": lambda: payments.refund_migrated("OLD-1", Decimal(1), "EUR"),
    "sweep": payments.sweep,
    "orders.reconcile_attempt": lambda: orders.reconcile_attempt("REF-1"),
    "follow_ups.send_again": lambda: follow_ups.send_again(TRANSACTION),
    "follow_ups.give_up_unsent": lambda: follow_ups.give_up_unsent(TRANSACTION, by="anna"),
    "wallet.open_session": lambda: wallet.open_session(ORDER, session="s"),
    "wallet.raise_limits": lambda: wallet.raise_limits(ORDER, by="anna", reason="asked"),
    "wallet.next_reference": lambda: wallet.next_reference(ORDER, session="s"),
    "wallet.price_sheet": lambda: wallet.price_sheet(ORDER, reference="REF-1", session="s"),
    "wallet.abandon": lambda: wallet.abandon(Payment(pk=1)),
    "wallet.pay": lambda: wallet.pay(ORDER, session="s", detail={}),
    "wallet.record_event": lambda: wallet.record_event(ORDER, reference="REF-1", session="s", event="READY"),
    "approvals.resolve": lambda: approvals.resolve(
        TRANSACTION, decision="DID_HAPPEN", reason="seen", by="anna"
    ),
    "approvals.close_discrepancy": lambda: approvals.close_discrepancy(
        Discrepancy(pk=1, gateway="default"), reason="seen", by="anna"
    ),
    "approvals.book_discrepancy": lambda: approvals.book_discrepancy(
        Discrepancy(pk=1, gateway="default"), reason="seen", by="anna"
    ),
    "approvals.approve": lambda: approvals.approve(Approval(pk=1), by="anna"),
    "batches.step": lambda: batches.step(OperationBatch(pk=1)),
    "batches.drive": lambda: batches.drive(seconds=1),
    "maintenance.reconcile_due": maintenance.reconcile_due,
    "maintenance.query_status": lambda: maintenance.query_status(ORDER),
    "maintenance.deliver_events": maintenance.deliver_events,
    "maintenance.erase_customer": lambda: maintenance.erase_customer(ORDER, by="anna", reason="asked"),
    "maintenance.forget_tests": maintenance.forget_tests,
    "maintenance.comparison": lambda: maintenance.comparison("default", days=1),
    "maintenance.import_migration_file": lambda: maintenance.import_migration_file([]),
    "maintenance.import_in_steps": lambda: maintenance.import_in_steps([]),
}
READING = """
get_order order_summary orders.attempt_for orders.get_order_by_token orders.receipt prices.items_from
orders.access_token orders.customer_data maintenance.wrong_accounts maintenance.check_account
maintenance.forget_accounts orders.order_timeline follow_ups.preview follow_ups.shown_body wallet.check_open
wallet.outcome wallet.receipt wallet.survey_keys approvals.waiting maintenance.expiring_authorizations
maintenance.export_migration_file maintenance.gateway_aliases maintenance.health maintenance.orders_of
maintenance.sending_pauses maintenance.support_bundle
"""
WRITING = """
create_order approvals.decline batches.draft batches.pause batches.resume batches.start
batches.start_detached_refunds batches.start_status_queries batches.stop maintenance.stop_sending
maintenance.resume_sending wallet.rotate_keys follow_ups.mark_refusal_seen
"""
"""What writes rows and sends nothing: with the caller's transaction these are undone as a whole."""


def functions() -> Iterator[str]:
    """Yield the name of each public function once, that of the top where it is there."""
    for prefix, module in MODULES.items():
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)) and (not prefix or name not in payments.__all__):
                yield prefix + name


def test_each_public_function_is_one_or_the_other() -> None:
    assert sorted(functions()) == sorted([*REFUSED, *READING.split(), *WRITING.split()])


@pytest.mark.django_db(transaction=True)
@every("name", list(REFUSED))
def test_a_call_that_reaches_the_gateway_is_refused_by_its_name_before_anything_else(name: str) -> None:
    with db_transaction.atomic(), pytest.raises(InsideTransaction) as refused:
        REFUSED[name]()
    assert refused.value.code is ErrorCode.INSIDE_TRANSACTION
    assert refused.value.params["call"] == f"payments.{name}"


@pytest.mark.django_db(transaction=True)
def test_the_error_says_how_to_leave_a_transaction() -> None:
    with db_transaction.atomic(), pytest.raises(InsideTransaction) as refused:
        payments.refund(ORDER)
    assert refused.value.message == (
        "payments.refund must not run inside a database transaction: what it sends must be committed first. "
        "Move the call behind the end of the `transaction.atomic` block. With ATOMIC_REQUESTS every view is "
        "such a block: decorate a function with `@transaction.non_atomic_requests`, and a class-based view "
        'with `@method_decorator(transaction.non_atomic_requests, name="dispatch")`. A middleware may open '
        "one, too: RevisionMiddleware of django-reversion needs a subclass with `atomic = False`."
    )
    assert isinstance(refused.value, RuntimeError), "who caught Django's own refusal still does"


# The block of Django's TestCase, in which `django_db` runs a test, does not count


@pytest.mark.django_db
def test_a_test_case_may_pay_and_refund_and_a_block_of_its_own_counts(wallet_sandbox: SandboxControl) -> None:
    assert connection.in_atomic_block
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"))
    attempt = payments.start_checkout(order)
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    assert payments.reconcile(attempt).is_paid
    with db_transaction.atomic(), pytest.raises(InsideTransaction):
        payments.refund(order)
    assert payments.refund(order).state == "APPROVED"


# Views of a shop with ATOMIC_REQUESTS


def _pay(request: HttpRequest) -> HttpResponse:
    order = payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"))
    return HttpResponse(payments.start_checkout(order).redirect_url)


@method_decorator(db_transaction.non_atomic_requests, name="dispatch")
class _Pay(View):
    def get(self, request: HttpRequest) -> HttpResponse:
        return _pay(request)


urlpatterns: list[Any] = [
    path("atomic/", _pay),
    path("function/", db_transaction.non_atomic_requests(lambda request: _pay(request))),
    path("class/", _Pay.as_view()),
    path("wallet/", include("wallet_gateway.urls")),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(("address", "is_refused"), [("atomic", True), ("function", False), ("class", False)])
def test_the_cure_of_the_message_cures_a_view(
    address: str, is_refused: bool, wallet_sandbox: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, "ATOMIC_REQUESTS", True)
    if is_refused:
        with pytest.raises(InsideTransaction):
            Client().get(f"/{address}/")
        assert not PaymentOrder.objects.exists()
    else:
        assert Client().get(f"/{address}/").content.startswith(b"http")
        assert Payment.objects.count() == 1
