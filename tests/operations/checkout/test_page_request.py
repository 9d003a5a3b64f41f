"""The request of one attempt: of content as it was checked, and of content that was changed afterwards."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.operations.conftest import MakeOrder
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.page_request import (
    PageRequest,
    content_hash,
    page_request,
    stored_request,
    texts_of,
)
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.errors import InvalidMessage

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def request_of(order: PaymentOrder, context: GatewayContext) -> PageRequest:
    account = context.gateway.account
    return page_request(order, account, return_urls("REF-1"), reference="REF-1", seconds=600)


def test_its_bytes_say_what_its_values_say_and_break_no_rule(
    make_order: MakeOrder, context: GatewayContext
) -> None:
    make_order(order_number="N-1 ü \u2028", language="de")
    request = request_of(PaymentOrder.objects.get(), context)
    message = CheckoutRequest.from_json(request.body)
    assert message.to_wire() == request.written.message().to_wire() == request.written.values
    assert message.client_system_transaction_id == request.reference == "REF-1"
    assert request.lifetime == timedelta(seconds=600)


def test_the_hash_is_the_same_however_the_members_are_sorted(make_order: MakeOrder) -> None:
    make_order()
    order = PaymentOrder.objects.get()
    turned = dict(reversed(order.content.items()))
    assert content_hash(order.gateway, texts_of(turned)) == order.content_hash
    assert content_hash("other", texts_of(turned)) != order.content_hash
    assert len(order.content_hash) == hashlib.sha256().digest_size * 2


def test_content_that_was_changed_is_checked_again(make_order: MakeOrder, context: GatewayContext) -> None:
    order = make_order()
    order.content = order.content | {"amount": "0.01"}
    with pytest.raises(InvalidMessage, match="amount"):
        request_of(order, context)


def test_what_the_account_adds_is_checked_too(make_order: MakeOrder, context: GatewayContext) -> None:
    context.gateway.account = replace(context.gateway.account, provider="")
    with pytest.raises(InvalidMessage):
        request_of(make_order(), context)


def test_a_stored_request_is_sent_with_its_own_bytes(make_order: MakeOrder, context: GatewayContext) -> None:
    request = request_of(make_order(), context)
    again = stored_request(request.body)
    assert again is not None
    assert (again.body, again.reference, again.lifetime) == (request.body, "REF-1", request.lifetime)
