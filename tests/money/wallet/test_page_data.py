"""What a page posts and reports is read whole or not at all, and kept without any secret."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.money.wallet.customers import CRYPTOGRAM, Customer, detail_for, refused
from tests.money.wallet.hooks import PRICING, Hooks
from tests.protocol.samples import CRYPTOGRAM_LENGTHS, cryptogram_of
from tests.support.gateway import refusing
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.transactions import MOST_EVENTS
from wallet_gateway.payments.errors import CardRefused, InvalidInput

pytestmark = pytest.mark.django_db
VISA = "4111111111111111"
ADDRESS = {"name": "Ada", "countryCode": "DE"}


def kept_of(shop: Shop, customer: Customer, **spoilt: Any) -> dict[str, Any]:
    """Let a page post a result, and return what of the customer's data was stored."""
    payment = customer.pay(shop.order(), **spoilt)
    assert payment.opening.state == "APPROVED"
    given: dict[str, Any] = WalletAttempt.objects.latest("pk").given
    return given


@pytest.fixture
def sheet(customer: Customer) -> tuple[PaymentOrder, str]:
    """An order, and the reference of the sheet that is open for it."""
    order = customer.order()
    return order, customer.open(order).reference


def told(customer: Customer, order: PaymentOrder, detail: object) -> str:
    """Return how a failure is told in the history."""
    customer.post(order, detail)
    text: str = WalletAttempt.objects.latest("pk").events[-1]["detail"]
    return text


@every("length", [min(CRYPTOGRAM_LENGTHS), 20, max(CRYPTOGRAM_LENGTHS)])
def test_a_cryptogram_of_any_length_is_sent_and_kept_in_no_other_field(
    customer: Customer, length: int
) -> None:
    # Nothing in a row of one letter looks like a cryptogram: the field it was given in says that it is one.
    for secret in (cryptogram_of(length), base64.b64encode(bytes(length)).decode()):
        address = {"name": f"Ada {secret}"}
        spoilt = {"cryptogram": secret, "email": f"{secret}@x.example", "shippingAddress": address}
        kept = {"email": "[removed]@x.example", "shippingAddress": {"name": "Ada [removed]"}}
        assert kept_of(customer.shop, customer, **spoilt) == kept
        assert customer.gateway.sent[-1]["cryptogram"] == secret
    order = customer.order()
    customer.open(order)
    failed = {"code": "1", "description": f"no {secret}", "cryptogram": secret}
    assert told(customer, order, failed) == "1 no [removed]"


@every(
    ("spoilt", "kept"),
    [
        ({"email": VISA}, {"email": "***1111"}),
        (
            {"billingAddress": {"name": f"Ada {VISA}", "address1": CRYPTOGRAM, "phoneNumber": VISA}},
            {"billingAddress": {"name": "Ada ***1111", "address1": "[removed]", "phoneNumber": "***1111"}},
        ),
        (
            {"shippingAddress": {"locality": "4111-1111-1111-1111", "postalCode": "10115"}},
            {"shippingAddress": {"locality": "***1111", "postalCode": "10115"}},
        ),
        # A phone number may happen to have a check digit, and stays whole.
        *(
            ({"shippingAddress": {"phoneNumber": number}}, {"shippingAddress": {"phoneNumber": kept}})
            for number, kept in (("4915100000079", "4915100000079"), ("3600 666633 3344", "***3344"))
        ),
        ({"shippingAddress": {"name": "Ada\u202e tset"}}, {"shippingAddress": {"name": "Ada tset"}}),
        ({"cardNumber": "************1111"}, {}),
    ],
)
def test_what_is_kept_of_a_result_has_no_card_number_and_no_cryptogram_wherever_a_page_put_one(
    customer: Customer, spoilt: dict[str, Any], kept: dict[str, Any]
) -> None:
    assert kept_of(customer.shop, customer, **spoilt) == kept


@every("account", [CRYPTOGRAM, f"x{VISA}"])
def test_an_account_that_could_be_a_secret_is_bound_by_its_hash(customer: Customer, account: str) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference, transactionAccountId=account)
    customer.gateway.cards = [refusing(404)] * 2
    with pytest.raises((CardRefused, InvalidInput)):
        customer.post(order, detail | {"cryptogram": cryptogram_of(21)})
    stored = WalletAttempt.objects.latest("pk").account_id or ""
    assert account not in stored
    other = "B" + account[1:]
    with pytest.raises(InvalidInput):
        customer.post(order, detail | {"cryptogram": cryptogram_of(21), "transactionAccountId": other})


