"""Between what an operation reads and what it reserves others work: the reserving statement decides alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, Pay
from tests.operations.journal import posts
from tests.refusals import refuses
from tests.tables import every
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups.execute import resend_unsent
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E = TransactionState, ErrorCode


@contextmanager
def overtaken(**columns: Any) -> Iterator[None]:
    """Let somebody else write these columns of a payment right after it was read; they are taken back."""
    read, before = vars(follow_ups)["_as_it_stands"], Payment.objects.values("pk", *columns).get()

    def read_and_be_overtaken(payment: Payment) -> Payment:
        found: Payment = read(payment)
        Payment.objects.filter(pk=payment.pk).update(**columns)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow_ups, "_as_it_stands", read_and_be_overtaken)
        yield
    Payment.objects.filter(pk=before.pop("pk")).update(**before)


CAPTURE, REVERSE = follow_ups.capture, follow_ups.reverse
TWENTY: dict[str, Any] = {"amount": Decimal("20.00")}


@every(
    ("operation", "given", "columns", "code"),
    [
        (CAPTURE, TWENTY, {"is_frozen": True}, E.PAYMENT_FROZEN),
        (CAPTURE, TWENTY, {"reversal": "reserved"}, E.NOTHING_LEFT),
        (CAPTURE, TWENTY, {"captured": 1}, E.AMOUNT_TOO_HIGH),
        (CAPTURE, TWENTY, {"capture_reserved": 1}, E.AMOUNT_TOO_HIGH),
        (CAPTURE, TWENTY, {"authorized": 1999}, E.AMOUNT_TOO_HIGH),
        (REVERSE, {}, {"is_frozen": True}, E.PAYMENT_FROZEN),
        (REVERSE, {}, {"captured": 1}, E.REFUND_NEEDED),
        (REVERSE, {}, {"capture_reserved": 1}, E.REFUND_NEEDED),
        (REVERSE, {}, {"reversal": "reserved"}, E.NOTHING_LEFT),
        (REVERSE, {}, {"authorized": 0}, E.NOTHING_LEFT),
    ],
)
def test_a_reservation_of_an_authorization_sees_what_came_in_between(
    operation: Callable[..., GatewayTransaction],
    given: dict[str, Any],
    columns: dict[str, Any],
    code: ErrorCode,
    authorized: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    sent = len(posts(wallet_sandbox))
    with overtaken(**columns), refuses(InvalidState, code):
        operation(payment=authorized, context=context, **given)
    assert len(posts(wallet_sandbox)) == sent


@every(
    ("columns", "code"),
    [
        ({"is_frozen": True}, E.PAYMENT_FROZEN),
        ({"refunded": 1}, E.AMOUNT_TOO_HIGH),
        ({"refund_reserved": 1}, E.AMOUNT_TOO_HIGH),
        ({"captured": 1999}, E.AMOUNT_TOO_HIGH),
    ],
)
def test_a_reservation_of_a_refund_sees_what_came_in_between(
    columns: dict[str, Any],
    code: ErrorCode,
    paid: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    sent = len(posts(wallet_sandbox))
    with overtaken(**columns), refuses(InvalidState, code):
        follow_ups.refund(payment=paid, context=context, amount=Decimal("20.00"))
    assert len(posts(wallet_sandbox)) == sent


# What never left


@pytest.fixture
def unsent(pay: Pay, make_context: MakeContext) -> list[GatewayTransaction]:
    """Refunds of two payments, of which no byte left."""
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    return [
        follow_ups.refund(payment=pay(), context=unreachable, amount=Decimal(amount))
        for amount in ("5.00", "6.00")
    ]


def test_sending_one_transaction_again_claims_no_other(
    unsent: list[GatewayTransaction], context: GatewayContext
) -> None:
    one, other = unsent
    again = resend_unsent(one, context=context)
    assert again is not None
    assert again.state == S.APPROVED
    left = reread(other)
    assert (left.state, left.attempt_no, left.next_send_at) == (S.NOT_SENT, 1, other.next_send_at)


def test_a_sender_that_another_one_has_overtaken_claims_nothing(
    unsent: list[GatewayTransaction], context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    old, _ = unsent
    # Another sender has tried in between, and again nothing left.
    GatewayTransaction.objects.filter(pk=old.pk).update(attempt_no=2)
    assert resend_unsent(old, context=context) is None
    assert reread(old).state == S.NOT_SENT
    assert posts(wallet_sandbox) == []


def test_the_freeze_of_one_payment_holds_up_no_other(
    unsent: list[GatewayTransaction], context: GatewayContext
) -> None:
    one, other = unsent
    frozen = Payment.objects.filter(reference=other.payment.reference if other.payment else "")
    assert frozen.update(is_frozen=True) == 1
    assert resend_unsent(other, context=context) is None
    again = resend_unsent(one, context=context)
    assert again is not None
    assert again.state == S.APPROVED
    frozen.update(is_frozen=False)


def test_a_claim_takes_the_one_open_place_and_the_next_instant(
    unsent: list[GatewayTransaction], make_context: MakeContext
) -> None:
    one, _ = unsent
    assert one.next_send_at is not None
    again = resend_unsent(one, context=make_context(f"http://127.0.0.1:{unused_port()}"))
    assert again is not None
    assert (again.attempt_no, again.state) == (2, S.NOT_SENT)
    assert again.next_send_at is not None
    assert again.next_send_at > one.next_send_at
