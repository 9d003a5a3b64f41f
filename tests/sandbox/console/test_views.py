"""The console of a running sandbox, as its developer reads it."""

from __future__ import annotations

import json
import re

import pytest

from tests.sandbox.console.reading import capture, detail_of, facts, follow, pay, rows
from tests.sandbox.hosted.wire import checkout_body
from tests.sandbox.pages.soundness import assert_sound
from tests.sandbox.pages.visitor import Visitor
from wallet_gateway.sandbox.pages.localization import LANGUAGES

LISTS = {"/checkouts/": "Checkouts", "/transactions/": "Transactions", "/requests/": "Requests received"}


@pytest.mark.parametrize("path", ["/", *LISTS])
def test_every_page_is_sound_with_something_on_it(visitor: Visitor, path: str) -> None:
    pay(visitor)
    visitor.control.fault("refund", "drop_after", times=2, skip=1)
    page = visitor.get(path)
    assert page.markup.all("table")
    assert_sound(page)


@pytest.mark.parametrize(
    ("outcome", "state", "word"),
    [
        ("success", "Approved", "CapturedByProvider"),
        ("pending", "Pending", "PendingAtProvider"),
        ("refused", "Errored", "RefusedByProvider"),
    ],
)
def test_a_transaction_is_shown_with_its_facts(visitor: Visitor, outcome: str, state: str, word: str) -> None:
    reference = pay(visitor, outcome)
    page = detail_of(visitor, reference)
    assert page.markup.one("h1").text == "10.00 EUR"
    known = facts(page)
    assert known["Reference"] == reference
    assert known["Type"] == "ecom.sale"
    assert known["State at the provider"] == word
    assert known["Merchant"] == "SANDBOX-MERCHANT / SANDBOX-STORE"
    assert known["Made by"] == "the customer on the checkout page"
    assert f"{state} ecom.sale" in page.text
    assert_sound(page)


def test_a_history_tells_the_whole_payment_in_order(visitor: Visitor) -> None:
    reference = pay(visitor, "pending", type="ecom.preAuthorization")
    visitor.control.settle_pending(reference, "success")
    captured = capture(visitor, reference, "4.00")
    page = detail_of(visitor, reference)
    history = page.markup.one("ol")
    assert re.findall(r"(\w+) (ecom\.\w+)", history.read) == [
        ("Pending", "ecom.preAuthorization"),
        ("Approved", "ecom.preAuthorization"),
        ("Approved", "ecom.capture"),
    ]
    assert captured in history.read
    assert captured in rows(page)[0]
    assert_sound(page)


def test_a_request_is_shown_with_what_was_answered(visitor: Visitor) -> None:
    body = checkout_body(amount="149.90") | {"newField": {"deep": 1}}
    link = visitor.api("/api/v5/checkout", body)["redirectUrl"]
    page = follow(visitor, visitor.get("/requests/"), "POST /api/v5/checkout")
    received, answered = (element.text for element in page.markup.all("pre"))
    assert json.loads(received) == body
    assert received.count("\n") > 15
    assert json.loads(answered) == {"redirectUrl": link}
    assert facts(page)["Answer"] == "HTTP 200"
    assert "newField" in facts(page)["Unknown fields, ignored"]
    assert_sound(page)


def test_a_hostile_request_is_shown_as_text(visitor: Visitor) -> None:
    hostile = '</pre><script>alert(1)</script>{{ 7|add:7 }}"><img src=x onerror=alert(1)>'
    reference = pay(visitor, reference=hostile)
    # Short enough for the list to show it whole.
    visitor.post("/api/v5/<script>alert(1)</script>{{7|add:7}}")
    for page in (
        visitor.get("/"),
        visitor.get("/requests/"),
        detail_of(visitor, reference),
        follow(visitor, visitor.get("/requests/"), "POST /api/v5/checkout"),
    ):
        assert "<script>alert(1)</script>" in page.text
        assert not page.markup.all("script")
        assert_sound(page)


def test_secrets_are_not_shown(visitor: Visitor) -> None:
    visitor.api(
        "/api/v5/checkout",
        checkout_body(amount="1.00") | {"apiKey": "very-secret", "pan": "4111111111111111"},
    )
    page = follow(visitor, visitor.get("/requests/"), "POST /api/v5/checkout")
    assert "very-secret" not in page.html
    assert "4111111111111111" not in page.html


def test_faults_are_shown_with_what_is_left_of_them_until_they_are_cleared(visitor: Visitor) -> None:
    visitor.control.fault("refund", "delay_after", times=3, skip=1, seconds=5)
    visitor.control.fault("*", "error_body", times=1, status=503, code="4107940", message="Try <later>")
    page = visitor.get("/")
    for words in (
        "delay_after on refund",
        "3 more times",
        "after 1 request",
        "waits 0:00:05",
        "error_body on every operation",
        "1 more time",
        "HTTP 503",
        "4107940",
        "Try <later>",
    ):
        assert words in page.text
    assert_sound(page)
    assert visitor.post("/controls/clear-faults/").headers["Location"] == "/controls/#faults"
    assert "None. Every request is answered as it should be." in visitor.get("/").text


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Overview"),
        ("de", "Übersicht"),
        ("fr", "Vue d\u2019ensemble"),
        ("es", "Resumen"),
        ("ar", "نظرة عامة"),
    ],
)
def test_the_console_speaks_the_browsers_language(visitor: Visitor, language: str, heading: str) -> None:
    page = visitor.get("/", Accept_Language=f"{language}-XX,pl;q=0.3")
    assert language in LANGUAGES
    assert page.markup.one("h1").text == heading
    assert page.markup.one("html").attributes["lang"] == language
    assert page.markup.one("html").attributes["dir"] == ("rtl" if language == "ar" else "ltr")
    assert page.headers["Vary"] == "Accept-Language"
    assert_sound(page)
