"""The gateway as methods: what each sends, and how its answer is read."""

from __future__ import annotations

import json

import pytest

from tests.client.calls import (
    API_KEY,
    AUTHORIZATION,
    AUTHORIZED,
    CALLS,
    CAPTURE,
    CAPTURED,
    CHECKOUT,
    DETACHED,
    ENCRYPTION_KEY,
    ERROR,
    EVERY_CALL,
    KEYS,
    PAGE,
    PAYMENT_ACCOUNT,
    RECORDS,
    REFUNDED,
    Call,
)
from tests.client.wires import Wire, gateway, wire
from tests.tables import every
from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.protocol.errors import InvalidMessage

# What is sent


def test_a_checkout_posts_its_message_on_a_kept_connection() -> None:
    transport = wire(PAGE)
    said = gateway(transport).checkout(CHECKOUT, not_after=5.0)
    assert said.message.redirect_url == "https://gateway.example/c/token"
    assert transport.given == [
        {
            "method": "POST",
            "path": "/api/v5/checkout",
            "query": None,
            "body": CHECKOUT.to_json(),
            "headers": None,
            "fresh": False,
            "not_after": 5.0,
        }
    ]


def test_a_follow_up_posts_its_message_on_a_fresh_connection() -> None:
    transport = wire(CAPTURED)
    said = gateway(transport).follow_up(CAPTURE, not_after=5.0)
    assert (said.message.id, said.message.state) == ("g-1", "Approved")
    (given,) = transport.given
    assert (given["method"], given["path"], given["body"]) == (
        "POST",
        "/api/v5/apmTransactions",
        CAPTURE.to_json(),
    )
    assert (given["fresh"], given["not_after"]) == (True, 5.0)


def test_a_detached_refund_posts_its_message_on_a_fresh_connection() -> None:
    transport = wire(REFUNDED)
    said = gateway(transport).detached_refund(DETACHED)
    assert said.message.amount == "7.50"
    (given,) = transport.given
    assert (given["path"], given["body"]) == ("/api/v5/apmTransactions", DETACHED.to_json())
    assert (given["fresh"], given["not_after"]) == (True, None)


def test_a_status_query_asks_by_the_account_and_the_reference() -> None:
    transport = wire(RECORDS)
    (record,) = gateway(transport).status("order-1").message.records
    assert (record.type, record.transaction_amount) == ("ecom.sale", "10.00")
    (given,) = transport.given
    assert (given["method"], given["path"], given["body"]) == ("GET", "/api/v5/apmTransactions", None)
    assert given["query"] == {
        "merchantId": "M-1",
        "storeId": "S-1",
        "clientSystemTransactionId": "order-1",
    }
    assert given["fresh"] is False


def test_keys_are_asked_for_by_the_account() -> None:
    transport = wire(KEYS)
    keys = gateway(transport).public_key().message
    assert (keys.api_key, keys.encryption_key) == (API_KEY, ENCRYPTION_KEY)
    (given,) = transport.given
    assert (given["method"], given["path"], given["headers"]) == ("POST", "/api/v5/publicKeys", None)
    assert given["body"] == b'{"merchantId":"M-1","storeId":"S-1","userId":"user-1"}'


def test_a_payment_account_is_asked_for_with_the_public_key_and_by_a_quoted_name() -> None:
    transport = wire(PAYMENT_ACCOUNT)
    account = gateway(transport).payment_account("a=;b:c", api_key=API_KEY, encryption_key=ENCRYPTION_KEY)
    assert account.message.card_type == "Token"
    (given,) = transport.given
    assert (given["method"], given["path"]) == ("GET", "/api/v5/paymentAccounts/a%3D%3Bb%3Ac")
    assert given["query"] == {"merchantId": "M-1", "storeId": "S-1", "encryptionKeyId": ENCRYPTION_KEY}
    assert given["headers"] == {"Authorization": f"PublicApiKey {API_KEY}"}


@pytest.mark.parametrize("account", ["..", "a/../b?c", "a%2Fb", "4111111111111111"])
def test_what_a_path_would_read_otherwise_is_no_account_and_nothing_is_sent(account: str) -> None:
    transport = wire(PAYMENT_ACCOUNT)
    with pytest.raises(InvalidMessage, match="transactionAccountId"):
        gateway(transport).payment_account(account, api_key=API_KEY, encryption_key=ENCRYPTION_KEY)
    assert transport.given == []


def test_an_authorization_posts_its_message_on_a_fresh_connection_with_the_public_key() -> None:
    transport = wire(AUTHORIZED)
    said = gateway(transport).authorize(AUTHORIZATION, api_key=API_KEY, not_after=5.0)
    assert said.message.state == "Approved"
    (given,) = transport.given
    assert (given["method"], given["path"], given["body"]) == (
        "POST",
        "/api/v5/transactions",
        AUTHORIZATION.to_json(),
    )
    assert given["headers"] == {"Authorization": f"PublicApiKey {API_KEY}"}
    assert (given["fresh"], given["not_after"]) == (True, 5.0)


