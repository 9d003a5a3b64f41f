"""Random histories of one order: a wallet button, a hosted page beside it, follow-ups, faults, and time.

The suite runs a few of them, the same each time. To search for more, and to have one that fails made as short
as it goes: `pytest --hypothesis-profile=long tests/operations/wallet/test_histories.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction as db_transaction
from django.db.models import QuerySet
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from proof.gateway_truth import check_sent_once
from tests.client.servers import unused_port
from tests.operations.conftest import MUG, MakeContext, VirtualClock
from tests.operations.wallet_customer import CARD, TOKEN, Customer
from tests.operations.wallet_world import FAULTS, OneOrder, World, history_settings
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OPENING_KINDS, OrderState, TransactionKind, TransactionState
from wallet_gateway.domain.policy import BookElsewhere, GatewayPolicy
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.operations.approvals.made_elsewhere import book_discrepancy
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import query_all, reconcile_attempt
from wallet_gateway.operations.settlement.cancellation import cancel
from wallet_gateway.operations.wallet.session import WalletSession
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.invariants import check_books

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
S, K = TransactionState, TransactionKind

SHEET_FAILED = {"code": "4000340", "description": "GeneralValidationError", "details": {"message": "closed"}}
FATES = st.sampled_from(["works", *FAULTS]) | st.just("works")
SHOPPERS = st.sampled_from(["ada", "grace"])
CARDS = st.sampled_from([TOKEN, CARD])
PORTAL = st.sampled_from(["ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"])
WHICH = st.integers(0, 5)
"""Which of several; counted around."""
KEYS = st.sampled_from([None, None, "click-1", "click-2"])
AMOUNTS = st.sampled_from([None, "0.01", "7.50", "19.99"])

# Django 6.1 gave it another name.
_savepoint: Callable[[], str] = getattr(db_transaction, "savepoint_create", None) or db_transaction.savepoint


class History(OneOrder, RuleBasedStateMachine):
    """What may happen to one order, in any order; a refusal is a right answer, any other error is not."""

    def __init__(self) -> None:
        super().__init__()
        self.world.as_new()
        self.before = _savepoint()
        self.sheets: dict[str, WalletSession] = {}
        self.begun_before: list[tuple[str, int]] | None = None
        self.results: list[tuple[Customer, dict[str, Any]]] = []

    @initialize(
        type=st.sampled_from(["sale", "preauthorization"]),
        page_beside=st.booleans(),
        books=st.sampled_from(BookElsewhere),
        card=CARDS,
        fate=FATES,
    )
    def order_something_and_pay_with_the_button(
        self,
        type: str,  # noqa: A002 - the interface's own word
        page_beside: bool,
        books: BookElsewhere,
        card: str,
        fate: str,
    ) -> None:
        self.world.let_book_elsewhere(books)
        details = OrderDetails(currency="EUR", type=type, items=(MUG,))
        order = create_order(
            reference="ORDER-1",
            details=details,
            gateway="default",
            policy=GatewayPolicy(),
            clock=self.world.clock,
        )
        self.pk = order.pk
        if page_beside:
            self.ask_for_the_hosted_page("works")
        self.pay_with_the_button("ada", card, fate)

    # The button

    @precondition(lambda self: self.order.is_payable)
    @rule(shopper=SHOPPERS, card=CARDS, fate=FATES)
    def pay_with_the_button(self, shopper: str, card: str, fate: str) -> None:
        with contextlib.suppress(OperationError):
            someone, detail = self._approve(shopper, card)
            self._post(someone, detail, fate)

    @rule(shopper=SHOPPERS, card=CARDS)
    def approve_in_a_tab(self, shopper: str, card: str) -> None:
        with contextlib.suppress(OperationError):
            self._approve(shopper, card)

    @precondition(lambda self: self.results)
    @rule(which=WHICH, fate=FATES)
    def post_a_result_new_or_old(self, which: int, fate: str) -> None:
        someone, detail = self.results[which % len(self.results)]
        self._post(someone, detail, fate)

    @precondition(lambda self: self.sheets and self.order.is_payable)
    @rule(which=WHICH, card=CARDS, fate=FATES)
    def try_another_card_in_the_sheet(self, which: int, card: str, fate: str) -> None:
        someone = self._customer(list(self.sheets)[which % len(self.sheets)])
        with contextlib.suppress(OperationError):
            reference = someone.another_card(self.order)
            detail = someone.approve(self.sheets[someone.session], card, reference=reference)
            self.results.append((someone, detail))
            self._post(someone, detail, fate)

    @precondition(lambda self: self.sheets)
    @rule(shopper=SHOPPERS)
    def close_the_sheet(self, shopper: str) -> None:
        with contextlib.suppress(OperationError):
            self._customer(shopper).post(self.order, SHEET_FAILED)

    @precondition(lambda self: self.pages(K.AUTHORIZATION, S.AWAITING_3DS))
    @rule(outcome=st.sampled_from(["success", "success", "failed", "abandoned"]))
    def leave_three_d_secure(self, outcome: str) -> None:
        for transaction in self.pages(K.AUTHORIZATION, S.AWAITING_3DS):
            with contextlib.suppress(SandboxRefused):
                self.world.control.complete_three_d_secure(transaction.reference, outcome)

    # The hosted page

    @precondition(lambda self: self.order.is_payable)
    @rule(fate=FATES)
    def ask_for_the_hosted_page(self, fate: str) -> None:
        with self.world.fated("checkout", fate) as context:
            start_checkout(order=self.order, context=context, return_urls=return_urls)

    @precondition(lambda self: self.pages(K.CHECKOUT))
    @rule(which=WHICH, outcome=st.sampled_from(["success", "refused", "pending"]))
    def decide_on_a_hosted_page(self, which: int, outcome: str) -> None:
        pages = self.pages(K.CHECKOUT)
        with contextlib.suppress(SandboxRefused):
            self.world.control.complete_checkout(pages[which % len(pages)].reference, outcome)

    @precondition(lambda self: self.pages(K.CHECKOUT, S.OPEN))
    @rule()
    def pay_a_page_in_its_last_minute_and_see_the_record_late(self) -> None:
        transaction = self.pages(K.CHECKOUT, S.OPEN)[-1]
        assert transaction.expires_at is not None
        # The emulator's clock goes on while ours stands: a slow machine is not to come too late.
        left = transaction.expires_at - self.world.clock.now() - timedelta(seconds=60)
        if left.total_seconds() > 0:
            self.world.control.behaviour(status_lag_seconds=86400)
            self.world.clock.advance(seconds=left.total_seconds())
            with contextlib.suppress(SandboxRefused):
                self.world.control.complete_checkout(transaction.reference, "success")
            self.world.clock.advance(minutes=17)
            sweep(context=self.world.context)
            self.world.control.behaviour(status_lag_seconds=0)

    @precondition(lambda self: self.transactions().filter(state=S.PENDING))
    @rule(outcome=st.sampled_from(["success", "refused"]))
    def have_the_provider_decide(self, outcome: str) -> None:
        for transaction in self.transactions().filter(state=S.PENDING):
            with contextlib.suppress(SandboxRefused):
                self.world.control.settle_pending(transaction.reference, outcome)

    # The shop cancels the order

    @precondition(lambda self: not self.order.is_cancelled)
    @rule()
    def cancel_the_order(self) -> None:
        with contextlib.suppress(OperationError):
            cancel(order=self.order, by="shop", note="", clock=self.world.clock)
            self.begun_before = self._begun()

    @precondition(lambda self: self.order.late_payment == LatePayment.REPORTED)
    @rule()
    def accept_the_late_payment(self) -> None:
        late = Discrepancy.objects.filter(
            payment__order=self.pk, kind=DiscrepancyKind.LATE_PAYMENT, closed_at=None
        )
        for difference in late:
            close_discrepancy(difference, reason="one more", by="anna", context=self.world.context)

    # After it is paid

    @precondition(lambda self: self.paid())
    @rule(which=WHICH, amount=AMOUNTS, key=KEYS, fate=FATES)
    def capture(self, which: int, amount: str | None, key: str | None, fate: str) -> None:
        self._follow_up("capture", follow_ups.capture, which, fate, amount=amount, key=key)

    @precondition(lambda self: self.paid())
    @rule(which=WHICH, amount=AMOUNTS, key=KEYS, fate=FATES)
    def refund(self, which: int, amount: str | None, key: str | None, fate: str) -> None:
        self._follow_up("refund", follow_ups.refund, which, fate, amount=amount, key=key)

    @precondition(lambda self: self.paid())
    @rule(which=WHICH, key=KEYS, fate=FATES)
    def reverse(self, which: int, key: str | None, fate: str) -> None:
        self._follow_up("reversal", follow_ups.reverse, which, fate, amount=None, key=key)

    # In the provider's portal

    @precondition(lambda self: self.paid())
    @rule(which=WHICH, wire=PORTAL, amount=st.sampled_from(["0.01", "7.50", "20.00"]))
    def work_in_the_portal(self, which: int, wire: str, amount: str) -> None:
        payments = self.paid()
        with contextlib.suppress(SandboxRefused):
            self.world.control.portal(payments[which % len(payments)].reference, wire, amount)

    @precondition(lambda self: self.made_elsewhere().exists())
    @rule()
    def book_what_was_made_elsewhere(self) -> None:
        for difference in self.made_elsewhere():
            with contextlib.suppress(OperationError):
                book_discrepancy(difference, reason="seen", by="anna", context=self.world.context)

    def made_elsewhere(self) -> QuerySet[Discrepancy]:
        kind = DiscrepancyKind.MADE_ELSEWHERE
        return Discrepancy.objects.filter(payment__order=self.pk, kind=kind, closed_at=None)

    # Questions, and time

    @rule(which=WHICH, everything=st.booleans())
    def come_back_or_ask(self, which: int, everything: bool) -> None:
        if everything:
            query_all(self.order, context=self.world.context)
        references = list(self.order.payments.order_by("pk").values_list("reference", flat=True))
        reconcile_attempt(reference=references[which % len(references)], context=self.world.context)

    @rule(seconds=st.sampled_from([0, 3, 61, 125, 1000, 3700]), swept=st.booleans())
    def let_time_pass(self, seconds: int, swept: bool) -> None:
        self.world.clock.advance(seconds=seconds)
        if swept:
            sweep(context=self.world.context)

    # What stays true

    @invariant()
    def our_books_are_true_and_count_with_all_that_happened(self) -> None:
        check_books()
        self.truth().check_allowed_for()

    @invariant()
    def only_an_attempt_that_may_be_under_way_has_secrets(self) -> None:
        kept = self.transactions().filter(wallet_secrets__isnull=False)
        assert not kept.exclude(state__in=[S.SENDING, S.NOT_SENT]).exists()

    @invariant()
    def nothing_is_begun_for_a_cancelled_order(self) -> None:
        assert self.begun_before is None or self._begun() == self.begun_before

    def teardown(self) -> None:
        """In the end we know what the gateway knows, and nothing was asked of it twice."""
        try:
            for hours in (1, 1, 2, 25, 25, 200):
                self.world.clock.advance(hours=hours)
                sweep(context=self.world.context)
            self.book_what_was_made_elsewhere()
            check_books()
            assert self.order.state != OrderState.CANCELLED or self.order.is_released
            self.truth().check_known()
            check_sent_once(self.world.control)
        finally:
            db_transaction.savepoint_rollback(self.before)

    def _begun(self) -> list[tuple[str, int]]:
        """How often each attempt to pay was sent."""
        openings = self.transactions().filter(kind__in=OPENING_KINDS, attempt_no__gt=0)
        return list(openings.values_list("reference", "attempt_no"))

    def _customer(self, session: str) -> Customer:
        return replace(self.world.customer, session=session)

    def _approve(self, shopper: str, card: str) -> tuple[Customer, dict[str, Any]]:
        someone = self._customer(shopper)
        self.sheets[shopper] = someone.open(self.order)
        self.results.append((someone, someone.approve(self.sheets[shopper], card)))
        return self.results[-1]

    def _post(self, someone: Customer, detail: dict[str, Any], fate: str) -> None:
        with self.world.fated("authorization", fate) as context:
            someone.post(self.order, detail, context)

    def _follow_up(
        self,
        operation: str,
        verb: Callable[..., GatewayTransaction],
        which: int,
        fate: str,
        *,
        amount: str | None,
        key: str | None,
    ) -> None:
        payments = self.paid()
        given = {} if amount is None else {"amount": Decimal(amount)}
        with self.world.fated(operation, fate) as context:
            verb(
                payment=payments[which % len(payments)],
                context=context,
                who=Initiator(idempotency_key=key),
                **given,
            )


def test_whatever_happens_to_an_order_its_books_are_true_and_no_card_is_charged_twice(
    wallet_sandbox: SandboxControl, customer: Customer, make_context: MakeContext, clock: VirtualClock
) -> None:
    deaf = make_context(f"http://127.0.0.1:{unused_port()}")
    History.world = World(wallet_sandbox, customer, deaf, clock)
    run_state_machine_as_test(History, settings=history_settings(on_sqlite=8, elsewhere=3))
