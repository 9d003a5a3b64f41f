"""What a status record tells of the payer: from the checkout, or from the sandbox's wallet customer."""

from __future__ import annotations

from tests.sandbox.merchant import Merchant, new_reference
from tests.sandbox.payments.test_checkouts import FULL_CHECKOUT
from wallet_gateway.testing.control import SandboxControl

PAYER_FIELDS = ("apmPayerAccountNumber", "apmPayerEmailAddress", "apmProviderTransactionId")
ADDRESS_PARTS = ("Name", "Street1", "CityName", "PostalCode", "Country", "Phone")
PREAUTHORIZATION_FIELDS = {
    "apmPayerID",
    "apmPayerFirstname",
    "apmPayerLastname",
    "apmPayerCountryCode",
    "apmPayerStateOrProvince",
    *(f"apmPayerBilling{part}" for part in ADDRESS_PARTS),
    *(f"apmPayerShipping{part}" for part in ADDRESS_PARTS),
}


def test_a_preauthorization_says_what_the_checkout_said(merchant: Merchant, control: SandboxControl) -> None:
    reference = new_reference()
    merchant.checkout(reference, type="ecom.preauthorization", **FULL_CHECKOUT)
    control.complete_checkout(reference, "success")
    record = merchant.record(reference)
    details = record["apmDetails"]
    assert record["type"] == "ecom.preAuthorization"
    assert set(details) >= {*PAYER_FIELDS, *PREAUTHORIZATION_FIELDS, "billingAddress", "shippingAddress"}
    assert details["apmPayerEmailAddress"] == "ada@example.org"
    assert details["apmPayerID"] == "CUST-9"
    assert details["apmPayerBillingName"] == "Ada Lovelace"
    assert details["apmPayerBillingStreet1"] == "Curzon Street 5"
    assert details["apmPayerShippingName"] == "Charles Babbage"
    assert details["apmPayerShippingPhone"] == "020 7946 0002"
    assert details["billingAddress"] == FULL_CHECKOUT["addressDetails"]["billingAddress"]
    assert details["shippingAddress"].items() >= {"city": "London", "countryCode": "GBR"}.items()


def test_the_wallets_customer_fills_what_the_checkout_does_not_say(merchant: Merchant, reserved: str) -> None:
    details = merchant.record(reserved)["apmDetails"]
    assert set(details) >= {*PAYER_FIELDS, *PREAUTHORIZATION_FIELDS}
    assert all(details[name] for name in PREAUTHORIZATION_FIELDS)
    assert details["shippingAddress"]["firstName"] == "Sam"


def test_an_errored_follow_up_has_no_payer_and_no_provider_id(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    refund = new_reference()
    control.fault("refund", "errored")
    merchant.refund(refund, sale)
    record = merchant.record(refund)
    assert record["state"] == "Errored"
    assert record["apmDetails"] == {"apmName": "ExampleWalletV2"} | dict.fromkeys(PAYER_FIELDS)
