"""What waits for a person: only what nothing else can end, with the ways out that this person has."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.conftest import MakePerson, order_url
from tests.models.rows import a_payment, a_transaction
from tests.tables import every
from wallet_gateway.admin.tasks import FOR_A_PERSON
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Payment

pytestmark = pytest.mark.django_db


def page_of(client: Client, payment: Payment) -> str:
    return client.get(order_url(payment.order)).content.decode()


@every("state", sorted(set(TransactionState) - FOR_A_PERSON))
def test_what_ends_by_itself_or_has_ended_is_no_task(state: TransactionState, operator: Client) -> None:
    payment = a_payment(authorized=2000)
    a_transaction(payment, state=state)
    assert "Waits for a person" not in page_of(operator, payment)


def test_what_was_not_sent_is_sent_again_by_who_may_do_the_operation(make_person: MakePerson) -> None:
    payment = a_payment(authorized=2000)
    unsent = a_transaction(payment, state=TransactionState.NOT_SENT, needs_operator=True)
    again = f"/gatewaytransaction/{unsent.pk}/send-again/"
    assert again in page_of(make_person("capture_payment"), payment)
    assert again not in page_of(make_person("refund_payment", "resolve_unknown"), payment)
