"""A wallet's card as the gateway describes it, what it owes before it is charged, and what is sent of it."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, cast

import pytest

from tests.money.wallet.customers import CARD, CRYPTOGRAM, TOKEN, Customer, detail_for, refused
from tests.money.wallet.hooks import AUTHENTICATOR, Hooks
from tests.support.gateway import Answer, losing
from tests.support.shop import SESSION
from tests.support.tables import every
from wallet_gateway import gateways
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.payments.wallet import AuthenticationQuestion
from wallet_gateway.protocol.authorizations import ThreeDSecure
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db
PROOF = {
    "version": "2.2.0",
    "eci": "05",
    "authenticationValue": CRYPTOGRAM,
    "dsTransactionId": "5a0b51c8-8c4e-4d6a-9d7c-0c3d3c1b9f11",
    "transactionStatus": "Y",
}
PLAIN = {"cryptogram": None, "eciIndicator": None}
"""What a result of a plain card leaves out."""


# The request


@pytest.mark.parametrize(
    ("given", "wire_type", "states", "told"),
    [
        ({}, "ecom.sale", ("PAID", 3000), "PAID"),
        ({"type": "preauthorization"}, "ecom.preauthorization", ("AUTHORIZED", 0), "AUTHORIZED"),
    ],
)
def test_a_token_pays_at_once_with_its_cryptogram_and_our_own_amount(
    given: dict[str, str], wire_type: str, states: tuple[str, int], told: str, customer: Customer
) -> None:
    order = customer.order(**given)
    payment = customer.pay(order)
    assert (payment.order.state, payment.captured, payment.authorized) == (*states, 3000)
    payment.refresh_from_db()
    assert (payment.card_type, payment.card_network, payment.card_last_four) == ("Token", "VISA", "1111")
    assert customer.gateway.sent == [
        {
            "merchantId": "SANDBOX-MERCHANT",
            "storeId": "SANDBOX-STORE",
            "userId": "sandbox-user",
            "type": wire_type,
            "amount": "30.00",
            "currencyCode": "EUR",
            "clientSystemTransactionId": payment.reference,
            "transactionAccountId": f"A-{payment.reference}",
            "transactionMethod": "WalletPay",
            "cryptogram": CRYPTOGRAM,
            "eciIndicator": "05",
        }
    ]
    assert list(OutboxEvent.objects.values_list("kind", flat=True)) == [told]


def unsigned(urls: object) -> str:
    """Return addresses without the second at which they were signed, and the signature."""
    return re.sub(r":[\w-]{6}:[\w-]{43}:", ":", repr(sorted(cast(dict[str, str], urls).items())))


def test_a_plain_card_is_sent_with_the_ways_back_from_three_d_secure(customer: Customer) -> None:
    customer.gateway.account = CARD
    payment = customer.pay(customer.order(), **PLAIN)
    (sent,) = customer.gateway.sent
    assert unsigned(sent["redirectDetails"]) == unsigned(gateways.return_urls(payment.reference).to_wire())
    assert not sent.keys() & {"cryptogram", "eciIndicator", "threeDSecure"}
    (asked,) = customer.gateway.looked_up
    assert asked == {
        "account": f"A-{payment.reference}",
        "key": "api-key-1",
        "encryptionKeyId": "encryption-key-1",
        "merchantId": "SANDBOX-MERCHANT",
        "storeId": "SANDBOX-STORE",
    }


# The gateway's answer about a card


@every(
    ("account", "network", "last_four"),
    [
        ({"cardNetwork": " visa "}, "VISA", "1111"),
        ({"cardNetwork": None}, "", "1111"),
        ({"maskedAccountNumber": "4111 11** **** 9876"}, "VISA", "9876"),
        ({"maskedAccountNumber": "**12"}, "VISA", "12"),
        ({"maskedAccountNumber": None}, "VISA", ""),
        ({"maskedAccountNumber": "****12\u066334"}, "VISA", "1234"),
        ({"maskedAccountNumber": "****12\u00b234"}, "VISA", "1234"),
    ],
)
def test_a_card_is_kept_as_network_and_last_four_digits(
    customer: Customer, account: dict[str, Any], network: str, last_four: str
) -> None:
    customer.gateway.account = TOKEN | account
    payment = customer.pay(customer.order())
    assert (payment.card_network, payment.card_last_four) == (network, last_four)


def other_card(_: object) -> tuple[int, object]:
    return 200, TOKEN | {"transactionAccountId": "A-OTHER"}


def echoing(status: int) -> Answer:
    return lambda asked: (
        status,
        {"code": "1", "details": {"message": f"no {asked['account']} {CRYPTOGRAM}"}},
    )


@pytest.mark.parametrize(
    ("answers", "code", "says"),
    [
        ([other_card], "try_again", "another card"),
        ([echoing(404)], "card_refused", "does not know this card"),
        ([echoing(400)], "try_again", "did not say which card"),
        ([lambda _: (200, {"state": "Approved"})], "try_again", "did not say which card"),
        ([losing] * 4, "try_again", "did not say which card"),
    ],
)
def test_while_the_gateway_does_not_say_which_card_it_is_nothing_is_charged(
    answers: list[Answer], code: str, says: str, customer: Customer, caplog: pytest.LogCaptureFixture
) -> None:
    order = customer.order()
    customer.gateway.cards = list(answers)
    detail = detail_for(customer.open(order).reference, transactionAccountId="no-such-account")
    with refused(code, says=says) as error:
        customer.post(order, detail)
    assert (len(customer.gateway.looked_up), customer.gateway.sent) == (len(answers), [])
    assert PaymentOrder.objects.get().is_payable
    # The gateway's answer repeats what the browser gave as an account, and its frames contain the request.
    assert (error.value.__cause__, error.value.__suppress_context__) == (None, "another" not in says)
    assert detail["clientSystemTransactionId"] in caplog.text
    assert CRYPTOGRAM not in caplog.text
    if code == "card_refused":
        assert "no-such-account" not in caplog.text
    assert customer.post(order, detail).order.state == "PAID"


# What a card owes


@pytest.mark.parametrize(
    ("account", "changes", "says"),
    [
        (CARD | {"cardNetwork": "AMEX"}, PLAIN, "this network"),
        (TOKEN, PLAIN, "is missing"),
        (CARD, {}, "came with a cryptogram"),
    ],
)
def test_the_account_decides_what_kind_of_card_it_is_and_not_the_page(
    account: dict[str, Any], changes: dict[str, Any], says: str, customer: Customer
) -> None:
    customer.configure(CARDS={"NETWORKS": ["VISA"]})
    customer.gateway.account = account
    with refused("card_refused", says=says):
        customer.pay(customer.order(), **changes)
    assert customer.gateway.sent == []
    customer.gateway.account = TOKEN | {"cardNetwork": None}
    assert customer.pay(PaymentOrder.objects.get()).order.state == "PAID", "a network that is not named"


def test_without_a_wallet_in_the_settings_no_card_is_charged(customer: Customer) -> None:
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    customer.without_wallet()
    with refused("card_refused", says="this network"):
        customer.post(order, detail)
    assert customer.gateway.sent == []


# The shop's own 3-D Secure


@pytest.fixture
def owing(customer: Customer, hooks: Hooks) -> Customer:
    """A customer with a plain card, in a shop with its own 3-D Secure."""
    customer.configure(THREE_D_SECURE=AUTHENTICATOR)
    customer.gateway.account = CARD
    return customer


@pytest.mark.parametrize("is_read", [True, False])
def test_the_shops_three_d_secure_is_asked_about_this_card_and_sent(
    is_read: bool, owing: Customer, hooks: Hooks
) -> None:
    asked: list[AuthenticationQuestion] = []

    def authenticate(question: AuthenticationQuestion) -> object:
        asked.append(question)
        return ThreeDSecure.from_wire(PROOF) if is_read else PROOF

    hooks.authenticate = authenticate
    order = owing.order()
    payment = owing.pay(order, **PLAIN)
    (sent,) = owing.gateway.sent
    assert sent["threeDSecure"] == PROOF
    assert not sent.keys() & {"redirectDetails", "cryptogram"}
    assert asked == [
        AuthenticationQuestion(
            order=order,
            reference=payment.reference,
            account_id=f"A-{payment.reference}",
            amount=Money.from_minor_units(3000, "EUR"),
            card_network="VISA",
            card_last_four="1111",
        )
    ]
    assert f"A-{payment.reference}" not in repr(asked)


def test_a_token_is_never_asked_for_three_d_secure(owing: Customer, hooks: Hooks) -> None:
    hooks.authenticate = lambda _: pytest.fail("a token owes nothing")
    owing.gateway.account = TOKEN
    assert owing.pay(owing.order()).order.state == "PAID"


BAD_PROOFS: list[tuple[Any, dict[str, Any]]] = [
    (None, {}),
    ({"eci": 5}, {"fields": "eci, transactionStatus, version"}),
    (PROOF | {"transactionStatus": "N"}, {"status": "N"}),
    (PROOF | {"transactionStatus": "U", "eci": "07"}, {"status": "U", "eci": "07", "network": "VISA"}),
    (PROOF | {"eci": "02"}, {"status": "Y", "eci": "02"}),
    (PROOF | {"authenticationValue": "short"}, {"fields": "authenticationValue"}),
]


def _given(answer: object, _: AuthenticationQuestion) -> object:
    return answer


def test_a_card_without_enough_three_d_secure_is_never_sent(owing: Customer, hooks: Hooks) -> None:
    order = owing.order()
    for answer, params in BAD_PROOFS:
        hooks.authenticate = partial(_given, answer)
        with refused("three_ds_failed", **params):
            # Each in a browser of its own: one reference takes five results.
            owing.elsewhere(f"{SESSION}-{answer}").pay(order, **PLAIN)
    assert owing.gateway.sent == []
    assert not GatewayTransaction.objects.exclude(state="AWAITING_RESULT").exists()
    assert PaymentOrder.objects.get().is_payable


def test_a_shop_may_take_the_risk_of_a_card_without_proof(owing: Customer, hooks: Hooks) -> None:
    owing.configure(THREE_D_SECURE=AUTHENTICATOR, ACCEPT_UNAUTHENTICATED=True)
    hooks.authenticate = lambda _: PROOF | {"transactionStatus": "U", "eci": "07"}
    owing.pay(owing.order(), **PLAIN)
    assert owing.gateway.sent[0]["threeDSecure"]["transactionStatus"] == "U"
