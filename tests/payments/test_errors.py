"""Which exceptions a shop can catch, each explained, and how one code is told from another."""

from __future__ import annotations

import pytest

from wallet_gateway import payments

ERRORS = {
    "AwaitingApproval",
    "CardRefused",
    "ErrorCode",
    "GatewayRefused",
    "GatewayUnreachable",
    "IdempotencyConflict",
    "InsideTransaction",
    "InvalidInput",
    "InvalidState",
    "OperationError",
    "OperationOutstanding",
    "OperationRefused",
    "OrderNotPayable",
    "PriceChanged",
    "SendingStopped",
    "TryAgain",
    "WalletUnavailable",
    "message_of",
}


def test_the_errors_have_a_module_of_their_own() -> None:
    assert set(payments.errors.__all__) == ERRORS
    assert all(getattr(payments.errors, name).__doc__ for name in ERRORS)


@pytest.mark.django_db
def test_a_shop_tells_reasons_apart_by_code_and_shows_the_message() -> None:
    with pytest.raises(payments.errors.InvalidInput) as refused:
        payments.create_order(reference="SHOP-1", currency="EUR")
    assert refused.value.code is payments.errors.ErrorCode.FIELDS_INVALID
    assert [fault.path for fault in refused.value.errors] == ["amount"]
    assert "is needed when there are no items" in refused.value.message
    assert refused.value.status == 400
