"""A transaction keeps the account that it was sent under, whatever the settings name later."""

from __future__ import annotations

import pytest

from tests.models.rows import NOW, a_transaction
from wallet_gateway.models import TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.merchant_accounts import foreign_merchant_account

pytestmark = pytest.mark.django_db

OWN = '{"merchantId":"SANDBOX-MERCHANT","storeId":"SANDBOX-STORE"}'
OTHER_STORE = '{"merchantId":"SANDBOX-MERCHANT","storeId":"STORE-2"}'


@pytest.mark.parametrize("body", [OWN, '{"merchantId":"SANDBOX-MERCHANT"}', "{}", ""])
def test_the_configured_account_and_an_unknown_one_are_not_foreign(
    body: str, context: GatewayContext
) -> None:
    assert foreign_merchant_account(a_transaction(request_body=body), context) == ""


def test_another_store_is_named(context: GatewayContext) -> None:
    found = foreign_merchant_account(a_transaction(request_body=OTHER_STORE), context)
    assert found == "merchantId SANDBOX-MERCHANT, storeId STORE-2"


def test_what_was_sent_is_found_in_the_first_event_that_has_a_body(context: GatewayContext) -> None:
    transaction = a_transaction(request_body="")
    for body in ("", OTHER_STORE, OWN):
        TransactionEvent.objects.create(
            transaction=transaction, kind="ANSWER", state_after="UNKNOWN", request_body=body, occurred_at=NOW
        )
    assert foreign_merchant_account(transaction, context).endswith("storeId STORE-2")
