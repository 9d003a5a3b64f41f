"""The checkout request and response, against the tables of the interface."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from tests.protocol.samples import cart, changed, checkout, minimal_checkout, paths, renamed, without
from tests.tables import every
from wallet_gateway.protocol.cart import Shipping, build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import (
    MAX_REDIRECT_URL_TIMEOUT,
    CheckoutDetails,
    CheckoutRequest,
    CheckoutResponse,
    CheckoutType,
    RedirectDetails,
)
from wallet_gateway.protocol.errors import InvalidMessage, UnreadableBody
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable

MANDATORY = [
    "merchantId",
    "storeId",
    "userId",
    "type",
    "amount",
    "currencyCode",
    "clientSystemTransactionId",
    "checkoutDetails",
    "checkoutDetails.paymentMethod",
    "redirectDetails",
    "redirectDetails.returnUrl",
    "redirectDetails.successUrl",
    "redirectDetails.pendingUrl",
    "redirectDetails.errorUrl",
    "redirectDetails.cancelUrl",
    "redirectDetails.refusedUrl",
    "shoppingCartDetails.itemDetails[0].productId",
    "shoppingCartDetails.itemDetails[0].productName",
    "shoppingCartDetails.itemDetails[0].productQuantity",
    "shoppingCartDetails.itemDetails[0].unitAmount",
    "shoppingCartDetails.itemDetails[0].totalAmount",
]

OPTIONAL = [
    "providerDiscretionaryData",
    "details",
    "details.providerMerchantId",
    "checkoutDetails.skinId",
    "checkoutDetails.language",
    "checkoutDetails.cardholderId",
    "checkoutDetails.cardholderFirstName",
    "checkoutDetails.cardholderLastName",
    "checkoutDetails.cardholderEmail",
    "checkoutDetails.cardholderMobilePhone",
    "checkoutDetails.cardholderHomePhone",
    "checkoutDetails.cardholderWorkPhone",
    "checkoutDetails.cardholderNationalIdentificationNumber",
    "checkoutDetails.redirectUrlTimeout",
    "addressDetails",
    "addressDetails.billingAddress",
    "addressDetails.shippingAddress",
    "shoppingCartDetails",
    "shoppingCartDetails.itemDetails[0].productDescription",
    "shoppingCartDetails.itemDetails[0].productType",
]


def test_a_whole_request_goes_through_unchanged() -> None:
    request = CheckoutRequest.from_wire(checkout())
    assert request.to_wire() == checkout()
    assert json.loads(request.to_json()) == checkout()


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
    request = CheckoutRequest.from_wire(changed(checkout(), path, "Ada\u202e 4111.1111 11111111!"))
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


@every("email", ["", "a@b", "ada@b\u00fccher.example", "ada+x@shop.example"])
def test_an_email_address_has_one_at_and_no_blanks(email: str) -> None:
    whole = changed(checkout(), "checkoutDetails.cardholderEmail", email)
    assert CheckoutRequest.from_wire(whole).to_wire() == whole


def test_a_request_needs_no_more_than_what_is_mandatory() -> None:
    assert CheckoutRequest.from_wire(minimal_checkout()).to_wire() == minimal_checkout()


@every("path", MANDATORY)
def test_a_mandatory_field_cannot_be_missing(path: str) -> None:
    with pytest.raises(InvalidMessage, match="is missing; it is mandatory") as caught:
        CheckoutRequest.from_wire(without(checkout(), path))
    assert all(found.startswith(path) for found in paths(caught.value))


@every("path", MANDATORY)
def test_a_mandatory_field_cannot_be_null(path: str) -> None:
    with pytest.raises(InvalidMessage, match="is missing; it is mandatory") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, None))
    assert paths(caught.value) == [path]


@every("path", OPTIONAL)
def test_an_optional_field_may_be_missing_or_null(path: str) -> None:
    missing = without(checkout(), path)
    assert CheckoutRequest.from_wire(missing).to_wire() == missing
    assert CheckoutRequest.from_wire(changed(checkout(), path, None)).to_wire() == missing


@every(
    "path",
    [
        "merchantId",
        "storeId",
        "userId",
        "clientSystemTransactionId",
        "checkoutDetails.paymentMethod",
        "details.providerMerchantId",
    ],
)
@every("blank", ["", " ", "\t\n", "\u00a0"], ids=ascii)
def test_what_identifies_something_is_not_blank(path: str, blank: str) -> None:
    with pytest.raises(InvalidMessage, match="is empty") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, blank))
    assert paths(caught.value) == [path]


@every(
    "path",
    [
        "merchantId",
        "clientSystemTransactionId",
        "checkoutDetails.skinId",
        "checkoutDetails.cardholderEmail",
        "providerDiscretionaryData",
    ],
)
@every("value", [5, True, 1.5, [], {}, ["x"]], ids=repr)
def test_a_text_is_a_text(path: str, value: object) -> None:
    with pytest.raises(InvalidMessage, match="is no text") as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, value))
    assert paths(caught.value) == [path]


def test_a_number_for_a_text_is_refused_in_json_too() -> None:
    body = json.dumps(checkout()).replace('"M-1001"', "1001").encode()
    with pytest.raises(InvalidMessage, match="merchantId: '1001' is a number; send text, in quotes"):
        CheckoutRequest.from_json(body)


@every(
    ("path", "value", "words"),
    [
        ("checkoutDetails", "x", "is no object"),
        ("checkoutDetails", [], "is no object"),
        ("redirectDetails", True, "is no object"),
        ("addressDetails", [], "is no object"),
        ("addressDetails.billingAddress", "Berlin", "is no object"),
        ("shoppingCartDetails", [], "is no object"),
        ("shoppingCartDetails.itemDetails", {}, "is no list"),
        ("shoppingCartDetails.itemDetails", "x", "is no list"),
        ("shoppingCartDetails.itemDetails[0]", "x", "is no object"),
        ("shoppingCartDetails.discountDetails", {}, "is no list"),
        ("shoppingCartDetails.shippingDetails", [], "is no object"),
    ],
)
def test_objects_and_lists_are_not_mixed_up(path: str, value: object, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        CheckoutRequest.from_wire(changed(checkout(), path, value))
    assert paths(caught.value) == [path]


@every(
    ("seconds", "accepted"), [(0, True), (1, True), (900, True), (-1, False), (901, False), (10**30, False)]
)
def test_a_page_lives_up_to_900_seconds_or_for_ever(seconds: int, accepted: bool) -> None:
    values = changed(checkout(), "checkoutDetails.redirectUrlTimeout", seconds)
    if accepted:
        assert CheckoutRequest.from_wire(values).checkout_details.redirect_url_timeout == seconds
    else:
        with pytest.raises(InvalidMessage, match=r"the most is 900|the least is 0") as caught:
            CheckoutRequest.from_wire(values)
        assert paths(caught.value) == ["checkoutDetails.redirectUrlTimeout"]
    assert MAX_REDIRECT_URL_TIMEOUT == 900


@every("value", ["900", 9.5, True, "", [], "1e2"], ids=repr)
def test_seconds_are_a_whole_number(value: object) -> None:
    with pytest.raises(InvalidMessage, match="is no whole number"):
        CheckoutRequest.from_wire(changed(checkout(), "checkoutDetails.redirectUrlTimeout", value))


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


@pytest.mark.parametrize("phone", ["49-15112345678", "1-5551234567", "353-861234567", "1-0"])
def test_a_mobile_number_has_a_calling_code_and_a_hyphen(phone: str) -> None:
    values = changed(checkout(), "checkoutDetails.cardholderMobilePhone", phone)
    assert CheckoutRequest.from_wire(values).checkout_details.cardholder_mobile_phone == phone


@every(
    "phone",
    [
        "",
        "+49-151",
        "49151",
        "4912-151",
        "-151",
        "49-",
        "49 151",
        "49-151 234",
        "49-\u0661\u0665\u0661",
        "49-151\n",
        "0049-1",
        "49--1",
        "1-" + "5" * 16,
    ],
    ids=ascii,
)
def test_a_mobile_number_of_another_form_is_refused_with_an_example(phone: str) -> None:
    with pytest.raises(InvalidMessage, match="49-15112345678") as caught:
        CheckoutRequest.from_wire(changed(checkout(), "checkoutDetails.cardholderMobilePhone", phone))
    assert paths(caught.value) == ["checkoutDetails.cardholderMobilePhone"]


@pytest.mark.parametrize("name", ["cardholderHomePhone", "cardholderWorkPhone"])
def test_other_phone_numbers_have_no_form(name: str) -> None:
    values = changed(checkout(), f"checkoutDetails.{name}", "(030) 1234-56 ext. 7")
    assert CheckoutRequest.from_wire(values).to_wire() == values


REDIRECTS = ["returnUrl", "successUrl", "pendingUrl", "errorUrl", "cancelUrl", "refusedUrl"]


@every("name", REDIRECTS)
@every(
    "url",
    [
        "https://shop.example",
        "http://127.0.0.1:8000/wallet/return/abc",
        "HTTPS://SHOP.EXAMPLE/x?y=1#z",
        "https://[::1]:8443/x",
        "https://läden.example/zurück",
        "https://shop.example/?next=http://other.example/@x",
    ],
)
def test_a_redirect_goes_to_an_absolute_address(name: str, url: str) -> None:
    values = changed(checkout(), f"redirectDetails.{name}", url)
    assert CheckoutRequest.from_wire(values).to_wire() == values


@every("name", REDIRECTS)
@every(
    "url",
    [
        "", "/return", "return", "//shop.example/x", "shop.example/x", "ftp://shop.example/x",
        "data:text/html,x", "https:/shop.example", "https://", "https:///x", "https://?x", "https://:80/x",
        "http://user:secret@shop.example/", "https://shop.example@evil.example/", "https://shop example/x",
        "https://shop.example/a b", "https://shop.example/\n", " https://shop.example/", "https://shop.example\\x",
        "https://shop.example/x\\y", "https://shop.example/\0", "https://shop.example/\x7f", "mailto:a@b.c",
        "javascript:alert(1)",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_redirect_to_anything_else_is_refused(name: str, url: str) -> None:
    with pytest.raises(InvalidMessage, match="no absolute http or https address") as caught:
        CheckoutRequest.from_wire(changed(checkout(), f"redirectDetails.{name}", url))
    assert paths(caught.value) == [f"redirectDetails.{name}"]


def test_a_redirect_of_more_than_2048_characters_is_refused() -> None:
    url = "https://shop.example/" + "x" * 2028
    with pytest.raises(InvalidMessage, match="at most 2048"):
        CheckoutRequest.from_wire(changed(checkout(), "redirectDetails.returnUrl", url))


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


@every("word", ["", "sale", "ecom.capture", "ecom.sale ", "detached.refund", "ecom.\u017fale", 5])
def test_another_type_is_refused_with_those_there_are(word: object) -> None:
    with pytest.raises(InvalidMessage, match=r"'ecom\.sale' or 'ecom\.preAuthorization'") as caught:
        CheckoutRequest.from_wire(changed(checkout(), "type", word))
    assert paths(caught.value) == ["type"]


@every(
    ("amount", "words"),
    [
        ("0", "is zero"),
        ("0.00", "is zero"),
        ("-1.00", "has a sign"),
        ("66,77", "comma"),
        ("66.770", "finer"),
        ("", "is empty"),
        ("1e3", "exponent"),
        (66.77, "floating-point"),
        (True, "True is no amount"),
        ([], "is no amount"),
        ("123456789012345", "too many digits"),
    ],
    ids=repr,
)
def test_an_amount_that_is_none_is_refused_with_its_own_message(amount: object, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), "amount", amount))
    assert paths(caught.value) == ["amount"]


@every(
    ("number", "currency", "wire"),
    [
        ("66.77", "EUR", "66.77"),
        ("66.7", "EUR", "66.70"),
        ("66", "EUR", "66.00"),
        ("1000", "JPY", "1000"),
        ("1.5", "KWD", "1.500"),
        ("2", "CLF", "2.0000"),
    ],
)
def test_an_amount_may_be_a_json_number_and_is_held_with_its_currencys_decimals(
    number: str, currency: str, wire: str
) -> None:
    values = minimal_checkout() | {"currencyCode": currency}
    body = json.dumps(values).replace('"66.77"', number)
    request = CheckoutRequest.from_json(body)
    assert request.amount == wire
    assert request.money == Money.parse(number, currency)


@pytest.mark.parametrize("number", ["66.770", "1e2", "66.777"])
def test_a_json_number_that_is_no_amount_of_its_currency_is_refused(number: str) -> None:
    body = json.dumps(minimal_checkout()).replace('"66.77"', number)
    with pytest.raises(InvalidMessage, match="amount: "):
        CheckoutRequest.from_json(body)


@every("code", ["EURO", "XXX", "XAU", "€", "", "978"])
def test_another_currency_is_refused_and_does_not_hide_other_faults(code: str) -> None:
    with pytest.raises(InvalidMessage, match="ISO 4217") as caught:
        CheckoutRequest.from_wire(changed(without(checkout(), "userId"), "currencyCode", code))
    assert paths(caught.value) == ["currencyCode", "userId"]


def test_the_amount_is_what_the_cart_comes_to() -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(checkout(), "amount", "66.78"))
    assert str(caught.value) == (
        "shoppingCartDetails: comes to 66.77, but amount is 66.78; the two must be equal"
    )


def test_a_wrong_total_is_told_beside_all_other_faults() -> None:
    values = without(changed(checkout(), "amount", "66.78"), "userId")
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(values)
    assert paths(caught.value) == ["shoppingCartDetails", "userId"]


def test_an_order_of_nothing_is_refused() -> None:
    values = changed(checkout(), "shoppingCartDetails", {"itemDetails": []}) | {"amount": "0.00"}
    with pytest.raises(InvalidMessage, match="amount: the amount is zero"):
        CheckoutRequest.from_wire(values)


def test_every_fault_is_reported_at_once_in_canonical_names() -> None:
    values = checkout()
    values["checkoutDetails"]["redirectUrlTimeout"] = 901
    values["checkoutDetails"]["cardholderMobilePhone"] = "+49151"
    values["addressDetails"]["billingAddress"]["countryCode"] = "DE"
    values["redirectDetails"]["cancelUrl"] = "/cancel"
    values["shoppingCartDetails"]["itemDetails"][1]["unitAmount"] = "20,00"
    values["shoppingCartDetails"]["itemDetails"][1]["productQuantity"] = 0
    values["shoppingCartDetails"]["discountDetails"][0]["discountType"] = "rebate"
    del values["storeId"]
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(renamed(values, str.upper))
    assert paths(caught.value) == [
        "addressDetails.billingAddress.countryCode",
        "checkoutDetails.cardholderMobilePhone",
        "checkoutDetails.redirectUrlTimeout",
        "redirectDetails.cancelUrl",
        "shoppingCartDetails.discountDetails[0].discountType",
        "shoppingCartDetails.itemDetails[1].productQuantity",
        "shoppingCartDetails.itemDetails[1].unitAmount",
        "storeId",
    ]


@pytest.mark.parametrize(
    "rename",
    [str.upper, str.lower, lambda name: name[0].upper() + name[1:]],
    ids=["upper", "lower", "pascal"],
)
def test_names_are_read_in_any_letter_case(rename: Callable[[str], str]) -> None:
    assert CheckoutRequest.from_wire(renamed(checkout(), rename)).to_wire() == checkout()


@pytest.mark.parametrize(
    "name", ["shoppingCardDetails", "ShoppingCardDetails", "shoppingcarddetails", "SHOPPINGCARTDETAILS"]
)
def test_both_spellings_of_the_cart_are_read(name: str) -> None:
    values = without(checkout(), "shoppingCartDetails") | {name: cart()}
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


def test_both_spellings_of_the_cart_at_once_are_an_error_that_names_them() -> None:
    with pytest.raises(InvalidMessage, match="'shoppingCartDetails' and 'shoppingCardDetails'") as caught:
        CheckoutRequest.from_wire(checkout() | {"shoppingCardDetails": cart()})
    assert paths(caught.value) == ["shoppingCartDetails"]


def test_the_examples_spelling_of_the_tax_is_read() -> None:
    values = without(checkout(), "shoppingCartDetails.totalTaxAmount")
    values["shoppingCartDetails"]["totaltaxAmount"] = "9.33"
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


def test_unknown_fields_are_left_out() -> None:
    values = checkout() | {"somethingNew": {"deep": [1]}}
    values["checkoutDetails"] |= {"theme": "x"}
    assert CheckoutRequest.from_wire(values).to_wire() == checkout()


def test_a_python_attribute_name_is_no_wire_name() -> None:
    values = without(checkout(), "merchantId") | {"merchant_id": "M-1001"}
    with pytest.raises(InvalidMessage, match="merchantId: is missing"):
        CheckoutRequest.from_wire(values)


@pytest.mark.parametrize("reference", ["ORDER-1", "a", "A_b-9", "x" * 64])
def test_a_reference_we_make_is_safe_in_urls_and_databases(reference: str) -> None:
    assert build(client_system_transaction_id=reference).client_system_transaction_id == reference


@every("reference", ["", "a b", "ä", "x" * 65, "a/b", "a\n", "a.b", "\u0661", "a;b"], ids=ascii)
def test_a_reference_we_make_has_1_to_64_plain_characters(reference: str) -> None:
    with pytest.raises(InvalidMessage, match=r"1 to 64 of A-Z a-z 0-9 _ -|is empty") as caught:
        build(client_system_transaction_id=reference)
    assert paths(caught.value) == ["clientSystemTransactionId"]


@pytest.mark.parametrize(
    ("reference", "accepted"),
    [("any text: ü/1", True), ("x" * 255, True), ("x" * 256, False)],
    ids=["free", "longest", "too long"],
)
def test_a_reference_we_read_is_any_text_of_255_characters(reference: str, accepted: bool) -> None:
    values = changed(checkout(), "clientSystemTransactionId", reference)
    if accepted:
        assert CheckoutRequest.from_wire(values).to_wire() == values
    else:
        with pytest.raises(InvalidMessage, match="at most 255"):
            CheckoutRequest.from_wire(values)


def build(**changes: object) -> CheckoutRequest:
    url = "https://shop.example/back"
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": CheckoutType.SALE,
        "amount": Decimal("24.90"),
        "currency_code": "EUR",
        "client_system_transaction_id": "ORDER-1",
        "checkout_details": CheckoutDetails.build(payment_method="ExampleWalletV2", redirect_url_timeout=600),
        "redirect_details": RedirectDetails.build(
            return_url=url, success_url=url, pending_url=url, error_url=url, cancel_url=url, refused_url=url
        ),
    }
    return CheckoutRequest.build(**values | changes)


@pytest.mark.parametrize(
    "amount", [Decimal("24.9"), Decimal("24.900"), "24.90", "24.9", Money(Decimal("24.9"), "EUR")], ids=repr
)
def test_a_request_is_built_of_python_values(amount: object) -> None:
    request = build(amount=amount)
    assert request.amount == "24.90"
    assert request.money == Money(Decimal("24.90"), "EUR")


def test_a_request_is_built_with_parts_given_as_mappings() -> None:
    request = build(
        checkout_details={"payment_method": "ExampleWalletV2"},
        address_details={
            "billing_address": {
                "house_number": "1",
                "street": "S",
                "city": "C",
                "zip_postal_code": "1",
                "country_code": "deu",
            }
        },
        type="ECOM.PREAUTHORIZATION",
    )
    assert request.type is CheckoutType.PREAUTHORIZATION
    assert request.to_wire()["addressDetails"]["billingAddress"]["countryCode"] == "DEU"


def test_a_request_is_built_with_the_cart_of_a_shops_items() -> None:
    built = build_cart(
        currency="EUR",
        items=[Item(product_id="A", product_name="Thing", unit_amount=Decimal(10), quantity=2)],
        shipping=Shipping(name="Parcel", amount=Decimal("4.9")),
    )
    request = build(shopping_cart_details=built)
    assert request.shopping_cart_details is built
    with pytest.raises(InvalidMessage, match=r"comes to 24\.90, but amount is 24\.91"):
        build(shopping_cart_details=built, amount=Decimal("24.91"))


def test_a_money_of_another_currency_is_refused() -> None:
    with pytest.raises(InvalidMessage, match="amount: the amount is in USD; give it in EUR"):
        build(amount=Money(Decimal("24.90"), "USD"))


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="CheckoutRequest has no field 'ammount'"):
        build(ammount="1.00")


def test_building_reports_every_fault_at_once() -> None:
    with pytest.raises(InvalidMessage) as caught:
        build(
            merchant_id="",
            amount=Decimal("0.001"),
            client_system_transaction_id="a b",
            details={"provider_merchant_id": 5},
        )
    assert paths(caught.value) == [
        "amount",
        "clientSystemTransactionId",
        "details.providerMerchantId",
        "merchantId",
    ]


def test_the_constructor_too_refuses_an_amount_that_is_not_written_as_it_is_sent() -> None:
    with pytest.raises(ValidationError, match=r"24\.9 is to be written 24\.90"):
        CheckoutRequest(**dict(build()) | {"amount": "24.9"})
    with pytest.raises(ValidationError, match="finer"):
        CheckoutRequest(**dict(build()) | {"amount": "24.901"})


def test_a_request_cannot_be_changed_but_by_a_checked_copy() -> None:
    request = build()
    with pytest.raises(ValidationError, match="frozen"):
        request.amount = "1.00"  # type: ignore[misc]
    assert request.model_copy(update={"amount": "25"}).amount == "25.00"
    assert request.model_copy() == request
    with pytest.raises(InvalidMessage, match="comma"):
        request.model_copy(update={"amount": "25,00"})


def test_the_same_request_is_always_the_same_bytes() -> None:
    assert build().to_json() == build().to_json()
    assert CheckoutRequest.from_json(build().to_json()).to_json() == build().to_json()
    assert CheckoutRequest.from_wire(dict(reversed(build().to_wire().items()))).to_json() == build().to_json()


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null", b"5"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidMessage, match="no JSON object"):
        CheckoutRequest.from_json(body)


def test_a_body_that_is_no_json_is_unreadable() -> None:
    with pytest.raises(UnreadableBody):
        CheckoutRequest.from_json(b"{")


@pytest.mark.parametrize(
    "values",
    [
        {"redirectUrl": "https://gateway.example/checkout/1"},
        {"RedirectURL": "http://127.0.0.1:8001/c/1", "extra": 1},
    ],
)
def test_a_response_carries_the_url_of_the_page(values: dict[str, Any]) -> None:
    assert CheckoutResponse.from_wire(values).redirect_url == next(iter(values.values()))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"redirectUrl": None},
        {"redirectUrl": "/checkout/1"},
        {"redirectUrl": "javascript:x"},
        {"redirectUrl": 5},
    ],
)
def test_a_response_without_an_absolute_url_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessage, match="redirectUrl: "):
        CheckoutResponse.from_wire(values)


@every(
    "path",
    [
        "merchantId",
        "checkoutDetails.cardholderMobilePhone",
        "amount",
        "currencyCode",
        "redirectDetails.returnUrl",
        "type",
    ],
)
def test_a_refusal_quotes_no_more_than_the_beginning_of_a_value(path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), path, ["x" * 100_000]))
    assert len(str(caught.value)) < 300
    with pytest.raises(InvalidMessage) as caught:
        CheckoutRequest.from_wire(changed(minimal_checkout(), path, "<\n>" * 100_000 + "\ud800"))
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)
