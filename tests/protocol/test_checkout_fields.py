"""The fields of a checkout request: what each may hold, and how anything else is refused."""

from __future__ import annotations

import json

import pytest

from tests.protocol.samples import changed, checkout, paths
from tests.tables import every
from wallet_gateway.protocol.checkout import MAX_REDIRECT_URL_TIMEOUT, CheckoutRequest, CheckoutType
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


def test_a_redirect_of_more_than_8192_characters_is_refused() -> None:
    url = "https://shop.example/" + "x" * 8172
    with pytest.raises(InvalidMessage, match="at most 8192"):
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
