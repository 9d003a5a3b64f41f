"""The real Sentry SDK with default options: nothing of a customer stands in an event, wherever a payment fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.db import DataError, OperationalError, connection

from tests.collectors.canaries import Payer, found
from tests.collectors.listening import SentryEvents
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

MakeOrder = Callable[..., PaymentOrder]


def assert_tells_nothing(sentry: SentryEvents, payer: Payer) -> None:
    assert found(sentry.text, payer.secrets) == []
    assert found(sentry.text_without_calls, payer.asked_for) == []


@pytest.mark.parametrize("operation", ["authorization", "get_payment_account"])
@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "error_body", "status_after", "not_json", "wrong_shape", "mixed"])
def test_a_gateway_that_fails(
    operation: str, fault: str, payer: Payer, make_order: MakeOrder, wallet_sandbox: SandboxControl, sentry: SentryEvents
) -> None:
    order = make_order()
    payer.approve(order)
    wallet_sandbox.fault(operation, fault, times=10)
    payer.post(order)
    assert_tells_nothing(sentry, payer)


class Dying:
    """A database that refuses statements from the given number on, and quotes what it was given."""

    def __init__(self, number: int, error: type[Exception], *, once: bool) -> None:
        self.number, self.error, self.once, self.count = number, error, once, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.count += 1
        if self.count == self.number or (self.count > self.number and not self.once):
            raise self.error(f'bad value "{params}"\nDETAIL:  Failing row contains ({params}).')
        return execute(sql, params, many, context)


@pytest.mark.parametrize(("error", "once"), [(DataError, True), (OperationalError, False)])
def test_a_database_that_fails_at_any_statement(
    error: type[Exception], once: bool, payer: Payer, make_order: MakeOrder, sentry: SentryEvents
) -> None:
    number, statuses = 0, []
    while True:
        number += 1
        order = make_order()
        payer.approve(order)
        dying = Dying(number, error, once=once)
        with connection.execute_wrapper(dying):
            statuses.append(payer.post(order))
        connection.needs_rollback = False
        assert_tells_nothing(sentry, payer)
        if dying.count < number:
            break
    print(statuses, len(sentry.sent))
    assert 0
