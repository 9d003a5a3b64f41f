"""The console's buttons: each does what the curl line beside it does, and no other site can press one."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.console import Control, controls, press
from tests.sandbox.merchant import JSON, Merchant
from tests.sandbox.soundness import assert_sound
from tests.sandbox.visitor import Page, Visitor
from tests.sandbox.wallet_buyer import Buyer
from tests.support.tables import every
from wallet_gateway.testing.sandbox import SandboxServer

CALLS = ["advance-clock", "set-clock", "reset-clock", "set-fault", "clear-faults", "behaviour"]
CALLS += ["wallet", "three-d-secure", "settle", "portal", "reset"]
HOUR = 3600
RECORDED = r"ecom\.\w+|Approved|Pending|Errored|[0-9.]+ EUR"
BUTTONS = {"controls": 50, "pending": 3, "sale": 2, "authorized": 3, "wallet": 3, "check": 6}
"""How many buttons each page has."""
Begin = Callable[[str], Page]


@pytest.fixture
def begin(visitor: Visitor, pay: Pay, merchant: Merchant) -> Begin:
    """Opens a page with buttons of a sandbox with something to take back."""

    def leave_open() -> None:
        Buyer(merchant, visitor.control).pending("CONSOLE-1")

    made: dict[str, Callable[[], object]] = {
        "pending": lambda: pay("pending"),
        "sale": pay,
        "authorized": lambda: pay(type="ecom.preAuthorization"),
        "wallet": leave_open,
        "check": leave_open,
    }

    def begin(name: str) -> Page:
        visitor.control.reset()
        if name == "controls":
            visitor.control.fault("status", "empty")
            visitor.control.advance_clock(HOUR)
            return visitor.get("/controls/")
        made[name]()
        if name == "wallet":
            return visitor.get("/accounts/")
        (path, *_) = re.findall(r'href="(/transactions/SBX-[0-9A-F]+/)"', visitor.get("/transactions/").html)
        return visitor.get(path)

    return begin


def run(merchant: Merchant, line: str) -> None:
    """Do what a curl line does, as a shell reads it."""
    command, *arguments = shlex.split(line)
    assert command == "curl"
    method, body = "POST", None
    while len(arguments) > 1:
        option, value, *arguments = arguments
        if option == "-X":
            method = value
        else:
            assert option == "--json"
            body = value.encode()
    path = arguments[0].removeprefix(merchant.base_url)
    answer = merchant.send(method, path, body, JSON if body else {})
    assert answer.status == 200, line


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
    }


def are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Compare effects; between two looks the machine's clock runs on."""
    return abs(one["ahead"] - other["ahead"]) < timedelta(seconds=30) and all(
        one[name] == other[name] for name in one if name != "ahead"
    )


def filled_in(control: Control) -> dict[str, str]:
    """The values of the fields that a developer has to fill in."""
    if control.label == "Make it in the portal":
        return {"amount": "4.00"}
    if control.label == "Answer so":
        return {"erroredAmount": "0", "stateWords.Errored": "Declined"}
    return {"now": "2100-01-31T09:30"} if control.call == "set-clock" else {}


@pytest.mark.parametrize("name", BUTTONS)
def test_a_click_does_what_the_line_beside_it_does(
    visitor: Visitor, merchant: Merchant, begin: Begin, name: str
) -> None:
    assert len(controls(begin(name))) == BUTTONS[name]
    before = effects(visitor)
    for number in range(BUTTONS[name]):
        clicked = controls(begin(name))[number]
        values = filled_in(clicked)
        answer = press(visitor, clicked, **values)
        assert answer.status == 303, (str(clicked), answer.text)
        after = effects(visitor)
        page = begin(name)
        if values:
            page = visitor.get(f"{page.url}?{urlencode({'call': clicked.call, **clicked.fields, **values})}")
        line = controls(page)[number].curl
        run(merchant, line)
        assert are_same(effects(visitor), after), line
        assert not are_same(before, after) or clicked.is_in_force, f"{clicked} did nothing"


def test_every_call_has_a_button(visitor: Visitor, begin: Begin) -> None:
    shown = {control.call for name in BUTTONS for control in controls(begin(name))}
    assert shown | {control.call for control in controls(visitor.get("/"))} == set(CALLS)


@every(
    ("call", "fields", "words"),
    [
        ("set-fault", {"operation": "capture", "fault": "partial"}, "means nothing to capture"),
        ("set-fault", {"operation": "capture", "fault": "late", "seconds": "soon"}, "seconds must be"),
        ("set-fault", {"operation": "capture", "fault": "late", "seconds": "1e3"}, "seconds must be"),
        ("set-fault", {"operation": "capture", "fault": "late", "times": "007"}, "times must be"),
        ("advance-clock", {"advanceSeconds": "-1"}, "advanceSeconds must be"),
        ("set-clock", {"now": "1999-01-01T00:00"}, "cannot be set to 1999"),
        ("set-clock", {"now": " "}, "now is missing"),
        ("wallet", {"mode": "gone"}, "mode must be one of"),
        ("behaviour", {"numericAmounts": "perhaps"}, "numericAmounts must be true or false"),
        ("behaviour", {"stateWords.Errored": "approved"}, "for both Approved and Errored"),
        ("behaviour", {"stateWords": "Settled"}, "stateWords must be an object of texts"),
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
    assert are_same(effects(visitor), before)


@every("shown_on", ["https://evil.example", "//evil.example", "console_press", "SBX-0"])
def test_a_click_leads_to_no_other_site(visitor: Visitor, shown_on: str) -> None:
    answer = visitor.post("/controls/wallet/", {"mode": "slow", "shown_on": shown_on})
    assert answer.headers["Location"] == "/controls/#wallet"


def test_with_a_control_key_nothing_is_shown_or_done_without_it_and_lines_name_its_variable() -> None:
    with SandboxServer(control_key="open-sesame") as keyed:
        stranger, owner = Visitor(keyed.base_url), {"Authorization": "Bearer open-sesame"}
        assert stranger.get("/controls/").status == 401
        for call in CALLS:
            assert stranger.post(f"/controls/{call}/", {"mode": "slow"}).status == 401
        assert keyed.control.wallet() == "ready"
        assert stranger.post("/controls/wallet/", {"mode": "slow"}, **owner).status == 303
        assert keyed.control.wallet() == "slow"
        (line, *_) = {one.curl for one in controls(stranger.get("/controls/", **owner))}
        assert '-H "Authorization: Bearer $WALLET_SANDBOX_CONTROL_KEY"' in line