@every(
    ("spoilt", "problem"),
    [
        ({"transactionMethod": "\u202eattack!"}, "'8 characters' is not known; give 'WalletPay'"),
        ({"transactionMethod": CRYPTOGRAM}, "transactionMethod"),
        ({"cryptogram": "almost-a-cryptogram"}, "is not what the wallet gives for a tokenized card"),
        ({"cryptogram": VISA}, "has the form of a card number"),
        ({"eciIndicator": "secret"}, "is not what the wallet gives for a tokenized card"),
        ({"transactionAccountId": VISA}, "has the form of a card number"),
        ({"code": "1"}, "stands beside a field of a success"),
        ({"card": [{"cardNumber": VISA}]}, "is card data"),
        *(({name: "123"}, "is card data") for name in ("cvv", "CVC2", "security_code", "pan")),
    ],
)
def test_a_result_that_is_refused_names_fields_and_never_their_values(
    customer: Customer, sheet: tuple[PaymentOrder, str], spoilt: dict[str, Any], problem: str
) -> None:
    order, reference = sheet
    with refused("fields_invalid", says=problem) as error:
        customer.post(order, detail_for(reference, **spoilt))
    for value in ("attack", CRYPTOGRAM, "almost-a", "secret", VISA):
        assert value not in str(error.value).replace("is card data", "")
    assert (customer.gateway.sent, WalletAttempt.objects.latest("pk").results_count) == ([], 0)


@every("detail", [None, [], "text", {1: "a"}, {}])
def test_what_is_no_result_is_refused(
    customer: Customer, sheet: tuple[PaymentOrder, str], detail: object
) -> None:
    with refused("fields_invalid"):
        customer.post(sheet[0], detail)


def test_a_long_failure_of_several_lines_is_kept_as_one_short_line(
    customer: Customer, sheet: tuple[PaymentOrder, str]
) -> None:
    faults = "\n".join(f"itemDetails[{n}].unitAmount is missing" for n in range(30))
    message = {"message": f"SchemaValidationError:\n{faults}"}
    report = told(customer, sheet[0], {"code": "4107940", "details": message})
    assert report.startswith("4107940 SchemaValidationError: itemDetails[0].unitAmount is missing ")
    assert (len(report), report.isprintable()) == (300, True)


def test_a_phone_number_that_the_sheet_gave_is_on_the_receipt_with_its_address(customer: Customer) -> None:
    address = ADDRESS | {"phoneNumber": "+49 151 00000079"}
    payment = customer.pay(
        customer.order(), billingAddress=address, shippingAddress=address, email="ada@x.example"
    )
    receipt = payments.wallet.receipt(payment.order)
    assert receipt is not None
    assert receipt.billing_address == receipt.shipping_address == address
    assert (receipt.email, receipt.card_brand, receipt.is_tokenized) == ("ada@x.example", "Visa", True)


# Choices on the sheet


def test_of_an_address_only_the_region_is_kept_and_no_secret(customer: Customer, hooks: Hooks) -> None:
    customer.configure(PRICING=PRICING)
    order = customer.order()
    reference = customer.open(order).reference

    def choose(**chosen: Any) -> dict[str, Any]:
        payments.wallet.price_sheet(order, reference=reference, session=customer.session, **chosen)
        price: dict[str, Any] = WalletAttempt.objects.get().price
        return price

    parts = {"name": "Ada", "address1": "Street 1", "postalCode": "1" * 255, "locality": VISA}
    address = choose(shipping_address=parts | ADDRESS)["address"]
    assert address == {"countryCode": "DE", "postalCode": "1" * 255, "locality": "***1111"}
    assert choose(shipping_option="shipping_option_unselected")["option"] == "std"
    assert choose(offers=[f"code {VISA}", CRYPTOGRAM])["offers"] == ["code ***1111", "[removed]"]
    for wrong in (
        {"shipping_option": VISA},
        {"shipping_address": {"countryCode": "ZZ"}},
        {"offers": ["x"] * 11},
    ):
        with refused("fields_invalid") as error:
            choose(**wrong)
        assert VISA not in str(error.value)


# What a browser reports: kept tame, kept short, and believed by nobody


@every(
    ("said", "kept"),
    [
        ("plain", "plain"),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("card 4111111111111111 declined", "card ***1111 declined"),
        (f"could not use {CRYPTOGRAM}, 05", "could not use [removed], 05"),
        ("a\0b", ""),
        ("x" * 9999, "x" * 300),
    ],
)
def test_a_browsers_words_are_kept_tame(
    customer: Customer, sheet: tuple[PaymentOrder, str], said: str, kept: str
) -> None:
    customer.report(*sheet, message=said)
    assert WalletAttempt.objects.latest("pk").events[-1]["detail"] == kept


def test_the_first_twenty_events_are_kept_in_order_and_change_nothing(
    customer: Customer, sheet: tuple[PaymentOrder, str]
) -> None:
    order, reference = sheet
    for event in ("READY", "CLOSED", "READY", "CLOSED", "UNAVAILABLE", "UNAVAILABLE"):
        # A page that is loaded again says the same once.
        customer.report(order, reference, event, "")
    for number in range(MOST_EVENTS):
        customer.report(order, reference, message=f"fault {number}")
    events = WalletAttempt.objects.get().events
    assert [one["event"] for one in events[:5]] == ["READY", "CLOSED", "CLOSED", "UNAVAILABLE", "ERROR"]
    assert (len(events), events[-1]["detail"]) == (MOST_EVENTS, f"fault {MOST_EVENTS - 5}")
    assert PaymentOrder.objects.get().state == "OPEN"
    with refused("argument_invalid", says="READY"):
        customer.report(order, reference, "BOUGHT")
