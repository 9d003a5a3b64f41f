"""What is recorded of a call to the gateway: no personal data, no secret, and what an observer is told."""

from __future__ import annotations

import json

import pytest

from tests.client.calls import (
    ACCOUNT,
    API_KEY,
    AUTHORIZATION,
    CALLS,
    CAPTURE,
    CHECKOUT,
    CRYPTOGRAM,
    ENCRYPTION_KEY,
    ERROR,
    PAGE,
    PAYMENT_ACCOUNT,
    RECORDS,
    Call,
)
from tests.client.wires import Wire, gateway, wire
from tests.processor_time import BIG, LARGE, grows_too_fast
from tests.protocol.samples import cryptogram_of
from tests.tables import every
from wallet_gateway.client.calls import CallOutcome, CallRecord
from wallet_gateway.client.errors import (
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import Exchange
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest

# What is recorded


def _recorded(call: Call, body: bytes, status: int = 200) -> Exchange:
    try:
        return call(gateway(wire(body, status=status))).exchange
    except GatewayError as error:
        return error.exchange or pytest.fail("an error without its exchange")


def test_an_exchange_tells_what_was_asked_and_answered_without_personal_data() -> None:
    exchange = _recorded(CALLS["checkout"][0], PAGE)
    assert (exchange.method, exchange.url_path) == ("POST", "/api/v5/checkout")
    asked = json.loads(exchange.request_body)
    assert asked["clientSystemTransactionId"] == "order-1"
    assert asked["amount"] == "10.00"
    assert asked["checkoutDetails"]["cardholderEmail"] == "j***@mail.example"
    assert asked["redirectDetails"]["successUrl"] == "https://shop.example/***"
    assert json.loads(exchange.answer_body) == {"RedirectUrl": "https://gateway.example/***"}


@every("status", [200, 400, 500])
@every(
    "body",
    [
        RECORDS,
        b'{"cardholderEmail": "jane.doe@mail.example"',
        b"<p>jane.doe@mail.example</p>",
        b'{"code": "1", "details": {"message": "no mail to jane.doe@mail.example"}}',
    ],
    ids=["records", "cut off", "html", "error"],
)
def test_no_exchange_holds_personal_data_whatever_came_back(body: bytes, status: int) -> None:
    exchange = _recorded(CALLS["status"][0], body, status)
    assert "jane" not in repr(exchange)
    assert "j***@mail.example" in exchange.answer_body


@pytest.mark.parametrize("halves", [("a", "b"), ("a.", "b."), ("4 ", "4 ")], ids=repr)
def test_no_words_of_a_customer_and_no_answer_make_a_call_take_more_than_linear_time(
    halves: tuple[str, str],
) -> None:
    def words(size: int) -> str:
        return "@".join(half * (size // 2 // len(half)) for half in halves)

    def engraved(text: str) -> None:
        item = {"product_id": "1", "product_name": "Ring", "product_description": text}
        line = item | {"product_quantity": 1, "unit_amount": "10.00", "total_amount": "10.00"}
        cart = {"shopping_cart_details": {"item_details": [line]}}
        gateway(wire(PAGE)).checkout(CheckoutRequest.build(**{**dict(CHECKOUT), **cart}))

    def answered(text: str) -> None:
        # Nine of ten of its characters: an answer of more than a mebibyte is not read.
        body = f'{{"code": "1", "details": {{"message": "{text[: len(text) * 9 // 10]}"}}}}'
        with pytest.raises(Refused):
            gateway(wire(body.encode(), status=400)).checkout(CHECKOUT)

    assert not grows_too_fast(engraved, words, LARGE, BIG)
    assert not grows_too_fast(answered, words, LARGE, BIG)


def test_a_query_is_not_recorded_for_it_is_part_of_a_url() -> None:
    exchange = _recorded(CALLS["status"][0], RECORDS)
    assert (exchange.url_path, exchange.request_body) == ("/api/v5/apmTransactions", "")


@pytest.mark.parametrize("call", [CALLS["checkout"][0], CALLS["status"][0]], ids=["checkout", "status"])
def test_an_answer_hides_its_message_in_repr(call: Call) -> None:
    good = PAGE if call is CALLS["checkout"][0] else RECORDS
    assert "jane.doe" not in repr(call(gateway(wire(good))))


SECRETS = (API_KEY, ENCRYPTION_KEY, CRYPTOGRAM, "account-4711")


@every("name", ["public_key", "payment_account", "authorize"])
@every("status", [200, 400, 500])
def test_no_exchange_no_error_and_no_repr_holds_a_secret_of_the_wallet(name: str, status: int) -> None:
    call, good = CALLS[name]
    exchange = _recorded(call, good, status)
    transport = wire(good, status=status)
    try:
        said = repr(call(gateway(transport)))
    except GatewayError as error:
        said = repr(error) + str(error) + repr(error.exchange)
    for secret in SECRETS:
        assert secret not in repr(exchange)
        assert secret not in said


REPEATED = [
    (400, '{"code": "4400020", "details": {"message": "odd: %s"}}'),
    (400, '{"code": "odd-%s", "details": {"message": "no"}}'),
    (200, '{"id": "g-1", "state": "Approved", "currencyCode": "EUR", "memo": "%s"}'),
    (200, '{"id": "g-1", "state": "%s", "currencyCode": "EUR"}'),
    (200, '{"id": "%s", "state": "Approved", "amount": "%s"}'),
    (200, '{"state": ["%s"]}'),
    (502, "<h1>odd: %s</h1>"),
    (200, '{"%s": 1, "state": "Approved", '),
]


@every(("status", "body"), REPEATED)
@every("length", [16, 19, 20, 24, 28, 32, 64])
def test_a_gateway_that_repeats_a_cryptogram_in_any_place_leaves_no_trace_of_it(
    status: int, body: str, length: int
) -> None:
    secret = cryptogram_of(length)
    request = AuthorizationRequest.build(**{**dict(AUTHORIZATION), "cryptogram": secret})
    for spelling in (secret, secret.replace("/", "\\/").replace("+", "\\u002b").replace("=", "\\u003d")):
        transport = wire(body.replace("%s", spelling).encode(), status=status)
        try:
            answer = gateway(transport).authorize(request, api_key=API_KEY)
            left = repr(answer.message.to_wire()) + repr(answer.exchange) + answer.exchange.answer_body
        except GatewayError as error:
            left = repr(vars(error)) + str(error) + (error.exchange.answer_body if error.exchange else "")
        assert secret.rstrip("=") not in left
        assert spelling not in left


def test_an_account_is_recorded_by_the_shape_of_its_address() -> None:
    exchange = _recorded(CALLS["payment_account"][0], PAYMENT_ACCOUNT)
    assert exchange.url_path == "/api/v5/paymentAccounts/{transactionAccountId}"


# What an observer is told


NAMES = {"follow_up": "capture", "payment_account": "get_payment_account", "authorize": "authorization"}


def watched(transport: Wire) -> tuple[Gateway, list[CallRecord]]:
    told: list[CallRecord] = []
    return Gateway(account=ACCOUNT, transport=transport, observer=told.append), told


@every("name", CALLS)
def test_an_observer_is_told_of_a_call_by_the_name_of_the_interface(name: str) -> None:
    call, good = CALLS[name]
    speaking, told = watched(wire(good))
    call(speaking)
    (ended,) = told
    assert (ended.operation, ended.outcome) == (NAMES.get(name, name), CallOutcome.ANSWERED)
    assert (ended.http_status, ended.elapsed_seconds) == (200, 0.25)
    assert "account-4711" not in repr(ended)


@pytest.mark.parametrize(
    ("transport", "outcome", "status"),
    [
        (Wire(NotSent(NotSentReason.DNS)), CallOutcome.NOT_SENT, None),
        (Wire(OutcomeUnknown(UnknownReason.TIMEOUT)), CallOutcome.UNKNOWN, None),
        (wire(ERROR, status=422), CallOutcome.REFUSED, 422),
        (wire(b"<html>", status=200), CallOutcome.UNKNOWN, 200),
    ],
    ids=["not-sent", "unknown", "refused", "unreadable"],
)
def test_an_observer_is_told_once_of_a_call_that_failed(
    transport: Wire, outcome: CallOutcome, status: int | None
) -> None:
    speaking, told = watched(transport)
    with pytest.raises(GatewayError):
        speaking.follow_up(CAPTURE)
    assert [(ended.operation, ended.outcome, ended.http_status) for ended in told] == [
        ("capture", outcome, status)
    ]
