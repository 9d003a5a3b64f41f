"""A wallet's card as the gateway describes it, and the request that charges it, to the last field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.models.rows import a_payment, a_transaction, a_wallet_attempt, an_order
from tests.operations.dying import Scripted, scripted
from tests.operations.wallet.test_card import PROOF
from tests.refusals import refuses
from tests.tables import every
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, WalletKey, WalletUsage
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import CardRefused, TryAgain
from wallet_gateway.operations.merchant_accounts import account_fingerprint
from wallet_gateway.operations.wallet.card import Card, look_up, request_for
from wallet_gateway.operations.wallet.encryption import UnreadableSecret
from wallet_gateway.operations.wallet.hooks import AuthenticationQuestion
from wallet_gateway.operations.wallet.keys import PublicKey
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.accounts import PaymentAccount, WalletResult
from wallet_gateway.protocol.authorizations import ThreeDSecure
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState
CRYPTOGRAM = "AAECAwQFBgcICQoLDA0ODxAREhM="
VISA = {"cardType": "Card", "cardNetwork": "visa", "maskedAccountNumber": "************1111"}
TOKEN = VISA | {"cardType": "Token"}
Body = dict[str, Any]


def result(**changes: Any) -> WalletResult:
    wire = {"clientSystemTransactionId": "REF-1", "transactionAccountId": "ACC-1"}
    return WalletResult.from_wire(wire | changes)


def card_of(account: Body, **changes: Any) -> Card:
    key = PublicKey(row=WalletKey(), api_key="api", encryption_key="encryption")
    return Card(result=result(**changes), account=PaymentAccount.from_wire(account), key=key)


@pytest.fixture
def transaction(context: GatewayContext) -> GatewayTransaction:
    """A wallet's button on a page, whose sheet came to 21.00, with the gateway's keys."""
    payment = a_payment(an_order(type="preauthorization"), state="OFFERED")
    made = {"reference": payment.reference, "amount_minor": 2100, "state": S.AWAITING_RESULT}
    row = a_transaction(payment, kind=TransactionKind.AUTHORIZATION, **made)
    attempt = a_wallet_attempt(row)
    attempt.price = {"total": 2100}
    attempt.save()
    WalletUsage.objects.create(order=payment.order, attempts=1, sessions=1)
    cipher = context.cipher
    assert cipher is not None
    sealed = {"api_key": cipher.seal("api"), "encryption_key": cipher.seal("encryption")}
    WalletKey.objects.update(account=account_fingerprint(context), **sealed)
    return GatewayTransaction.objects.select_related("payment__order").get(pk=row.pk)


# The card


@every(("network", "shown"), [("Visa", "VISA"), (" visa ", "VISA"), (None, ""), ("", "")])
def test_a_network_is_named_in_capitals(network: str | None, shown: str) -> None:
    assert card_of(VISA | {"cardNetwork": network}).network == shown


@every(
    ("masked", "last_four"),
    [
        ("************1234", "1234"),
        ("4111 11** **** 9876", "9876"),
        ("**12", "12"),
        ("", ""),
        (None, ""),
        ("****12\u066334", "1234"),
        ("****12\u00b234", "1234"),
    ],
)
def test_the_last_four_digits_are_those_of_the_masked_number(masked: str | None, last_four: str) -> None:
    assert card_of(VISA | {"maskedAccountNumber": masked}).last_four == last_four


# Asking for it


def asking(transaction: GatewayTransaction, context: GatewayContext, body: object, status: int = 200) -> Card:
    return look_up(transaction, result(), scripted(context, strict_json.dumps(body), status=status))


@pytest.mark.parametrize("named", [{"transactionAccountId": "ACC-1"}, {}])
def test_the_card_is_the_one_of_the_account_that_the_page_names(
    named: Body, transaction: GatewayTransaction, context: GatewayContext
) -> None:
    seen: list[dict[str, Any]] = []

    class Noted(Scripted):
        def send(self, method: str, path: str, **given: Any) -> RawAnswer:
            seen.append({"path": path, **given})
            return super().send(method, path, **given)

    transport = Noted(strict_json.dumps(VISA | named))
    asked = replace(context, gateway=Gateway(account=context.gateway.account, transport=transport))
    card = look_up(transaction, result(), asked)
    assert (card.network, card.last_four, card.key.api_key) == ("VISA", "1111", "api")
    (call,) = seen
    assert "ACC-1" in call["path"]
    assert "encryption" in call["query"].values()
    assert "api" in str(call["headers"])


def test_an_account_that_the_gateway_mixes_up_charges_nothing(
    transaction: GatewayTransaction, context: GatewayContext
) -> None:
    with refuses(TryAgain, ErrorCode.TRY_AGAIN, says="another card"):
        asking(transaction, context, VISA | {"transactionAccountId": "ACC-2"})


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [(404, CardRefused, ErrorCode.CARD_REFUSED), (400, TryAgain, ErrorCode.TRY_AGAIN)],
)
def test_a_refused_query_says_whether_there_is_no_such_card_and_never_whose(
    status: int,
    kind: type[CardRefused | TryAgain],
    code: ErrorCode,
    transaction: GatewayTransaction,
    context: GatewayContext,
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = {"code": "1", "details": {"message": f"no account {CRYPTOGRAM}"}}
    with refuses(kind, code) as refused:
        asking(transaction, context, error, status)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    assert CRYPTOGRAM not in caplog.text
    assert transaction.reference in caplog.text


def test_an_unreadable_answer_is_no_card(transaction: GatewayTransaction, context: GatewayContext) -> None:
    with refuses(TryAgain, ErrorCode.TRY_AGAIN):
        asking(transaction, context, {"state": "Approved"})


def test_keys_that_cannot_be_read_are_no_keys(
    transaction: GatewayTransaction, context: GatewayContext
) -> None:
    WalletKey.objects.update(api_key=b"of a key that is gone")
    with refuses(UnreadableSecret, ErrorCode.WALLET_UNAVAILABLE):
        asking(transaction, context, VISA)


# The request


@pytest.fixture
def request_of(transaction: GatewayTransaction, context: GatewayContext) -> Callable[..., Body]:
    def build(card: Card, shop: GatewayContext = context) -> Body:
        assert transaction.payment is not None
        built = request_for(transaction.payment.order, transaction, card, shop, return_urls)
        return {name: value for name, value in built.to_wire().items() if value is not None}

    return build


def test_a_request_names_the_account_and_the_price_of_the_sheet(
    request_of: Callable[..., Body], transaction: GatewayTransaction, context: GatewayContext
) -> None:
    account = context.gateway.account
    common = {
        "merchantId": account.merchant_id,
        "storeId": account.store_id,
        "userId": account.user_id,
        "type": wire_type(TransactionKind.AUTHORIZATION, PaymentType.PREAUTHORIZATION),
        "amount": "21.00",
        "currencyCode": "EUR",
        "clientSystemTransactionId": transaction.reference,
        "transactionAccountId": "ACC-1",
        "transactionMethod": "WalletPay",
    }
    secrets = {"cryptogram": CRYPTOGRAM, "eciIndicator": "05"}
    assert request_of(card_of(TOKEN, **secrets)) == common | secrets
    urls = return_urls(transaction.reference).to_wire()
    assert request_of(card_of(VISA)) == common | {"redirectDetails": urls}


@pytest.mark.parametrize(
    ("card", "code"),
    [
        (card_of(VISA | {"cardNetwork": "AMEX"}), ErrorCode.CARD_REFUSED),
        (card_of(TOKEN), ErrorCode.CARD_REFUSED),
        (card_of(VISA, cryptogram=CRYPTOGRAM), ErrorCode.CARD_REFUSED),
    ],
    ids=["network", "missing", "unexpected"],
)
def test_a_card_that_is_not_as_the_sheet_offered_it_is_refused(
    card: Card, code: ErrorCode, request_of: Callable[..., Body], context: GatewayContext
) -> None:
    assert context.wallet is not None
    shop = replace(context, wallet=replace(context.wallet, card_networks=("VISA",)))
    with refuses(CardRefused, code):
        request_of(card, shop)
    assert "redirectDetails" in request_of(card_of(VISA), shop)
    assert "redirectDetails" in request_of(card_of(VISA | {"cardNetwork": None}), shop), "not named"


def test_without_a_wallet_in_the_settings_no_card_is_charged(
    request_of: Callable[..., Body], context: GatewayContext
) -> None:
    with refuses(CardRefused, ErrorCode.CARD_REFUSED, says="this network"):
        request_of(card_of(VISA), replace(context, wallet=None))


# The shop's own 3-D Secure


@pytest.mark.parametrize("is_read", [True, False])
def test_the_shops_three_d_secure_is_asked_about_this_card_and_sent(
    is_read: bool,
    request_of: Callable[..., Body],
    transaction: GatewayTransaction,
    context: GatewayContext,
) -> None:
    asked: list[AuthenticationQuestion] = []

    def authenticate(question: AuthenticationQuestion) -> Any:  # noqa: ANN401  either form is taken
        asked.append(question)
        return ThreeDSecure.from_wire(PROOF) if is_read else PROOF

    body = request_of(card_of(VISA), replace(context, authenticate=authenticate))
    assert body["threeDSecure"] == PROOF
    assert not body.keys() & {"redirectDetails", "cryptogram"}
    assert transaction.payment is not None
    assert asked == [
        AuthenticationQuestion(
            order=transaction.payment.order,
            reference=transaction.reference,
            account_id="ACC-1",
            amount=Money.from_minor_units(2100, "EUR"),
            card_network="VISA",
            card_last_four="1111",
        )
    ]


@pytest.mark.parametrize(
    ("answer", "accepts", "code", "params"),
    [
        (None, False, ErrorCode.THREE_DS_FAILED, {}),
        ({"eci": 5}, False, ErrorCode.THREE_DS_FAILED, {"fields": "eci, transactionStatus, version"}),
        (
            PROOF | {"transactionStatus": "U", "eci": "07"},
            False,
            ErrorCode.THREE_DS_FAILED,
            {"status": "U", "eci": "07", "network": "VISA"},
        ),
        (PROOF | {"eci": "02"}, False, ErrorCode.THREE_DS_FAILED, {"status": "Y", "eci": "02"}),
        (PROOF | {"transactionStatus": "U", "eci": "07"}, True, None, {}),
    ],
)
def test_what_is_not_enough_three_d_secure_for_the_shop_charges_nothing(
    answer: Any,  # noqa: ANN401  whatever a shop's function returns
    accepts: bool,
    code: ErrorCode | None,
    params: dict[str, Any],
    request_of: Callable[..., Body],
    context: GatewayContext,
) -> None:
    assert context.wallet is not None
    shop = replace(
        context,
        authenticate=lambda question: answer,
        wallet=replace(context.wallet, accept_unauthenticated=accepts),
    )
    if code is None:
        assert request_of(card_of(VISA), shop)["threeDSecure"]["transactionStatus"] == "U"
        return
    with refuses(CardRefused, code, **params):
        request_of(card_of(VISA), shop)


def test_a_long_name_of_a_network_is_cut_in_an_error(
    request_of: Callable[..., Body], context: GatewayContext
) -> None:
    assert context.wallet is not None
    network = "N" * 30
    wallet = replace(context.wallet, card_networks=(network,))
    shop = replace(context, authenticate=lambda question: PROOF | {"eci": "02"}, wallet=wallet)
    with refuses(CardRefused, ErrorCode.THREE_DS_FAILED, network="N" * 20):
        request_of(card_of(VISA | {"cardNetwork": network}), shop)
