"""Races for money: in any order, no more is captured, refunded or sent than may be."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from tests.client.servers import unused_port
from tests.operations.aftermath import fresh
from tests.operations.conftest import MakeContext, Pay
from tests.operations.journal import times_sent
from tests.operations.subjects import MIGRATION_FILE
from tests.operations.threads import THREADS, persistently, surprises, together
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState, OperationOutstanding
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator, resend_unsent
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState


def test_refunds_never_exceed_what_was_captured(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    # As many as fit are fewer than there are threads.
    fits = THREADS * 5 // 8
    payment = pay(items=(), amount=Decimal(fits))

    def give_one_back() -> GatewayTransaction:
        return persistently(lambda: refund(payment=fresh(payment), context=real, amount=Decimal("1.00")))

    results = together(give_one_back)

    assert surprises(results, InvalidState) == []
    done = [one for one in results if isinstance(one, GatewayTransaction)]
    assert Counter(one.state for one in done) == {S.APPROVED: fits}
    payment = fresh(payment)
    assert (payment.refunded, payment.refund_reserved) == (payment.captured, 0)
    assert payment.order.state == OrderState.REFUNDED
    assert times_sent(wallet_sandbox, "refund") == fits


def test_while_one_refund_is_under_way_no_other_is_begun(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "delay_after", seconds=0.5)
    results = together(lambda: refund(payment=fresh(payment), context=real, amount=Decimal("1.00")))

    assert surprises(results, OperationOutstanding) == []
    assert times_sent(wallet_sandbox, "refund") == len(
        [one for one in results if not isinstance(one, Exception)]
    )
    payment = fresh(payment)
    assert payment.refunded == 100 * times_sent(wallet_sandbox, "refund")


def test_either_captures_or_a_reversal_and_never_both(
    pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    results = together(
        lambda: capture(payment=fresh(payment), context=real, amount=Decimal("1.00")),
        lambda: reverse(payment=fresh(payment), context=real),
    )

    assert surprises(results, OperationOutstanding, InvalidState, InvalidState) == []
    payment = fresh(payment)
    reversed_ = payment.reversal == Reversal.DONE
    assert reversed_ is (payment.captured == 0)
    assert (times_sent(wallet_sandbox, "reversal"), times_sent(wallet_sandbox, "capture") > 0) == (
        (1, False) if reversed_ else (0, True)
    )


@pytest.mark.parametrize("amount", [Decimal("5.00"), None], ids=["a part", "all"])
def test_one_key_sends_once_however_often_it_is_clicked(
    amount: Decimal | None, pay: Pay, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    who = Initiator(idempotency_key="click-1")
    results = together(lambda: refund(payment=fresh(payment), context=real, amount=amount, who=who))

    assert surprises(results) == []
    assert len({one.pk for one in results}) == 1
    assert times_sent(wallet_sandbox, "refund") == 1


def test_one_deposit_is_refunded_up_to_its_limit(
    real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.migration_file(MIGRATION_FILE)

    def give_ten_back() -> GatewayTransaction:
        return refund_migrated(
            parent_transaction_id="OLD-1001", amount=Decimal("10.00"), currency="EUR", context=real
        )

    results = together(lambda: persistently(give_ten_back))

    assert surprises(results, InvalidState) == []
    states = Counter(one.state for one in results if isinstance(one, GatewayTransaction))
    assert states[S.APPROVED] == 4
    assert set(states) <= {S.APPROVED, S.REJECTED}
    assert MigratedDeposit.objects.get().refunded == 4000


def test_what_never_left_is_sent_by_one_worker(
    pay: Pay, real: GatewayContext, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    transaction = capture(payment=pay(type="preauthorization"), context=unreachable, amount=Decimal("5.00"))
    results = together(lambda: resend_unsent(GatewayTransaction.objects.get(pk=transaction.pk), context=real))

    assert surprises(results) == []
    assert times_sent(wallet_sandbox, "capture") == 1
    assert Payment.objects.get().captured == 500
