"""The fields of a checkout request: what each may hold, and how anything else is refused."""

from __future__ import annotations

import json

import pytest

from tests.protocol.samples import changed, checkout, paths
from tests.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutType
from wallet_gateway.protocol.errors import InvalidMessage

WRITTEN_BY_CUSTOMERS = [
    "checkoutDetails.cardholderFirstName",
    "checkoutDetails.cardholderHomePhone",
    *(f"addressDetails.billingAddress.{name}" for name in ("houseNumber", "street", "city", "zipPostalCode")),
    *(f"addressDetails.shippingAddress.{name}" for name in ("firstName", "lastName", "street", "city")),
    "shoppingCartDetails.itemDetails[0].productName",
    "shoppingCartDetails.itemDetails[0].productDescription",
]


@every("path", WRITTEN_BY_CUSTOMERS)
def test_what_customers_write_is_taken_without_card_numbers_and_controls_of_direction(path: str) -> None:
    request = CheckoutRequest.from_wire(changed(checkout(), path, "Ada\u202e 4111.1111 1111-1111!"))
    assert request.to_wire() == changed(checkout(), path, "Ada ***1111!")
    assert CheckoutRequest.from_canonical(request.to_wire()) == request


@every("path", ["shoppingCartDetails.itemDetails[0].productId", "providerDiscretionaryData"])
def test_an_identifier_is_taken_as_it_is(path: str) -> None:
    whole = changed(checkout(), path, "4111111111111111")
    assert CheckoutRequest.from_wire(whole).to_wire() == whole


@every("email", ["ada", "ada@", "@shop.example", "ada@b@c", "ada @shop.example", "ada@shop.example\n"])
@every("path", ["checkoutDetails.cardholderEmail", "addressDetails.shippingAddress.email"])
def test_what_is_no_email_address_is_refused_and_not_quoted(path: str, email: str) -> None:
    with pytest.raises(InvalidMessage, match="is no e-mail address") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, email))
    assert paths(caught.value) == [path]
    assert str(caught.value) == f"{path}: is no e-mail address; give one such as ada@shop.example"


@every("path", ["checkoutDetails.cardholderEmail", "addressDetails.shippingAddress.email"])
def test_an_email_address_that_holds_a_card_number_is_refused_and_not_quoted(path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, "4111-1111-1111-1111@shop.example"))
    assert [fault.path for fault in caught.value.errors] == [path]
    assert "1111" not in str(caught.value)


@pytest.mark.parametrize(
    ("number", "accepted"),
    [("900", True), ("0", True), ("9e2", False), ("900.0", False), ("9" * 5000, False)],
)
def test_seconds_are_read_from_json_numbers_without_fraction(number: str, accepted: bool) -> None:
    body = json.dumps(checkout()).replace("900", number)
    if accepted:
        assert CheckoutRequest.from_json(body).checkout_details.redirect_url_timeout == int(number)
    else:
        with pytest.raises(InvalidMessage, match=r"redirectUrlTimeout: .{1,80} is no whole number"):
            CheckoutRequest.from_json(body)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("ecom.sale", CheckoutType.SALE),
        ("ECOM.SALE", CheckoutType.SALE),
        ("ecom.preAuthorization", CheckoutType.PREAUTHORIZATION),
        ("ecom.preauthorization", CheckoutType.PREAUTHORIZATION),
        ("Ecom.PreAuthorization", CheckoutType.PREAUTHORIZATION),
    ],
)
def test_a_type_is_read_in_any_case_and_sent_as_the_section_prints_it(word: str, kind: CheckoutType) -> None:
    request = CheckoutRequest.from_wire(changed(checkout(), "type", word))
    assert request.type is kind
    assert request.to_wire()["type"] in {"ecom.sale", "ecom.preAuthorization"}
