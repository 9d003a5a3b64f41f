"""What card the gateway says it is, and what it owes before it is charged: nothing, or 3-D Secure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder
from tests.operations.journal import sent, times_sent
from tests.operations.wallet_customer import CARD, TOKEN, Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    GatewayTransaction,
    PaymentOrder,
)
from wallet_gateway.operations.errors import CardRefused
from wallet_gateway.operations.wallet.hooks import (
    AuthenticationQuestion,
)
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


# The account


def test_a_card_that_the_gateway_does_not_know_is_refused_and_not_asked_about_again(
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    caplog: pytest.LogCaptureFixture,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order)) | {"transactionAccountId": "no-such-account"}
    with refuses(CardRefused, ErrorCode.CARD_REFUSED, says="does not know this card"):
        customer.post(order, detail)
    assert times_sent(wallet_sandbox, "get_payment_account") == 1
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get().is_payable
    # The gateway's answer repeats what the browser gave as an account.
    assert "knows no account" in caplog.text
    assert "no-such-account" not in caplog.text


# The shop's own 3-D Secure

PROOF = {
    "version": "2.2.0",
    "eci": "05",
    "authenticationValue": "AAECAwQFBgcICQoLDA0ODxAREhM=",
    "dsTransactionId": "5a0b51c8-8c4e-4d6a-9d7c-0c3d3c1b9f11",
    "transactionStatus": "Y",
}


def test_the_shops_own_three_d_secure_is_asked_and_its_result_is_sent(
    make_context: MakeContext, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    asked: list[AuthenticationQuestion] = []

    def authenticate(question: AuthenticationQuestion) -> dict[str, object]:
        asked.append(question)
        return dict(PROOF)

    payment = replace(customer, context=make_context(authenticate=authenticate)).pay(make_order(), CARD)

    assert payment.opening.state == S.APPROVED
    (question,) = asked
    assert (question.reference, question.amount.to_wire()) == (payment.reference, "20.00")
    assert question.card_network == "VISA"
    (body,) = sent(wallet_sandbox)
    assert body["threeDSecure"]["transactionStatus"] == "Y"
    assert "redirectDetails" not in body


BAD_PROOFS: list[Any] = [
    None,
    {},
    {"transactionStatus": "Y"},
    PROOF | {"transactionStatus": "N"},
    PROOF | {"transactionStatus": "R"},
    PROOF | {"transactionStatus": "C"},
    PROOF | {"transactionStatus": "U", "eci": "07"},
    PROOF | {"eci": "02"},
    PROOF | {"authenticationValue": "short"},
    {name: value for name, value in PROOF.items() if name != "authenticationValue"},
]


@pytest.mark.parametrize("answer", BAD_PROOFS)
def test_a_card_without_enough_three_d_secure_is_never_sent(
    answer: Any,  # noqa: ANN401
    make_context: MakeContext,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    shop = make_context(authenticate=lambda question: answer)
    with pytest.raises(CardRefused):
        replace(customer, context=shop).pay(order, CARD)
    assert not sent(wallet_sandbox)
    assert not GatewayTransaction.objects.exclude(state=S.AWAITING_RESULT).exists()
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


def test_a_token_is_never_asked_for_three_d_secure(
    make_context: MakeContext, customer: Customer, make_order: MakeOrder
) -> None:
    def fail(question: AuthenticationQuestion) -> None:
        pytest.fail("a token owes nothing")

    assert replace(customer, context=make_context(authenticate=fail)).pay(make_order()).opening.state == (
        S.APPROVED
    )


@pytest.mark.parametrize(("method", "forged"), [(TOKEN, None), (CARD, "AAECAwQFBgcICQoLDA0ODxAREhM=")])
def test_the_account_decides_what_kind_of_card_it_is_and_not_the_page(
    method: str,
    forged: str | None,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order), method)
    detail.pop("cryptogram", None)
    if forged:
        detail["cryptogram"] = forged
    with pytest.raises(CardRefused):
        customer.post(order, detail)
    assert not sent(wallet_sandbox)


def test_a_network_that_the_settings_leave_out_is_refused(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    assert customer.context.wallet is not None
    only_visa = replace(customer.context, wallet=replace(customer.context.wallet, card_networks=("VISA",)))
    with refuses(CardRefused, ErrorCode.CARD_REFUSED, says="this network"):
        replace(customer, context=only_visa).pay(make_order(), network="AMEX")
    assert not sent(wallet_sandbox)
