"""The status query: records as a gateway may write them, what they say of the payer, how late they come."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from tests.sandbox.conftest import Pay
from tests.sandbox.merchant import IDS, TRANSACTIONS, Merchant, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

ZEROS = "00000000-0000-0000-0000-000000000000"
UNDECIDED = ("refused", "cancelled", "error", "pending")
OUTCOMES = {"success": "Approved", "pending": "Pending", "refused": "Errored", "error": "Errored"}
ADDRESS_PARTS = ("Name", "Street1", "CityName", "PostalCode", "Country", "Phone")
PAYER = {"apmPayerAccountNumber", "apmPayerEmailAddress", "apmProviderTransactionId"}
RESERVING_PAYER = PAYER | {
    "apmPayerID",
    "apmPayerFirstname",
    "apmPayerLastname",
    "apmPayerCountryCode",
    "apmPayerStateOrProvince",
    *(f"apmPayerBilling{part}" for part in ADDRESS_PARTS),
    *(f"apmPayerShipping{part}" for part in ADDRESS_PARTS),
}


def test_follow_ups_of_the_portal_stand_behind_their_original_and_may_have_references_of_their_own(
    merchant: Merchant, control: SandboxControl, reserved: str
) -> None:
    capture = control.portal(reserved, "ecom.capture", "4.00")
    assert (capture["clientSystemTransactionId"], capture["state"]) == (reserved, "Approved")
    control.behaviour(portal_references="own")
    refunds = [control.portal(reserved, "ecom.refund", amount) for amount in ("1.00", "2.00")]
    references = [refund["clientSystemTransactionId"] for refund in refunds]
    assert len({reserved, *references}) == 3
    # The answer about the original still has all of them, also after the behaviour has changed back.
    control.behaviour(portal_references="original")
    reservation, *others = merchant.records(reserved)
    assert reservation["type"] == "ecom.preAuthorization"
    assert [record["id"] for record in others] == [one["id"] for one in (capture, *refunds)]
    assert merchant.records(references[0]) == [refunds[0]]
    control.behaviour(newest_first=True)
    assert merchant.records(reserved) == [*reversed(others), reservation]


@every(
    "extra",
    ["&storeId=SANDBOX-STORE", "&STOREID=SANDBOX-STORE", "&x=%FF", "&a=1" * 200],
    ids=["twice", "twice in another case", "no UTF-8", "too many"],
)
def test_a_query_that_can_be_read_two_ways_is_refused(merchant: Merchant, extra: str) -> None:
    query = urlencode(IDS | {"clientSystemTransactionId": "X"})
    answer = merchant.send("GET", f"{TRANSACTIONS}?{query}{extra}")
    assert (answer.status, answer.code) == (400, "4107940")


def test_records_and_changes_of_state_lag_as_far_behind_as_they_are_told(
    pay: Pay, merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    pending, refund = pay("pending"), new_reference()
    control.advance_clock(600)
    control.behaviour(status_lag_seconds=300)
    merchant.refund(refund, sale)
    control.settle_pending(pending, "success")
    for passed in (0, 240):
        control.advance_clock(passed)
        assert merchant.records(refund) == []
        assert merchant.record(pending)["state"] == "Pending"
    control.advance_clock(60)
    assert [merchant.record(one)["state"] for one in (refund, pending)] == ["Approved", "Approved"]


# As a gateway may write them


@every(
    ("given", "in_force", "written"),
    [
        (None, "requested", b'"transactionAmount":10.00,'),
        ("requested", "requested", b'"transactionAmount":10.00,'),
        (0, "0", b'"transactionAmount":0,'),
        ("0.00", "0.00", b'"transactionAmount":0.00,'),
        ("1000", "1000", b'"transactionAmount":1000,'),
        ("-10.00", "-10.00", b'"transactionAmount":-10.00,'),
        ("0.000001", "0.000001", b'"transactionAmount":0.000001,'),
        ("null", "null", b'"transactionAmount":null,'),
    ],
)
def test_errored_records_alone_carry_the_amount_that_was_set(
    pay: Pay,
    merchant: Merchant,
    control: SandboxControl,
    given: Any,  # noqa: ANN401
    in_force: str,
    written: bytes,
) -> None:
    assert control.behaviour(errored_amount=given)["erroredAmount"] == in_force
    assert written in merchant.status(pay("refused")).body
    for outcome in ("success", "pending"):
        assert b'"transactionAmount":10.00,' in merchant.status(pay(outcome)).body


@every(("kind", "id_"), [("zeros", ZEROS), ("zero", "0"), ("empty", "")])
def test_until_it_is_approved_a_record_has_the_placeholder_for_its_id(
    pay: Pay, merchant: Merchant, control: SandboxControl, kind: str, id_: str
) -> None:
    control.behaviour(placeholder_ids=kind)
    references = [pay(outcome) for outcome in UNDECIDED]
    assert [merchant.record(reference)["id"] for reference in references] == [id_] * len(UNDECIDED)
    pending = references[-1]
    assert control.settle_pending(pending, "success")["id"].startswith("SBX-")
    assert merchant.record(pending)["id"].startswith("SBX-")
    assert merchant.record(pay("success"))["id"].startswith("SBX-")


@every(
    "words",
    [
        {"Approved": "Settled", "Errored": "Declined", "Pending": "Processing"},
        {"Approved": "APPROVED", "Errored": "errored"},
        {"approved": "Approved ", "PENDING": "in Arbeit"},
        {},
    ],
)
def test_states_are_said_in_the_words_that_were_set(
    pay: Pay, merchant: Merchant, control: SandboxControl, words: dict[str, str]
) -> None:
    documented = {state.lower(): state for state in OUTCOMES.values()}
    expected = {documented[state.lower()]: word for state, word in words.items()}
    assert control.behaviour(state_words=words)["stateWords"] == expected
    for outcome, state in OUTCOMES.items():
        assert merchant.record(pay(outcome))["state"] == expected.get(state, state)
    # The engine goes by its own words: what is settled can be given back.
    assert merchant.refund(new_reference(), pay("success")).status == 200


# The payer


def test_a_preauthorization_says_what_the_checkout_said(pay: Pay, merchant: Merchant) -> None:
    billing = {
        "houseNumber": "5",
        "street": "Curzon Street",
        "city": "London",
        "zipPostalCode": "W1J 5HE",
        "state": "GB-LND",
        "countryCode": "GBR",
    }
    shipping = billing | {
        "firstName": "Charles",
        "lastName": "Babbage",
        "telephoneNumber": "020 7946 0002",
        "deliveryMethod": "courier",
    }
    details = {
        "paymentMethod": "ExampleWalletV2",
        "cardholderId": "CUST-9",
        "cardholderFirstName": "Ada",
        "cardholderLastName": "Lovelace",
        "cardholderEmail": "ada@example.org",
    }
    addresses = {"billingAddress": billing, "shippingAddress": shipping}
    reference = pay(type="ecom.preauthorization", checkoutDetails=details, addressDetails=addresses)
    record = merchant.record(reference)
    payer = record["apmDetails"]
    assert record["type"] == "ecom.preAuthorization"
    assert set(payer) >= {*RESERVING_PAYER, "billingAddress", "shippingAddress"}
    expected = {
        "apmPayerEmailAddress": "ada@example.org",
        "apmPayerID": "CUST-9",
        "apmPayerBillingName": "Ada Lovelace",
        "apmPayerBillingStreet1": "Curzon Street 5",
        "apmPayerShippingName": "Charles Babbage",
        "apmPayerShippingPhone": "020 7946 0002",
        "billingAddress": billing,
    }
    assert payer.items() >= expected.items()
    assert payer["shippingAddress"].items() >= {"city": "London", "countryCode": "GBR"}.items()


def test_the_wallets_customer_fills_what_the_checkout_does_not_say(merchant: Merchant, reserved: str) -> None:
    payer = merchant.record(reserved)["apmDetails"]
    assert [name for name in RESERVING_PAYER if not payer[name]] == []
    assert payer["shippingAddress"]["firstName"] == "Sam"


def test_an_errored_follow_up_has_no_payer_and_no_provider_id(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    refund = new_reference()
    control.fault("refund", "errored")
    merchant.refund(refund, sale)
    record = merchant.record(refund)
    assert record["state"] == "Errored"
    assert record["apmDetails"] == {"apmName": "ExampleWalletV2"} | dict.fromkeys(PAYER)
