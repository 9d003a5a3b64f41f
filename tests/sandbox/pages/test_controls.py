"""The console's forms: each does what its call of the control interface does, for no page of another site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.console import forms, press
from tests.sandbox.merchant import JSON, Merchant
from tests.sandbox.soundness import assert_sound
from tests.sandbox.visitor import Page, Visitor
from tests.sandbox.wallet_buyer import Buyer
from tests.support.tables import every
from wallet_gateway.testing.sandbox import SandboxServer

HOUR = 3600
RECORDED = r"ecom\.\w+|Approved|Pending|Errored|[0-9.]+ EUR"
REFERENCE = ("clientSystemTransactionId", "merchantId", "storeId")
FAULT = {"operation": "capture", "fault": "error_body", "code": "9", "message": "Not now"}
STORE = {"merchantId": "M", "storeId": "S", "userId": "u", "displayName": "Mugs"}
ORIGINS = ["https://mugs.example"]
BEHAVIOUR = {"duplicates": "replay", "letterCase": "lower", "erroredAmount": "0", "placeholderIds": "zeros"}
WORDS = {"Errored": "Declined"}
CASES: list[tuple[str, str, dict[str, str], str, dict[str, Any]]] = [
    ("advance-clock", "/controls/", {"advanceSeconds": "90000.5"}, "POST clock", {"advanceSeconds": 90000.5}),
    ("set-clock", "/controls/", {"now": "2100-01-31T09:30"}, "PUT clock", {"now": "2100-01-31T09:30Z"}),
    ("reset-clock", "/controls/", {}, "DELETE clock", {}),
    (
        "set-fault",
        "/controls/",
        FAULT | {"times": "0", "skip": "2", "seconds": "1.5", "status": "503"},
        "POST faults",
        FAULT | {"times": 0, "skip": 2, "seconds": 1.5, "status": 503},
    ),
    ("clear-faults", "/controls/", {}, "DELETE faults", {}),
    (
        "behaviour",
        "/controls/",
        BEHAVIOUR | {"statusLagSeconds": "30", "numericAmounts": "true", "stateWords": json.dumps(WORDS)},
        "POST behaviour",
        BEHAVIOUR | {"statusLagSeconds": 30, "numericAmounts": True, "stateWords": WORDS},
    ),
    ("wallet", "/controls/", {"mode": "slow"}, "POST wallet", {"mode": "slow"}),
    (
        "add-merchant",
        "/controls/",
        STORE | {"origins": json.dumps(ORIGINS)},
        "POST merchants",
        STORE | {"origins": ORIGINS},
    ),
    ("reset", "/", {}, "POST reset", {}),
    ("settle", "Pending", {"outcome": "refused"}, "POST pending/settle", {"outcome": "refused"}),
    (
        "three-d-secure",
        "Pending",
        {"outcome": "failed"},
        "POST three-d-secure/complete",
        {"outcome": "failed"},
    ),
    (
        "portal",
        "Approved",
        {"type": "ecom.capture", "amount": "4.00"},
        "POST portal",
        {"type": "ecom.capture", "amount": "4.00"},
    ),
]
CALLS = [case[0] for case in CASES]
Begin = Callable[[str], Page]


@pytest.fixture
def begin(visitor: Visitor, pay: Pay, merchant: Merchant) -> Begin:
    """Opens a page of a sandbox with something to take back: by address, or a transaction in a state."""

    def begin(page: str) -> Page:
        visitor.control.reset()
        visitor.control.fault("status", "empty")
        visitor.control.advance_clock(HOUR)
        pay(type="ecom.preAuthorization")
        Buyer(merchant, visitor.control).pending("CONSOLE-1")
        if page.startswith("/"):
            return visitor.get(page)
        paths = re.findall(r'href="(/transactions/SBX-[0-9A-F]+/)"', visitor.get("/transactions/").html)
        (found,) = [one for path in paths if f"EUR {page}" in (one := visitor.get(path)).text]
        return found

    return begin


def effects(visitor: Visitor) -> dict[str, Any]:
    """Everything that a call can change, without what differs from run to run."""
    control = visitor.control
    ahead = datetime.fromisoformat(control.advance_clock(0)) - datetime.now(UTC)
    return {
        "ahead": ahead,
        "faults": json.loads(visitor.get("/_sandbox/faults").html),
        "behaviour": control.behaviour(),
        "wallet": control.wallet(),
        "records": re.findall(RECORDED, visitor.get("/transactions/").text),
        "open pages": visitor.get("/accounts/").html.count("/three-d-secure/"),
        "merchants": [one in visitor.get("/").text for one in ("M / S", "Mugs", *ORIGINS)],
    }


def are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Compare effects; between two looks the machine's clock runs on."""
    return abs(one["ahead"] - other["ahead"]) < timedelta(seconds=30) and all(
        one[name] == other[name] for name in one if name != "ahead"
    )


@every(("call", "page", "typed", "address", "body"), CASES)
def test_a_form_does_what_its_call_does(
    visitor: Visitor,
    merchant: Merchant,
    begin: Begin,
    call: str,
    page: str,
    typed: dict[str, str],
    address: str,
    body: dict[str, Any],
) -> None:
    opened = begin(page)
    assert_sound(opened)
    method, _, path = address.partition(" ")
    assert f"{method} /_sandbox/{path}" in opened.text
    before = effects(visitor)
    form = forms(opened)[call]
    answer = press(visitor, form, **typed)
    assert (answer.status, answer.headers["Location"]) == (303, f"{form.fields['back']}#{call}"), answer.text
    after = effects(visitor)
    assert not are_same(before, after)

    fields = forms(begin(page))[call].fields
    named = {name: fields[name] for name in REFERENCE if name in fields and name not in body}
    sent = json.dumps(body | (named if page[0] != "/" else {})).encode()
    assert merchant.send(method, f"/_sandbox/{path}", sent, JSON).status == 200
    assert are_same(effects(visitor), after)


