"""The gateway as methods: what each sends, how its answer is read, and what is recorded and told of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from tests.client.calls import (
    ACCOUNT,
    API_KEY,
    AUTHORIZATION,
    CALLS,
    CAPTURE,
    CAPTURED,
    CHECKOUT,
    CRYPTOGRAM,
    DETACHED,
    ENCRYPTION_KEY,
    ERROR,
    PAGE,
    PAYMENT_ACCOUNT,
    RECORDS,
    Call,
)
from tests.client.wires import Wire, gateway, wire
from tests.protocol.samples import cryptogram_of
from tests.support.processor_time import BIG, LARGE, MIDDLE, grows_too_fast
from tests.support.tables import every
from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import (
    Answer,
    CallOutcome,
    CallRecord,
    Exchange,
    MerchantAccount,
    RawAnswer,
)
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.authorizations import AuthorizationRequest
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.errors import InvalidMessage

# What is sent

KEY = {"Authorization": f"PublicApiKey {API_KEY}"}
STORE = {"merchantId": "M-1", "storeId": "S-1"}
IDS = b'{"merchantId":"M-1","storeId":"S-1","userId":"user-1"}'
SENT: dict[str, tuple[str, str, Mapping[str, Any]]] = {
    "checkout": ("POST", "checkout", {"body": CHECKOUT.to_json()}),
    "follow_up": ("POST", "apmTransactions", {"body": CAPTURE.to_json(), "fresh": True}),
    "detached_refund": ("POST", "apmTransactions", {"body": DETACHED.to_json(), "fresh": True}),
    "status": ("GET", "apmTransactions", {"query": {**STORE, "clientSystemTransactionId": "order-1"}}),
    "public_key": ("POST", "publicKeys", {"body": IDS}),
    "payment_account": (
        "GET",
        "paymentAccounts/account-4711",
        {"query": {**STORE, "encryptionKeyId": ENCRYPTION_KEY}, "headers": KEY},
    ),
    "authorize": ("POST", "transactions", {"body": AUTHORIZATION.to_json(), "headers": KEY, "fresh": True}),
}


@every("name", CALLS)
def test_every_call_sends_its_message_once_and_what_moves_money_on_a_fresh_connection(name: str) -> None:
    (call, good), (method, path, others) = CALLS[name], SENT[name]
    transport = wire(good)
    call(gateway(transport))
    nothing = {"query": None, "body": None, "headers": None, "fresh": False, "not_after": None}
    assert transport.given == [{**nothing, "method": method, "path": f"/api/v5/{path}", **others}]


def test_the_end_of_a_claim_reaches_the_transport() -> None:
    transport = Wire(NotSent(NotSentReason.STALE_CLAIM))
    client = gateway(transport)
    for call in (
        lambda: client.checkout(CHECKOUT, not_after=5.0),
        lambda: client.follow_up(CAPTURE, not_after=5.0),
        lambda: client.detached_refund(DETACHED, not_after=5.0),
        lambda: client.authorize(AUTHORIZATION, api_key=API_KEY, not_after=5.0),
    ):
        with pytest.raises(NotSent):
            call()
    assert [sent["not_after"] for sent in transport.given] == [5.0] * 4


def test_an_account_is_quoted_in_a_path_and_what_a_path_would_read_otherwise_is_none() -> None:
    transport = wire(PAYMENT_ACCOUNT)
    keys = {"api_key": API_KEY, "encryption_key": ENCRYPTION_KEY}
    exchange = gateway(transport).payment_account("a=;b:c", **keys).exchange
    assert transport.given[0]["path"] == "/api/v5/paymentAccounts/a%3D%3Bb%3Ac"
    assert exchange.url_path == "/api/v5/paymentAccounts/{transactionAccountId}"
    for account in ("..", "a/../b?c", "a%2Fb", "4111111111111111"):
        with pytest.raises(InvalidMessage, match="transactionAccountId"):
            gateway(transport).payment_account(account, **keys)
    assert len(transport.given) == 1


def test_what_another_path_has_no_place_for_is_sent_as_a_parameter() -> None:
    transport = wire(PAYMENT_ACCOUNT)
    elsewhere = Gateway(account=ACCOUNT, transport=transport, paths={"get_payment_account": "/accounts"})
    elsewhere.payment_account("account-4711", api_key=API_KEY, encryption_key=ENCRYPTION_KEY)
    assert transport.given[0]["path"] == "/accounts"
    asked = {**STORE, "encryptionKeyId": ENCRYPTION_KEY, "transactionAccountId": "account-4711"}
    assert transport.given[0]["query"] == asked
    paths = {"status": "/stores/{storeId}/transactions/{clientSystemTransactionId}"}
    transport = wire(RECORDS)
    Gateway(account=ACCOUNT, transport=transport, paths=paths).status("order-1")
    assert transport.given[0]["path"] == "/stores/S-1/transactions/order-1"
    assert transport.given[0]["query"] == {"merchantId": "M-1"}


def test_an_account_does_not_show_its_user() -> None:
    account = MerchantAccount(merchant_id="M-1", store_id="S-1", user_id="hunter2", provider="W")
    assert "hunter2" not in repr(account)


# How an answer is read

READ: dict[str, dict[str, object]] = {
    "checkout": {"redirect_url": "https://gateway.example/c/token"},
    "follow_up": {"id": "g-1", "state": "Approved"},
    "detached_refund": {"amount": "7.50", "state": "Approved"},
    "public_key": {"api_key": API_KEY, "encryption_key": ENCRYPTION_KEY},
    "payment_account": {"card_type": "Token"},
    "authorize": {"state": "Approved"},
    "status": {},
}


@every("name", CALLS)
def test_every_call_reads_its_answer_and_records_the_exchange(name: str) -> None:
    call, good = CALLS[name]
    said = call(gateway(wire(good)))
    assert {field: getattr(said.message, field) for field in READ[name]} == READ[name]
    exchange = said.exchange
    assert (exchange.http_status, exchange.elapsed_seconds, exchange.sent) == (200, 0.25, True)
    assert json.loads(exchange.answer_body).__class__ is json.loads(good).__class__


FAILURES: list[tuple[RawAnswer | GatewayError, type[GatewayError]]] = [
    *((RawAnswer(status=status, headers={}, body=ERROR, elapsed=0.5), Refused) for status in (200, 400, 404)),
    *(
        (RawAnswer(status=status, headers={}, body=body, elapsed=0.5), kind)
        for status, body, kind in (
            (403, b"<html>blocked</html>", OutcomeUnknown),
            (500, ERROR, OutcomeUnknown),
            (302, b"", OutcomeUnknown),
            (200, b"<html>welcome</html>", BadAnswer),
            (200, b"7", BadAnswer),
            (200, b'{"state": "Approved", "state": "Errored"}', BadAnswer),
        )
    ),
    (NotSent(NotSentReason.DNS, detail="connecting"), NotSent),
    (OutcomeUnknown(UnknownReason.TIMEOUT, detail="waiting for the answer"), OutcomeUnknown),
]


@every(("says", "kind"), FAILURES)
def test_every_call_tells_what_was_not_sent_from_refusals_and_from_silence(
    says: RawAnswer | GatewayError, kind: type[GatewayError]
) -> None:
    for call, _ in CALLS.values():
        transport = Wire(says)
        with pytest.raises(GatewayError) as failure:
            call(gateway(transport))
        assert type(failure.value) is kind
        exchange = failure.value.exchange
        assert exchange is not None
        assert exchange.http_status == (says.status if isinstance(says, RawAnswer) else None)
        assert exchange.sent is (kind is not NotSent)
        assert len(transport.given) == 1


@every(
    ("name", "body", "reason"),
    [
        ("checkout", b'{"redirectUrl": "not a url"}', UnknownReason.WRONG_SHAPE),
        ("checkout", b"[]", UnknownReason.WRONG_SHAPE),
        ("follow_up", b"{}", UnknownReason.WRONG_SHAPE),
        ("detached_refund", b'{"amount": "1.00"}', UnknownReason.WRONG_SHAPE),
        ("status", b"{}", UnknownReason.WRONG_SHAPE),
        ("status", b'{"records": [{"id": "g-1"}]}', UnknownReason.WRONG_SHAPE),
        ("status", b'{"id": "g-1", "ID": "g-1"}', UnknownReason.UNREADABLE),
        ("status", b'[{"id": "g-1"', UnknownReason.UNREADABLE),
        # Only a status answer is read part by part.
        ("follow_up", b'{"state": "Approved", "x": {"a": "1", "A": "2"}}', UnknownReason.UNREADABLE),
    ],
)
def test_a_success_of_another_shape_is_a_bad_answer(name: str, body: bytes, reason: UnknownReason) -> None:
    with pytest.raises(BadAnswer) as failure:
        CALLS[name][0](gateway(wire(body)))
    assert failure.value.reason == reason


@every(
    "spoiled",
    [
        b'{"id": null, "type": "chargeback"}',
        b'{"id": "g-2", "ID": "g-3"}',
        b'{"id": "g-2", "apmDetails": {"apmName": "a", "apmName": "b"}}',
        b'{"id": "\\ud800"}',
        ERROR,
        b'{"id": null, "transactionAmount": "4111111111111111"}',
    ],
)
def test_a_record_that_cannot_be_read_spoils_none_beside_it(spoiled: bytes) -> None:
    said = gateway(wire(RECORDS[:-1] + b", " + spoiled + b"]")).status("order-1")
    ((record,), (unreadable,)) = said.message.records, said.message.unreadable
    assert (record.id, record.type, record.transaction_amount) == ("g-1", "ecom.sale", "10.00")
    assert record.apm_details is not None
    assert unreadable.complaint
    assert "4111111111111111" not in unreadable.complaint
    assert "jane.doe" not in said.exchange.answer_body


# What is recorded


def recorded(call: Call, body: bytes, status: int = 200) -> tuple[Exchange, str]:
    """Return the exchange of a call, and all that its answer or its error shows."""
    try:
        said = call(gateway(wire(body, status=status)))
    except GatewayError as error:
        return error.exchange or pytest.fail("no exchange"), repr(vars(error)) + repr(error) + str(error)
    return said.exchange, repr(said)


def test_an_exchange_tells_what_was_asked_and_answered_without_personal_data() -> None:
    exchange, _ = recorded(CALLS["checkout"][0], PAGE)
    assert (exchange.method, exchange.url_path) == ("POST", "/api/v5/checkout")
    asked = json.loads(exchange.request_body)
    assert asked["clientSystemTransactionId"] == "order-1"
    assert asked["amount"] == "10.00"
    assert asked["checkoutDetails"]["cardholderEmail"] == "j***@mail.example"
    assert asked["redirectDetails"]["successUrl"] == "https://shop.example/***"
    assert json.loads(exchange.answer_body) == {"RedirectUrl": "https://gateway.example/***"}
    # A query is not recorded, for it is part of a URL.
    exchange, _ = recorded(CALLS["status"][0], RECORDS)
    assert (exchange.url_path, exchange.request_body) == ("/api/v5/apmTransactions", "")


@every(
    "body",
    [
        RECORDS,
        b'{"cardholderEmail": "jane.doe@mail.example"',
        b"<p>jane.doe@mail.example</p>",
        b'{"code": "1", "details": {"message": "no mail to jane.doe@mail.example"}}',
    ],
)
def test_no_exchange_and_no_error_holds_personal_data_whatever_came_back(body: bytes) -> None:
    for status in (200, 400, 500):
        exchange, shown = recorded(CALLS["status"][0], body, status)
        assert "jane" not in repr(exchange) + shown
        assert "j***@mail.example" in exchange.answer_body


@every("name", ["public_key", "payment_account", "authorize"])
def test_no_exchange_and_no_error_holds_a_secret_of_the_wallet(name: str) -> None:
    for status in (200, 400, 500):
        exchange, shown = recorded(*CALLS[name], status)
        for secret in (API_KEY, ENCRYPTION_KEY, CRYPTOGRAM, "account-4711"):
            assert secret not in repr(exchange) + shown


@every(
    ("status", "body"),
    [
        (400, '{"code": "4400020", "details": {"message": "odd: %s"}}'),
        (400, '{"code": "odd-%s", "details": {"message": "no"}}'),
        (200, '{"id": "g-1", "state": "Approved", "currencyCode": "EUR", "memo": "%s"}'),
        (200, '{"id": "g-1", "state": "%s", "currencyCode": "EUR"}'),
        (200, '{"id": "%s", "state": "Approved", "amount": "%s"}'),
        (200, '{"state": ["%s"]}'),
        (502, "<h1>odd: %s</h1>"),
        (200, '{"%s": 1, "state": "Approved", '),
    ],
)
@every("length", [16, 20, 64])
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


@every("halves", [("a.", "b."), ("4 ", "4 ")])
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

    assert not grows_too_fast(engraved, words, MIDDLE, LARGE)
    assert not grows_too_fast(answered, words, LARGE, BIG)


@every(
    "value",
    [
        RawAnswer(status=200, headers={"retry-after": "hunter2"}, body=b"hunter2", elapsed=0.25),
        Answer(message="hunter2", exchange=recorded(CALLS["checkout"][0], PAGE)[0]),
    ],
)
def test_what_is_not_redacted_is_not_shown(value: object) -> None:
    assert "hunter2" not in repr(value)


# What an observer is told


def told(call: Call, transport: Wire) -> CallRecord:
    """Make a call, and return the one record of it."""
    records: list[CallRecord] = []
    with suppress(GatewayError):
        call(Gateway(account=ACCOUNT, transport=transport, observer=records.append))
    (record,) = records
    return record


OPERATIONS = {"follow_up": "capture", "payment_account": "get_payment_account", "authorize": "authorization"}


@every("name", CALLS)
def test_an_observer_is_told_of_a_call_by_the_name_of_the_interface(name: str) -> None:
    call, good = CALLS[name]
    record = told(call, wire(good))
    assert (record.operation, record.outcome) == (OPERATIONS.get(name, name), CallOutcome.ANSWERED)
    assert (record.http_status, record.elapsed_seconds, record.reason) == (200, 0.25, "")
    assert "account-4711" not in repr(record)


@every(
    ("transport", "outcome", "reason", "status"),
    [
        (Wire(NotSent(NotSentReason.DNS, detail="eve.example")), CallOutcome.NOT_SENT, "dns", None),
        (Wire(OutcomeUnknown(UnknownReason.TIMEOUT)), CallOutcome.UNKNOWN, "timeout", None),
        (wire(ERROR, status=422), CallOutcome.REFUSED, "", 422),
        (wire(b"<html>", status=200), CallOutcome.UNKNOWN, "unreadable", 200),
    ],
)
def test_an_observer_is_told_once_how_a_call_failed_and_nothing_that_was_said(
    transport: Wire, outcome: CallOutcome, reason: str, status: int | None
) -> None:
    record = told(CALLS["follow_up"][0], transport)
    assert (record.operation, record.method, record.path) == ("capture", "POST", "/api/v5/apmTransactions")
    assert (record.outcome, record.reason, record.http_status) == (outcome, reason, status)
    assert "eve" not in repr(record)
    assert "SchemaValidationError" not in repr(record)


@every(
    ("error", "text", "may_have_happened"),
    [
        (NotSent(NotSentReason.DNS, detail="no such name"), "nothing was sent (dns): no such name", False),
        (NotSent(NotSentReason.OTHER), "nothing was sent (other)", False),
        (Refused("1", "no", 400), "the gateway refused (code 1, HTTP 400): no", False),
        (
            OutcomeUnknown(UnknownReason.RATE_LIMITED, 30.0, detail="HTTP 429"),
            "the outcome is unknown (rate_limited): HTTP 429",
            True,
        ),
        (BadAnswer(UnknownReason.CONTRADICTORY), "the outcome is unknown (contradictory)", True),
    ],
)
def test_an_error_says_what_is_known_and_can_be_sent_elsewhere(
    error: GatewayError, text: str, may_have_happened: bool
) -> None:
    error.exchange = recorded(CALLS["follow_up"][0], CAPTURED)[0]
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (type(one), str(one), vars(one)) == (type(error), text, vars(error))
        assert one.may_have_happened is may_have_happened
