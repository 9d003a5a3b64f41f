"""The requests that the kit sends: what the tables demand, what the example shows, one thing changed."""

from __future__ import annotations

import json

from wallet_gateway.conformance import messages
from wallet_gateway.conformance.schemas import mandatory, violations
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT


def test_the_least_that_a_checkout_needs_is_what_the_table_calls_mandatory() -> None:
    body = messages.checkout(SANDBOX_ACCOUNT, "KIT-1")
    assert violations("checkout_request", body) == []
    leaves = {
        path for path in mandatory("checkout_request") if path not in ("checkoutDetails", "redirectDetails")
    }
    given = {f"{name}.{inner}" for name, part in body.items() if isinstance(part, dict) for inner in part}
    given |= {name for name, part in body.items() if not isinstance(part, dict)}
    assert given == leaves


def test_a_full_checkout_has_the_names_of_the_tables_and_the_example_its_own() -> None:
    full = messages.full_checkout(SANDBOX_ACCOUNT, "KIT-1")
    shown = messages.checkout_example(SANDBOX_ACCOUNT, "KIT-1")
    assert violations("checkout_request", full) == violations("checkout_request", shown) == []
    assert "totalTaxAmount" in full["shoppingCartDetails"]
    assert "totaltaxAmount" in shown["shoppingCartDetails"]
    assert shown["clientSystemTransactionId"] == "KIT-1"


def test_follow_ups_and_detached_refunds_are_as_their_tables_say() -> None:
    refund = messages.follow_up(SANDBOX_ACCOUNT, "ecom.refund", "1.00", reference="R", original="O")
    detached = messages.detached_refund(SANDBOX_ACCOUNT, "1.00", reference="R", parent="P")
    assert violations("follow_up_request", refund) == []
    assert violations("detached_refund_request", detached) == []


def test_the_example_of_a_follow_up_is_spelled_as_the_document_spells_it() -> None:
    refund = messages.follow_up(SANDBOX_ACCOUNT, "ecom.refund", "1.00", reference="R", original="O")
    shown = messages.as_in_example("follow_up_request", refund)
    assert shown["apmdetails"] == {"apmProviderName": SANDBOX_ACCOUNT.provider}
    assert "apmDetails" not in shown
    assert "ItemDetails" in shown["shoppingCartDetails"]
    assert b'"amount": 1.00,' in messages.to_json(shown)


def test_a_number_is_written_with_its_digits_and_a_text_with_quotes() -> None:
    assert messages.to_json({"a": messages.number("0.10"), "b": "0.10"}) == b'{"a": 0.10, "b": "0.10"}'


def test_a_change_leaves_the_original_as_it_is() -> None:
    body = {"list": [{"a": 1, "b": 2}, {"a": 3}], "x": {"y": 1}}
    before = json.dumps(body)
    assert messages.changed(body, "list.1.a", 4)["list"] == [{"a": 1, "b": 2}, {"a": 4}]
    assert messages.changed(body, "new.z", 5)["new"] == {"z": 5}
    assert messages.without(body, "list.0.b")["list"] == [{"a": 1}, {"a": 3}]
    assert messages.without(body, "x.nothing")["x"] == {"y": 1}
    assert json.dumps(body) == before
