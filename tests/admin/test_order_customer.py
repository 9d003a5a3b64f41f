"""The customer on an order's page: as the shop and the wallet tell, safe to show, and for who may see it."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.admin.conftest import order_url
from tests.admin.scenery import CONTENT, HOSTILE
from tests.models.rows import a_payment, a_transaction, a_wallet_attempt, an_order
from wallet_gateway.admin.order_customer import Customer, customer_of
from wallet_gateway.models import GatewayTransaction, PaymentOrder

pytestmark = pytest.mark.django_db


def told(customer: Customer) -> dict[str, str]:
    return {str(label): text for label, text in customer.facts}


def letters(customer: Customer) -> dict[str, tuple[str, ...]]:
    return {str(address.heading): address.lines for address in customer.addresses}


def paid_by_wallet(order: PaymentOrder, **given: object) -> list[GatewayTransaction]:
    transaction = a_transaction(a_payment(order), kind="AUTHORIZATION", state="APPROVED")
    a_wallet_attempt(transaction, given=given)
    return [transaction]


def test_the_shops_customer_is_shown_as_on_a_letter() -> None:
    customer = customer_of(an_order(content=CONTENT), ())
    assert told(customer) == {
        "Name": "Robin Example",
        "E-mail": "robin.example@mail.example",
        "Mobile phone": "49-15112345678",
        "Customer reference": "CUSTOMER-4711",
    }
    assert letters(customer)["Billing address"] == ("Long Street 12a", "10115 Berlin", "DE")


def test_a_national_identification_number_is_not_shown(superuser: Client) -> None:
    details = {"cardholderNationalIdentificationNumber": "850101-1234", "cardholderLastName": "Example"}
    order = an_order(content={"checkoutDetails": details})
    page = superuser.get(order_url(order)).content.decode()
    assert "Example" in page
    assert "850101-1234" not in page


def test_what_the_wallet_gave_stands_beside_it() -> None:
    order = an_order(content=CONTENT)
    address = {"name": "Sam Other", "address1": "Elm 1", "postalCode": "0150", "locality": "Oslo"}
    rows = paid_by_wallet(order, email="sam@mail.example", shippingAddress=address)
    customer = customer_of(order, rows)
    assert told(customer)["E-mail from the wallet"] == "sam@mail.example"
    assert letters(customer)["Shipping address from the wallet"] == ("Sam Other", "Elm 1", "0150 Oslo")


def test_invisible_characters_and_markup_are_escaped(superuser: Client) -> None:
    order = an_order(content={"checkoutDetails": {"cardholderLastName": HOSTILE}})
    page = superuser.get(order_url(order)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \\u202egnp.exe" in page
    assert "\u202e" not in page


def test_an_order_without_a_customer_and_an_erased_one_say_so(superuser: Client) -> None:
    assert "The shop gave no customer" in superuser.get(order_url(an_order())).content.decode()
    erased = superuser.get(order_url(an_order(content={"erased": True}))).content.decode()
    assert "data were erased" in erased
    assert "The shop gave no customer" not in erased


def test_the_search_finds_nobody_by_name_or_address(operator: Client) -> None:
    an_order(content=CONTENT)
    for word in ("Robin", "robin.example@mail.example", "49-15112345678", "CUSTOMER-4711"):
        listed = operator.get("/admin/wallet_gateway/paymentorder/", {"q": word}).context["cl"].result_list
        assert list(listed) == [], word