SPOILED = {
    "an id that is none": b'{"id": null, "type": "chargeback"}',
    "one field in two spellings": b'{"id": "g-2", "ID": "g-3"}',
    "one field twice, deep in it": b'{"id": "g-2", "apmDetails": {"apmName": "a", "apmName": "b"}}',
    "half of a character": b'{"id": "\\ud800"}',
    "an error": ERROR,
    "a card number": b'{"id": null, "transactionAmount": "4111111111111111"}',
}


@pytest.mark.parametrize("spoiled", SPOILED.values(), ids=SPOILED.keys())
def test_a_record_that_cannot_be_read_spoils_none_beside_it(spoiled: bytes) -> None:
    said = gateway(wire(RECORDS[:-1] + b", " + spoiled + b"]")).status("order-1")
    (record,) = said.message.records
    (unreadable,) = said.message.unreadable
    assert (record.id, record.apm_details is not None) == ("g-1", True)
    assert unreadable.complaint
    assert "4111111111111111" not in unreadable.complaint
    assert "jane.doe" not in said.exchange.answer_body


def test_what_is_no_array_is_no_answer_to_a_status_query() -> None:
    for body in (b'{"id": "g-1", "ID": "g-1"}', b'{"records": []}', b'[{"id": "g-1"', ERROR):
        with pytest.raises((BadAnswer, Refused)):
            gateway(wire(body)).status("order-1")


def test_only_a_status_answer_is_read_part_by_part() -> None:
    with pytest.raises(BadAnswer) as failure:
        gateway(wire(b'{"state": "Approved", "x": {"a": "1", "A": "2"}}')).follow_up(CAPTURE)
    assert failure.value.reason == UnknownReason.UNREADABLE


# What is said back


@every(("call", "good"), EVERY_CALL)
def test_every_call_reads_its_answer_and_records_the_exchange(call: Call, good: bytes) -> None:
    said = call(gateway(wire(good)))
    assert said.exchange.http_status == 200
    assert said.exchange.elapsed_seconds == 0.25
    assert said.exchange.sent
    assert json.loads(said.exchange.answer_body).__class__ is json.loads(good).__class__


@every(("call", "good"), EVERY_CALL)
@every(
    ("status", "body", "kind"),
    [
        (200, ERROR, Refused),
        (400, ERROR, Refused),
        (404, ERROR, Refused),
        (403, b"<html>blocked</html>", OutcomeUnknown),
        (500, ERROR, OutcomeUnknown),
        (302, b"", OutcomeUnknown),
        (200, b"<html>welcome</html>", BadAnswer),
        (200, b"7", BadAnswer),
        (200, b'{"state": "Approved", "state": "Errored"}', BadAnswer),
    ],
)
def test_every_call_tells_refusals_from_silence(
    call: Call, good: bytes, status: int, body: bytes, kind: type[GatewayError]
) -> None:
    transport = wire(body, status=status)
    with pytest.raises(GatewayError) as failure:
        call(gateway(transport))
    assert type(failure.value) is kind
    assert failure.value.exchange is not None
    assert failure.value.exchange.http_status == status
    assert len(transport.given) == 1


@every(
    ("name", "body"),
    [
        ("checkout", b'{"redirectUrl": "not a url"}'),
        ("checkout", b"[]"),
        ("follow_up", b"{}"),
        ("detached_refund", b'{"amount": "1.00"}'),
        ("status", b"{}"),
        ("status", b'{"records": [{"id": "g-1"}]}'),
    ],
)
def test_a_success_of_another_shape_is_a_bad_answer(name: str, body: bytes) -> None:
    with pytest.raises(BadAnswer) as failure:
        CALLS[name][0](gateway(wire(body)))
    assert failure.value.reason == UnknownReason.WRONG_SHAPE


@every(
    ("error", "sent"),
    [
        (NotSent(NotSentReason.DNS, detail="connecting"), False),
        (OutcomeUnknown(UnknownReason.TIMEOUT, detail="waiting for the answer"), True),
    ],
    ids=["NotSent", "OutcomeUnknown"],
)
@every(("call", "good"), EVERY_CALL)
def test_a_failure_of_the_transport_passes_with_its_exchange(
    call: Call, good: bytes, error: GatewayError, sent: bool
) -> None:
    with pytest.raises(GatewayError) as failure:
        call(gateway(Wire(error)))
    assert failure.value is error
    exchange = failure.value.exchange
    assert exchange is not None
    assert (exchange.http_status, exchange.answer_body, exchange.sent) == (None, "", sent)
