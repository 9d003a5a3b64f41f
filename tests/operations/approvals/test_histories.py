"""Random histories of refunds where a second person is needed: requests, words, faults, stops, limits, time.

The suite runs a few of them, the same each time. To search for more, and to have one that fails made as short
as it goes: `pytest --hypothesis-profile=long tests/operations/approvals/test_histories.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction as db_transaction
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
from tests.operations.second_person import person
from tests.operations.wallet_customer import Customer
from tests.operations.wallet_world import FAULTS, OneOrder, World, history_settings
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    GatewayTransaction,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals.requests import decline
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.operations.follow_ups.approve import approve
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.follow_ups.resend import send_again
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import query_all
from wallet_gateway.operations.sending.emergency_stop import resume_sending, stop_sending
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.invariants import check_books

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
S = TransactionState

FATES = st.sampled_from(["works", *FAULTS]) | st.just("works")
PEOPLE = st.sampled_from(["anna", "bert", "carla"])
WHICH = st.integers(0, 5)
KEYS = st.sampled_from([None, "click-1", "click-2"])
AMOUNTS = st.sampled_from([None, "2.00", "5.00", "5.01", "12.00"])
LIMIT = 500
"""Minor units that one person alone may give back."""

# Django 6.1 gave it another name.
_savepoint: Callable[[], str] = getattr(db_transaction, "savepoint_create", None) or db_transaction.savepoint


class Refunds(OneOrder, RuleBasedStateMachine):
    """What may happen to one paid order; a refusal is a right answer, any other error is not."""

    def __init__(self) -> None:
        super().__init__()
        self.world.as_new()
        self.before = _savepoint()

    @initialize()
    def buy_something(self) -> None:
        details = OrderDetails(currency="EUR", items=(MUG,))
        order = create_order(
            reference="ORDER-1",
            details=details,
            gateway="default",
            policy=GatewayPolicy(),
            clock=self.world.clock,
        )
        self.pk = order.pk
        page = start_checkout(order=order, context=self.world.context, return_urls=return_urls)
        self.world.control.complete_checkout(page.reference, "success")
        query_all(self.order, context=self.world.context)

    # What people do

    @rule(who=PEOPLE, amount=AMOUNTS, key=KEYS, fate=FATES)
    def ask_for_a_refund(self, who: str, amount: str | None, key: str | None, fate: str) -> None:
        given: dict[str, Any] = {} if amount is None else {"amount": Decimal(amount)}
        with self._fated(fate) as context:
            refund(
                payment=self._payment,
                context=context,
                who=Initiator(idempotency_key=key, by=person(who)),
                **given,
            )

    @precondition(lambda self: Approval.objects.exists())
    @rule(which=WHICH, who=PEOPLE, fate=FATES)
    def agree(self, which: int, who: str, fate: str) -> None:
        with self._fated(fate) as context:
            approve(self._request(which), by=person(who), context=context)

    @precondition(lambda self: Approval.objects.exists())
    @rule(which=WHICH, who=PEOPLE)
    def decline_or_withdraw(self, which: int, who: str) -> None:
        with contextlib.suppress(OperationError):
            decline(self._request(which), by=who, reason="no", clock=self.world.clock)

    @precondition(lambda self: self._lost())
    @rule(who=PEOPLE)
    def give_up_what_did_not_happen(self, who: str) -> None:
        with self._fated("works") as context:
            no = Decision.DID_NOT_HAPPEN
            resolve(self._lost()[0], decision=no, reason="ticket 4711", by=person(who), context=context)

    @precondition(lambda self: self.transactions().filter(state=S.NOT_SENT))
    @rule(who=PEOPLE, fate=FATES)
    def send_once_more(self, who: str, fate: str) -> None:
        transaction = self.transactions().filter(state=S.NOT_SENT)[0]
        with self._fated(fate) as context:
            send_again(transaction, context=context, who=Initiator(by=who))

    @rule(stop=st.booleans())
    def stop_or_resume(self, stop: bool) -> None:
        verb = stop_sending if stop else resume_sending
        with contextlib.suppress(OperationError):
            verb(context=self._context, by="anna", reason="drill")

    @rule(hours=st.sampled_from([0, 1, 25, 200]), swept=st.booleans())
    def let_time_pass(self, hours: int, swept: bool) -> None:
        self.world.clock.advance(hours=hours)
        for _ in range(6 if swept else 0):
            # The ladder's further rungs: five answers in a row take as many sweeps.
            sweep(context=self._context)
            self.world.clock.advance(minutes=30)

    # What stays true

    @invariant()
    def our_books_are_true_and_count_with_all_that_happened(self) -> None:
        check_books()
        self.truth().check_allowed_for()

    @invariant()
    def nobody_alone_gives_back_more_than_the_limit(self) -> None:
        alone = self.transactions().filter(kind="REFUND").exclude(pk__in=_agreed_to())
        assert sum(i.amount_minor for i in alone if i.holds_reservation or i.approved_minor) <= LIMIT

    @invariant()
    def what_was_agreed_to_was_begun_once_and_by_two_people(self) -> None:
        for request in Approval.objects.filter(subject=None):
            begun = GatewayTransaction.objects.filter(idempotency_key=request.idempotency_key).count()
            assert begun == (request.state == ApprovalState.AGREED), request
        for request in Approval.objects.filter(state=ApprovalState.AGREED):
            assert request.decided_by
            assert request.decided_by != request.created_by
            assert request.decided_by_account != request.created_by_account

    def teardown(self) -> None:
        """In the end we know what the gateway knows, and nothing was asked of it twice."""
        try:
            with contextlib.suppress(OperationError):
                resume_sending(context=self._context, by="anna", reason="over")
            for hours in (1, 1, 2, 25, 25, 200):
                self.world.clock.advance(hours=hours)
                sweep(context=self._context)
            check_books()
            self.truth().check_known()
            check_sent_once(self.world.control)
        finally:
            db_transaction.savepoint_rollback(self.before)

    @property
    def _context(self) -> GatewayContext:
        return _of_two(self.world.context)

    @property
    def _payment(self) -> Payment:
        return self.paid()[0]

    def _request(self, which: int) -> Approval:
        requests = list(Approval.objects.order_by("pk"))
        return requests[which % len(requests)]

    def _lost(self) -> list[GatewayTransaction]:
        """Unknown outcomes of what the gateway never did: the person who decides looks there first."""
        unknown = self.transactions().filter(kind="REFUND", state=S.UNKNOWN)
        status = self.world.context.gateway.status
        return [transaction for transaction in unknown if not status(transaction.reference).message.records]

    @contextlib.contextmanager
    def _fated(self, fate: str) -> Iterator[GatewayContext]:
        with self.world.fated("refund", fate) as context:
            yield _of_two(context)


def _of_two(context: GatewayContext) -> GatewayContext:
    return replace(
        context, policy=replace(context.policy, approval_policy=ApprovalPolicy(limits={"EUR": LIMIT}))
    )


def _agreed_to() -> list[int]:
    rows = TransactionEvent.objects.filter(kind=TransactionEventKind.APPROVAL, transaction__kind="REFUND")
    return list(rows.values_list("transaction_id", flat=True))


def test_whatever_happens_to_refunds_nobody_gives_back_much_alone_and_nothing_is_given_back_twice(
    wallet_sandbox: SandboxControl, customer: Customer, make_context: MakeContext, clock: VirtualClock
) -> None:
    deaf = make_context(f"http://127.0.0.1:{unused_port()}")
    Refunds.world = World(wallet_sandbox, customer, deaf, clock)
    run_state_machine_as_test(Refunds, settings=history_settings(on_sqlite=4, elsewhere=2))
