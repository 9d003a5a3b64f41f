"""The status query: golden records, their order, what is hidden, and how far it is behind."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import IDS, TRANSACTIONS, Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def test_the_record_of_a_sale(merchant: Merchant, sale: str) -> None:
    record = merchant.record(sale)
    payment_id, moment = record["id"], record["transactionDateTime"]
    provider_id = record["apmDetails"]["apmProviderTransactionId"]
    assert payment_id
    assert provider_id
    assert record == {
        "id": payment_id,
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": 10.0,
        "clientSystemTransactionId": sale,
        "type": "ecom.sale",
        "transactionDateTime": moment,
        "apmDetails": {
            "apmName": "ExampleWalletV2",
            "apmPayerAccountNumber": "EW-5520-1783",
            "apmPayerEmailAddress": "sam.sample@example.com",
            "apmProviderTransactionId": provider_id,
        },
    }


def test_records_under_one_reference_come_oldest_first(
    merchant: Merchant, control: SandboxControl, reserved: str
) -> None:
    control.portal(reserved, "ecom.capture", "4.00")
    control.portal(reserved, "ecom.refund", "1.00")
    records = merchant.records(reserved)
    assert [record["type"] for record in records] == [
        "ecom.preAuthorization",
        "ecom.capture",
        "ecom.refund",
    ]
    assert len({record["id"] for record in records}) == 3


def query_of(**changes: str | None) -> str:
    values = IDS | {"clientSystemTransactionId": "X"} | changes
    return "&".join(
        f"{name}={value}" for name, value in values.items() if value is not None and name != "userId"
    )


@pytest.mark.parametrize(
    "extra",
    ["&storeId=SANDBOX-STORE", "&STOREID=SANDBOX-STORE", "&x=%FF", "&a=1" * 200],
    ids=["twice", "twice in another case", "no UTF-8", "too many"],
)  # fmt: skip
def test_a_query_that_can_be_read_two_ways_is_refused(merchant: Merchant, extra: str) -> None:
    answer = merchant.send("GET", f"{TRANSACTIONS}?{query_of()}{extra}")
    assert (answer.status, answer.code) == (400, "4107940")


def test_the_query_lags_as_far_behind_as_it_is_told(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.advance_clock(600)
    control.behaviour(status_lag_seconds=300)
    refund = new_reference()
    merchant.refund(refund, sale)
    assert len(merchant.records(sale)) == 1
    assert merchant.records(refund) == []
    control.advance_clock(240)
    assert merchant.records(refund) == []
    control.advance_clock(60)
    assert merchant.record(refund)["state"] == "Approved"


def test_a_change_of_state_lags_too(merchant: Merchant, control: SandboxControl) -> None:
    reference = new_reference()
    merchant.checkout(reference)
    control.complete_checkout(reference, "pending")
    control.advance_clock(600)
    control.behaviour(status_lag_seconds=300)
    control.settle_pending(reference, "success")
    assert merchant.record(reference)["state"] == "Pending"
    control.advance_clock(300)
    assert merchant.record(reference)["state"] == "Approved"
