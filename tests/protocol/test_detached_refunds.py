"""Refunds of deposits another provider took, against the tables of the interface."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from tests.protocol.samples import detached_refund, detached_refund_response, without
from tests.tables import every
from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.follow_ups import (
    DETACHED_REFUND_TYPE,
    ApmDetails,
    DetachedRefundRequest,
    DetachedRefundResponse,
)
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    pass


def build(**changes: object) -> DetachedRefundRequest:
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": DETACHED_REFUND_TYPE,
        "amount": Decimal("7.5"),
        "currency_code": "eur",
        "client_system_transaction_id": "REFUND-1",
        "parent_transaction_id": "OLD:2019/0001",
        "apm_details": ApmDetails.build(apm_provider="ExampleWalletV2"),
    }
    return DetachedRefundRequest.build(**values | changes)


def test_a_built_request_sends_exactly_these_bytes() -> None:
    assert build().to_json() == (
        b'{"merchantId":"M-1001","storeId":"S-1","userId":"shop-user","type":"detached.refund","amount":"7.50",'
        b'"currencyCode":"EUR","clientSystemTransactionId":"REFUND-1","parentTransactionId":"OLD:2019/0001",'
        b'"apmDetails":{"apmProvider":"ExampleWalletV2"}}'
    )


def test_the_spellings_of_the_example_are_read() -> None:
    body = json.dumps(detached_refund()).replace('"7.50"', "7.50").replace("apmDetails", "apmdetails")
    request = DetachedRefundRequest.from_json(body.replace("apmProvider", "apmProviderName"))
    assert request.to_wire() == detached_refund()


@pytest.mark.parametrize("word", ["detached.refund", "Detached.Refund", "DETACHED.REFUND"])
def test_the_type_is_read_in_any_case_and_sent_as_printed(word: str) -> None:
    request = DetachedRefundRequest.from_wire(detached_refund() | {"type": word})
    assert request.to_wire()["type"] == DETACHED_REFUND_TYPE == "detached.refund"


def test_an_answer_may_refund_less_than_was_asked_and_its_amount_is_what_counts() -> None:
    answer = DetachedRefundResponse.from_wire(detached_refund_response() | {"amount": "5.00"})
    assert answer.money == Money.parse("5.00", "EUR")
    assert answer.money is not None
    assert answer.money.amount < build().money.amount


@every(
    ("amount", "written"),
    [("5", "5.00"), ("5.0", "5.00"), ("5.00", "5.00"), ("5.0000", "5.00"), ("0", "0.00"), ("0.00", "0.00")],
)
@every("form", ["{}", '"{}"'], ids=["number", "text"])
def test_the_amount_of_an_answer_is_text_or_number(form: str, amount: str, written: str) -> None:
    body = f'{{"state": "Approved", "currencyCode": "EUR", "amount": {form.format(amount)}}}'
    answer = DetachedRefundResponse.from_json(body)
    assert answer.amount == written
    assert answer.money == Money(Decimal(written), "EUR")


@pytest.mark.parametrize("name", ["amount", "currencyCode"])
def test_an_answer_without_amount_or_currency_says_no_money(name: str) -> None:
    assert DetachedRefundResponse.from_wire(without(detached_refund_response(), name)).money is None
    assert DetachedRefundResponse.from_wire(detached_refund_response() | {name: None}).money is None


def test_an_answer_in_an_unknown_currency_is_read_and_says_no_money() -> None:
    answer = DetachedRefundResponse.from_wire(detached_refund_response() | {"currencyCode": "ZZZ"})
    assert (answer.currency_code, answer.amount) == ("ZZZ", "5.00")
    with pytest.raises(UnknownCode, match="ZZZ"):
        answer.money  # noqa: B018


def test_an_empty_authorization_is_kept_apart_from_a_missing_one() -> None:
    answer = DetachedRefundResponse.from_wire({"state": "Approved", "providerAuthorizationId": ""})
    assert answer.provider_authorization_id == ""
    assert answer.provider_response_code is None
    assert answer.to_wire() == {"state": "Approved", "providerAuthorizationID": ""}
