"""A copy of a row is one of its own, with the same values."""

from __future__ import annotations

import copy

from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.row_copies import copy_row


def test_a_copy_is_as_that_of_pickling_and_shares_no_state_with_the_row() -> None:
    payment = Payment(pk=3, order=PaymentOrder(pk=1, reference="A"), reference="R")
    copied, expected = copy_row(payment), copy.copy(payment)
    assert copied == expected
    assert copied.__dict__.keys() == expected.__dict__.keys() - {"_django_version"}
    assert (copied._state.adding, copied._state.db) == (payment._state.adding, payment._state.db)

    copied.reference, copied.order = "other", PaymentOrder(pk=2)
    copied._state.adding = False
    assert (payment.reference, payment.order.pk, payment._state.adding) == ("R", 1, True)


def test_a_copy_keeps_what_was_read_with_the_row() -> None:
    transaction = GatewayTransaction(payment=Payment(pk=3))
    assert copy_row(transaction).payment is transaction.payment
