"""The console of a running sandbox, as its developer reads it."""

from __future__ import annotations

import json
import re
import time
from urllib.parse import urlsplit

from tests.sandbox.conftest import Pay
from tests.sandbox.console import forms, press
from tests.sandbox.merchant import CHECKOUT, JSON, Merchant, checkout_body
from tests.sandbox.soundness import assert_sound
from tests.sandbox.visitor import Page, Visitor
from tests.sandbox.wallet_buyer import Buyer
from tests.support.tables import every

HOSTILE = '</pre><script>alert(1)</script>{{ 7|add:7 }}"><img src=x onerror=alert(1)>'


def detail_of(visitor: Visitor, reference: str) -> Page:
    return visitor.follow(visitor.get("/transactions/"), reference)


def first_request(visitor: Visitor) -> Page:
    return visitor.follow(visitor.get("/requests/"), "POST /api/v5/checkout")


@every("path", ["/", "/checkouts/", "/transactions/", "/requests/"])
def test_every_page_is_sound_with_something_on_it(visitor: Visitor, pay: Pay, path: str) -> None:
    pay()
    visitor.control.fault("refund", "drop_after", times=2, skip=1)
    page = visitor.get(path)
    assert page.markup.all("table")
    assert_sound(page)


@every(
    ("outcome", "state", "word"),
    [
        ("success", "Approved", "CapturedByProvider"),
        ("pending", "Pending", "PendingAtProvider"),
        ("refused", "Errored", "RefusedByProvider"),
        ("cancelled", "Errored", "CancelledByCustomer"),
        ("error", "Errored", "FailedAtProvider"),
    ],
)
def test_a_transaction_is_shown_with_its_facts(
    visitor: Visitor, pay: Pay, outcome: str, state: str, word: str
) -> None:
    reference = pay(outcome)
    page = detail_of(visitor, reference)
    assert page.markup.one("h1").text == "10.00 EUR"
    expected = {
        "Reference": reference,
        "Type": "ecom.sale",
        "State at the provider": word,
        "Merchant": "SANDBOX-MERCHANT / SANDBOX-STORE",
        "Made by": "the customer on the checkout page",
    }
    assert {name: page.facts[name] for name in expected} == expected
    assert f"{state} ecom.sale" in page.text
    assert_sound(page)


def test_a_history_tells_the_whole_payment_in_order(visitor: Visitor, pay: Pay, merchant: Merchant) -> None:
    reference = pay("pending", type="ecom.preAuthorization")
    visitor.control.settle_pending(reference, "success")
    merchant.capture("CAPTURE-1", reference, "4.00")
    page = detail_of(visitor, reference)
    history = page.markup.one("ol")
    assert re.findall(r"(\w+) (ecom\.\w+)", history.read) == [
        ("Pending", "ecom.preAuthorization"),
        ("Approved", "ecom.preAuthorization"),
        ("Approved", "ecom.capture"),
    ]
    assert "CAPTURE-1" in history.read
    (row, *_) = [cell for cell in page.markup.all("th") if cell.attributes.get("scope") == "row"]
    assert "CAPTURE-1" in row.read
    assert_sound(page)


def test_a_request_is_shown_with_what_was_answered_and_without_its_secrets(
    visitor: Visitor, merchant: Merchant
) -> None:
    body = checkout_body("A", newField={"deep": 1}, apiKey="very-secret", pan="4111111111111111")
    answer = merchant.post(CHECKOUT, body)
    page = first_request(visitor)
    received, answered = (element.text for element in page.markup.all("pre"))
    assert json.loads(received).items() >= checkout_body("A", newField={"deep": 1}).items()
    assert received.count("\n") > 15
    assert json.loads(answered) == answer.json
    assert page.facts["Answer"] == "HTTP 200"
    assert "newField" in page.facts["Unknown fields, ignored"]
    assert "very-secret" not in page.html
    assert "4111111111111111" not in page.html
    assert_sound(page)


