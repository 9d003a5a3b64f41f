"""The base of every message: its names, its sentences about faults, validators made on first use."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import Field, Strict
from pydantic_core import SchemaError

from tests.protocol.samples import changed, checkout, follow_up, paths
from tests.support.tables import every
from wallet_gateway.protocol.checkout import CheckoutRequest, PageDetails
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.field_types import Text
from wallet_gateway.protocol.follow_ups import DetachedRefundResponse, FollowUpRequest
from wallet_gateway.protocol.wire import BuiltOnFirstUse, WireModel


def fault_of(read: Callable[..., object], *given: object, **values: object) -> FieldError:
    """Return the only fault of a message."""
    with pytest.raises(InvalidMessage) as caught:
        read(*given, **values)
    (fault,) = caught.value.errors
    return fault


@every(
    "name", ["s\u212ainId", "\u017fkinId", "sk\u0131nId", "skinId\u200b", "skinId ", "skinId\0", "skin_id"]
)
def test_a_name_that_only_resembles_one_is_unknown(name: str) -> None:
    assert PageDetails.from_wire({name: "x"}).to_wire() == {}


def test_a_field_given_twice_deep_inside_is_told_with_its_whole_path() -> None:
    source = checkout()
    source["shoppingCartDetails"]["itemDetails"][1]["ProductId"] = None
    fault = fault_of(CheckoutRequest.from_wire, source)
    assert fault.path == "shoppingCartDetails.itemDetails[1].productId"
    assert "send productId alone" in fault.message


@every("currency", [None, "ZZZ"])
def test_an_amount_in_no_known_currency_is_held_as_it_was_sent(currency: object) -> None:
    answer = {"state": "Approved", "currencyCode": currency, "amount": "10.000"}
    assert DetachedRefundResponse.from_wire(answer).amount == "10.000"


def test_a_copy_with_changes_is_read_like_what_python_code_builds() -> None:
    original = FollowUpRequest.from_wire(follow_up())
    copied = original.model_copy(update={"amount": Decimal("1E+1"), "currency_code": "kwd"})
    assert (copied.amount, copied.currency_code) == ("10.000", "KWD")
    same, deep = original.model_copy(), original.model_copy(deep=True)
    assert same == deep == original
    assert same.apm_details is original.apm_details
    assert deep.apm_details is not original.apm_details
    amounts: list[object] = [1.5, True, [], Decimal(-1), Decimal("NaN"), 10**20, Decimal("0.00001")]
    for amount in amounts:
        assert fault_of(original.model_copy, update={"amount": amount}).path == "amount"
    with pytest.raises(TypeError, match="third"):
        original.model_copy(update={"third": "z"})


# The sentences


TIMEOUT, TYPE = "checkoutDetails.redirectUrlTimeout", "shoppingCartDetails.itemDetails[0].productType"
SENTENCES: list[tuple[str, object, str]] = [
    ("merchantId", None, "is missing; it is mandatory"),
    ("merchantId", 5, "5 is no text; give text"),
    ("merchantId", [1], "a value of type list is no text; give text"),
    ("merchantId", " ", "is empty; give a text"),
    ("merchantId", "x" * 256, "is too long; at most 255 characters are allowed"),
    ("checkoutDetails.skinId", "\ud800", "holds half of a surrogate pair, which is no character"),
    (
        "checkoutDetails.cardholderMobilePhone",
        "1",
        "'1' is no mobile number; give calling code, hyphen and number, such as 49-15112345678",
    ),
    (TIMEOUT, "9", "'9' is no whole number; give one, without quotes"),
    (TIMEOUT, 9.0, "9.0 is no whole number; give one, without quotes"),
    (TIMEOUT, -1, "-1 is too small; the least is 0"),
    (TIMEOUT, 901, "901 is too large; the most is 900"),
    ("type", "x", "'x' is not known; give 'ecom.sale' or 'ecom.preAuthorization'"),
    (TYPE, "x", "'x' is not known; give 'physical', 'digital', 'giftcard' or 'surcharge'"),
    ("redirectDetails", "x", "'x' is no object; give one"),
    ("shoppingCartDetails.discountDetails", "x", "'x' is no list; give one"),
    ("currencyCode", "x", "'x' is no currency; give a three-letter ISO 4217 code such as EUR"),
    (
        "shoppingCartDetails.totalTaxAmount",
        "1,00",
        (
            "'1,00' is no amount; "
            "write digits alone, without leading zeros, with a period before decimals, as in 1000.00"
        ),
    ),
    (
        "shoppingCartDetails.shippingDetails.shippingTaxRate",
        "19%",
        "'19%' is no rate; give a percentage with up to 4 decimals, such as 19 or 7.7",
    ),
    (
        "redirectDetails.errorUrl",
        "/x",
        "'/x' is no absolute http or https address, such as https://shop.example/back",
    ),
]


@every(("path", "value", "message"), SENTENCES)
def test_each_kind_of_fault_has_its_sentence(path: str, value: object, message: str) -> None:
    assert fault_of(CheckoutRequest.from_wire, changed(checkout(), path, value)) == FieldError(path, message)


@every("path", sorted({path for path, _, _ in SENTENCES} - {"checkoutDetails.skinId"}))
def test_a_sentence_is_short_and_printable_whatever_was_sent(path: str) -> None:
    for value in ("<\n\x1b>" * 100_000, ["x" * 100_000], {"x": "y" * 100_000}):
        with pytest.raises(InvalidMessage) as caught:
            CheckoutRequest.from_wire(changed(checkout(), path, value))
        for fault in caught.value.errors:
            assert len(fault.message) < 200
            assert fault.message.isprintable()


def test_a_fault_that_nobody_foresaw_is_told_in_the_words_of_pydantic() -> None:
    class Flag(WireModel):
        flag: Annotated[bool, Strict()]

    assert fault_of(Flag.build, flag="yes") == FieldError("flag", "Input should be a valid boolean")


# Making the validators


def test_threads_that_need_a_message_first_all_read_it_by_its_own_rules() -> None:
    for _ in range(20):

        class Longer(WireModel):
            first: Text
            third: Text

        started = threading.Barrier(8)

        def faults(
            _: int, message: type[WireModel] = Longer, start: threading.Barrier = started
        ) -> list[str]:
            start.wait()
            with pytest.raises(InvalidMessage) as caught:
                message.build(first="")
            return paths(caught.value)

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(faults, range(8))) == [["first", "third"]] * 8


def test_what_every_message_is_read_with_can_be_built_before_it_is_needed() -> None:
    class Wrong(BuiltOnFirstUse):
        second: Annotated[str, Field(pattern="(")]

    try:
        with pytest.raises(SchemaError, match="unclosed group"):
            BuiltOnFirstUse.build_all()
    finally:
        del Wrong
        gc.collect()
    BuiltOnFirstUse.build_all()