def test_every_form_is_on_its_page_filled_in_with_what_is_in_force(visitor: Visitor, begin: Begin) -> None:
    shown = {call for page in ("/", "/controls/", "Pending", "Approved") for call in forms(begin(page))}
    assert shown == set(CALLS)
    visitor.control.behaviour(letter_case="pascal", another_card=True, state_words=WORDS)
    visitor.control.wallet("no_card")
    page = visitor.get("/controls/")
    filled = forms(page)["behaviour"].fields
    assert (filled["letterCase"], filled["anotherCard"], filled["newestFirst"]) == ("pascal", "true", "false")
    assert json.loads(filled["stateWords"]) == WORDS
    assert forms(page)["wallet"].fields["mode"] == "no_card"
    assert_sound(page)


@every(
    ("paid", "types", "then"),
    [
        ({}, ["ecom.refund"], []),
        (
            {"type": "ecom.preAuthorization"},
            ["ecom.capture", "ecom.reversalPreauthorization"],
            ["ecom.refund"],
        ),
    ],
)
def test_the_portal_offers_what_the_limits_allow(
    visitor: Visitor, pay: Pay, paid: dict[str, str], types: list[str], then: list[str]
) -> None:
    reference = pay(**paid)
    page = visitor.follow(visitor.get("/transactions/"), reference)
    portal = forms(page)["portal"]
    assert (portal.choices["type"], portal.fields["amount"]) == (types, "10.00")
    assert press(visitor, portal).status == 303
    offered = forms(visitor.get(page.url)).get("portal")
    assert (offered.choices["type"] if offered else []) == then


@every(
    ("call", "fields", "words"),
    [
        ("set-fault", {"operation": "capture", "fault": "partial"}, "means nothing to capture"),
        ("set-fault", {"operation": "capture", "fault": "late", "seconds": "soon"}, "seconds must be"),
        ("set-fault", {"operation": "capture", "fault": "late", "seconds": "1e3"}, "seconds must be"),
        ("set-fault", {"operation": "capture", "fault": "late", "times": "-1"}, "times must be"),
        ("advance-clock", {"advanceSeconds": "-1"}, "advanceSeconds must be"),
        ("set-clock", {"now": "1999-01-01T00:00"}, "cannot be set to 1999"),
        ("set-clock", {"now": " "}, "now is missing"),
        ("wallet", {"mode": "gone"}, "mode must be one of"),
        ("behaviour", {"numericAmounts": "perhaps"}, "numericAmounts must be true or false"),
        ("behaviour", {"stateWords": '{"Errored": "approved"}'}, "for both Approved and Errored"),
        ("behaviour", {"stateWords": '"Settled"'}, "stateWords must be an object of texts"),
        ("behaviour", {"stateWords": "Settled"}, "not JSON"),
        ("reset", {"hard": "true"}, "There is no 'hard' here"),
    ],
)
def test_what_a_call_refuses_is_said_and_not_done(
    visitor: Visitor, call: str, fields: dict[str, str], words: str
) -> None:
    before = effects(visitor)
    page = visitor.post(f"/controls/{call}/", fields)
    assert page.status == 400
    assert words in page.text
    assert page.markup.one("title").text.startswith("Error: This was not done")
    assert_sound(page)
    assert are_same(effects(visitor), before)


def test_looking_at_a_call_and_pages_of_other_sites_change_nothing(visitor: Visitor) -> None:
    before = effects(visitor)
    for call in CALLS:
        assert visitor.get(f"/controls/{call}/").status == 405, call
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
            page = visitor.post(f"/controls/{call}/", {"mode": "slow"}, Origin=origin)
            assert page.status == 403, (call, origin)
    for call in ("journal", "payment-data", "nothing"):
        assert visitor.post(f"/controls/{call}/").status == 404
    assert are_same(effects(visitor), before)


@every("back", ["https://evil.example", "//evil.example", "javascript:alert(1)", "", "/\\evil.example"])
def test_a_form_leads_to_no_other_site(visitor: Visitor, back: str) -> None:
    answer = visitor.post("/controls/wallet/", {"mode": "slow", "back": back})
    assert answer.headers["Location"] == "/controls/#wallet"
    refused = visitor.post("/controls/wallet/", {"mode": "gone", "back": back})
    assert '<a href="/controls/">Back</a>' in refused.html


def test_with_a_control_key_nothing_is_shown_or_done_without_it() -> None:
    with SandboxServer(control_key="open-sesame") as keyed:
        stranger, owner = Visitor(keyed.base_url), {"Authorization": "Bearer open-sesame"}
        assert stranger.get("/controls/").status == 401
        for call in CALLS:
            assert stranger.post(f"/controls/{call}/", {"mode": "slow"}).status == 401
        assert keyed.control.wallet() == "ready"
        assert stranger.post("/controls/wallet/", {"mode": "slow"}, **owner).status == 303
        assert keyed.control.wallet() == "slow"