@every("block", ["[", '"', '\\"', '{"'])
def test_a_bottomless_body_is_laid_out_in_time_and_without_growing(
    visitor: Visitor, merchant: Merchant, block: str
) -> None:
    body = '{"' + block * (100_000 // len(block))
    merchant.send("POST", CHECKOUT, body.encode(), JSON)
    begun = time.monotonic()
    page = first_request(visitor)
    assert time.monotonic() - begun < 30
    assert len(page.html) < len(body) * 40


def test_a_hostile_request_is_shown_as_text(visitor: Visitor, merchant: Merchant) -> None:
    merchant.checkout(HOSTILE)
    visitor.control.complete_checkout(HOSTILE, "success")
    # Short enough for the list to show it whole.
    visitor.post("/api/v5/<script>alert(1)</script>{{7|add:7}}")
    for page in (
        visitor.get("/"),
        visitor.get("/requests/"),
        detail_of(visitor, HOSTILE),
        first_request(visitor),
    ):
        assert "<script>alert(1)</script>" in page.text
        assert not page.markup.all("script")
        assert_sound(page)


def test_faults_are_shown_with_what_is_left_of_them_until_they_are_cleared(visitor: Visitor) -> None:
    visitor.control.fault("refund", "delay_after", times=3, skip=1, seconds=2.5)
    visitor.control.fault("*", "error_body", times=1, status=503, code="4107940", message="Try <later>")
    page = visitor.get("/")
    for words in (
        "delay_after on refund",
        "3 more times",
        "after 1 request",
        "waits 0:00:02.500000",
        "error_body on every operation",
        "1 more time",
        "HTTP 503",
        "4107940",
        "Try <later>",
    ):
        assert words in page.text
    assert_sound(page)
    assert visitor.post("/controls/clear-faults/").status == 303
    assert "None. Every request is answered as it should be." in visitor.get("/").text


def test_the_console_is_in_english_for_every_browser(visitor: Visitor, pay: Pay) -> None:
    pay()
    for path in ("/", "/controls/", "/nowhere", "/transactions/none/"):
        first, second = (visitor.get(path, Accept_Language=language) for language in ("en", "ar-EG"))
        assert re.sub("[0-9]", "", first.html) == re.sub("[0-9]", "", second.html)
    root = visitor.get("/", Accept_Language="ar-EG").markup.one("html").attributes
    assert (root["lang"], root["dir"]) == ("en", "ltr")


def test_an_account_is_shown_by_its_last_digits_and_its_check_is_linked_until_it_is_decided(
    visitor: Visitor, buyer: Buyer
) -> None:
    check = urlsplit(buyer.pending("P-1").json["redirectUrl"]).path
    page = visitor.get("/accounts/")
    assert_sound(page)
    assert "VISA •••• 1881" in page.text
    # Neither the number nor how much of it the account's row knows beside these four.
    assert "40128888" not in page.html
    assert "41111111" not in page.html
    assert check in [link.attributes["href"] for link in page.markup.all("a")]
    visitor.control.complete_three_d_secure("P-1", "success")
    assert "three-d-secure" not in visitor.get("/accounts/").html


@every(("outcome", "state"), [("success", "Approved"), ("refused", "Errored"), ("error", "Errored")])
def test_a_pending_payment_is_settled_with_a_button_once(
    visitor: Visitor, pay: Pay, outcome: str, state: str
) -> None:
    page = detail_of(visitor, pay("pending"))
    settle = forms(page)["settle"]
    for wrong in ("", "pending", "return", "nonsense"):
        assert press(visitor, settle, outcome=wrong).status == 400
    assert "10.00 EUR Pending" in visitor.get(page.url).text
    settled = visitor.get(press(visitor, settle, outcome=outcome).headers["Location"])
    assert settled.url.partition("#")[0] == page.url
    assert f"10.00 EUR {state}" in settled.text
    assert "settle" not in forms(settled)
    again = press(visitor, settle)
    assert again.status == 409
    assert "NotPending" in again.text
    assert f"10.00 EUR {state}" in visitor.follow(again, "Back").text
    assert_sound(again)


def test_resetting_takes_two_steps_and_forgets_everything(visitor: Visitor, pay: Pay) -> None:
    pay()
    visitor.control.advance_clock(100)
    page = visitor.get("/")
    (button,) = [b for b in page.markup.all("button") if b.text == "Reset everything now"]
    assert "details" in button.path
    assert press(visitor, forms(page)["reset"]).headers["Location"] == "/#reset"
    text = visitor.get("/").text
    assert "No transaction yet." in text
    assert "as on this machine" in text
