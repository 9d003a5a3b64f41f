"""The attempts of an order, read at once: by order or by token, and only one's own is found."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.operations.conftest import MakeOrder
from tests.operations.wallet_customer import Customer
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.wallet.attempts import fresh, load

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_an_order_is_read_with_its_attempts_in_one_statement(
    customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    button = customer.open(order)
    with CaptureQueriesContext(connection) as captured:
        tried = load(order.token)
        transaction = tried.meant(button.reference, customer.session)
        assert transaction.wallet.key.gateway == "default"
        assert transaction.payment is not None
        assert transaction.payment.opening is transaction
        assert transaction.payment.order is tried.order
    assert len(captured) == 1
    assert tried.order.known_payments is not None
    assert fresh(transaction, customer.context.clock.now())


def test_only_the_sessions_own_attempts_are_found(customer: Customer, make_order: MakeOrder) -> None:
    button = customer.open(make_order())
    tried = load(PaymentOrder.objects.get())
    assert [transaction.reference for transaction in tried.of_session(customer.session)] == [button.reference]
    for reference, session in ((button.reference, "other"), ("other", customer.session), (None, "x")):
        with pytest.raises(InvalidInput):
            tried.meant(reference, session)
