"""What the provider says of a detached refund: its id, its code and its words."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command

from tests.money.gateway import answering, record
from tests.money.shop import Shop, reloaded
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction

pytestmark = pytest.mark.django_db

PROVIDER = {"providerAuthorizationID": "PA-77", "providerResponseCode": "00-A"}


def refund(shop: Shop, **answer: Any) -> GatewayTransaction:
    shop.gateway.answers.append(answering(**answer))
    return payments.refund_migrated(
        parent_transaction_id="OLD-1", amount=Decimal("10.00"), currency="EUR", by="anna"
    )


def test_its_provider_s_id_is_stored_exported_and_found(shop: Shop) -> None:
    given = refund(shop, **PROVIDER)
    given.refresh_from_db()
    assert (given.state, given.provider_transaction_id, given.provider_state) == ("APPROVED", "PA-77", "00-A")
    out = io.StringIO()
    call_command("wallet_export", "transactions", stdout=out)
    (row,) = csv.DictReader(io.StringIO(out.getvalue()))
    assert row["providerTransactionId"] == "PA-77"


@pytest.mark.parametrize("named", ["PROV-9", None])
def test_its_record_does_not_rename_it(shop: Shop, named: str | None) -> None:
    given = refund(shop, **PROVIDER)
    shop.report(
        given,
        record(
            given.reference,
            type="detached.refund",
            transactionAmount=10.00,
            apmDetails={"apmProviderTransactionId": named},
        ),
    )
    shop.sweep_when_due(given)
    assert given.confirmed_at is not None
    assert given.provider_transaction_id == "PA-77"


@pytest.mark.parametrize(("given", "named", "stored"), [("", "PROV-9", "PROV-9"), ("", None, "")])
def test_one_without_an_id_gets_that_of_its_record(
    shop: Shop, given: str, named: str | None, stored: str
) -> None:
    made = refund(shop, providerAuthorizationID=given)
    details = {"apmProviderTransactionId": named}
    shop.report(
        made, record(made.reference, type="detached.refund", transactionAmount=10.00, apmDetails=details)
    )
    shop.sweep_when_due(made)
    assert made.provider_transaction_id == stored


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ({"providerResponseMessage": "issuer says no", "responseMessage": ""}, "issuer says no"),
        ({"providerResponseMessage": "issuer says no", "responseMessage": "refused"}, "refused"),
    ],
)
@pytest.mark.parametrize("state", ["Errored", "Approved"])
def test_its_provider_s_words_are_shown(shop: Shop, state: str, words: dict[str, str], shown: str) -> None:
    given = refund(shop, state=state, **words)
    assert shown in reloaded(given).explanation
