"""One tree of refusals: whoever catches its root catches every reason, and nothing was sent."""

from __future__ import annotations

import pytest

from tests.tables import every
from wallet_gateway.operations import errors, inputs
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.checkout import orders, payment_attempts
from wallet_gateway.operations.checkout import start as checkout
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups import detached_refunds
from wallet_gateway.operations.follow_ups import execute as execution

REFUSALS = [
    inputs.BadAmount,
    payment_attempts.CheckoutInProgress,
    payment_attempts.CheckoutPaused,
    payment_attempts.OrderNotPayable,
    detached_refunds.UnableToRefundMigrated,
    errors.SendingStopped,
    follow_ups.UnableToCapture,
    follow_ups.UnableToRefund,
    follow_ups.UnableToReverse,
    execution.KeyConflict,
    execution.OperationOutstanding,
    orders.InvalidOrder,
    orders.OrderConflict,
    resolutions.UnableToResolve,
]


@every("refusal", REFUSALS, ids=lambda refusal: refusal.__name__)
def test_what_forbids_an_operation_is_a_refusal(refusal: type[Exception]) -> None:
    assert issubclass(refusal, errors.OperationRefused)
    assert issubclass(refusal, errors.OperationError)


@pytest.mark.parametrize("failure", [checkout.CheckoutRefused, checkout.GatewayUnreachable])
def test_what_the_gateway_did_not_give_is_no_refusal_of_ours(failure: type[Exception]) -> None:
    assert issubclass(failure, payment_attempts.CheckoutUnavailable)
    assert not issubclass(failure, errors.OperationRefused)


def test_every_error_of_the_room_is_in_the_tree() -> None:
    modules = (
        inputs,
        payment_attempts,
        checkout,
        detached_refunds,
        errors,
        follow_ups,
        execution,
        orders,
        resolutions,
    )
    raised = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module.__name__
    }
    assert all(issubclass(error, errors.OperationError) for error in raised)
    assert set(REFUSALS) <= raised
